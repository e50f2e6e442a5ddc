// SPDX-License-Identifier: MIT

import CacheStoreModel
import Foundation
import Testing

@testable import CacheStoreQuery

@Suite struct QueryErrorTests {
    let gallery: Gallery

    init() throws { gallery = try Gallery() }

    private func refusal(of predicate: Predicate<Photo>) -> QueryError? {
        do {
            _ = try gallery.convert(predicate)
            return nil
        } catch {
            return error as? QueryError
        }
    }

    @Test func `an unknown key path is named`() throws {
        let predicate = #Predicate<Photo> { $0.album?.key == 3 }
        let error = try #require(refusal(of: predicate))
        #expect(error.code == .unknownKeyPath)
        #expect(error.expression == #"\Album.key"#)
    }

    @Test func `an expression without counterpart is named by its type`() throws {
        let predicate = #Predicate<Photo> { $0.tags.first?.name == "secret" }
        let error = try #require(refusal(of: predicate))
        #expect(error.code == .unsupportedExpression)
        #expect(error.expression?.contains("KeyPath<Variable<Photo>, Array<Tag>>") ?? false)
        #expect(!error.description.contains("secret"))
    }

    @Test func `the number of filtered objects is refused where existence is not enough`() throws {
        let predicate = #Predicate<Photo> { photo in
            photo.tags.filter { $0.weight > 0 }.count > 1
        }
        let error = try #require(refusal(of: predicate))
        #expect(error.code == .unsupportedExpression)
    }

    @Test func `a captured value of a foreign type is refused without showing it`() throws {
        struct Opaque: Codable, Hashable, Sendable { var secret = "secret" }
        let values = [Opaque()]
        let predicate = Predicate<Photo> { photo in
            PredicateExpressions.build_Equal(
                lhs: PredicateExpressions.build_NilCoalesce(
                    lhs: PredicateExpressions.build_KeyPath(root: photo, keyPath: \.note),
                    rhs: PredicateExpressions.build_KeyPath(
                        root: PredicateExpressions.build_Arg(values[0]), keyPath: \.secret)),
                rhs: PredicateExpressions.build_Arg("x"))
        }
        // The captured value's own key path is followed: only its end has to be a value.
        #expect(refusal(of: predicate) == nil)
        let conversion = Conversion(
            model: gallery.model, hooks: gallery.hooks,
            variable: PredicateExpressions.Variable<Photo>().key, entity: gallery.photo)
        let thrown = #expect(throws: QueryError.self) {
            try conversion.propertyValue(of: Opaque(), in: PredicateExpressions.Value(1))
        }
        #expect(thrown?.code == .typeMismatch)
        #expect(thrown?.message.contains("Opaque") ?? false)
        #expect(!(thrown?.description.contains("secret") ?? true))
    }

    @Test func `an error code works as a pattern`() {
        do {
            _ = try gallery.convert(#Predicate { $0.album?.key == 3 })
            Issue.record("nothing was thrown")
        } catch QueryError.Code.unknownKeyPath {
            // Expected.
        } catch {
            Issue.record(error)
        }
    }
}
