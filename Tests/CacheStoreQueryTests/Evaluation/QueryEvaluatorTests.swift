// SPDX-License-Identifier: MIT

import CacheStoreModel
import Foundation
import Testing

@testable import CacheStoreQuery

@Suite struct QueryEvaluatorTests {
    let object: PlainQueryObject

    init() throws {
        let photo = Photo()
        photo.title = "Sea"
        object = try PlainQueryObject(photo, in: Gallery())
    }

    private func isTrue(_ expression: QueryExpression) throws -> Bool {
        try QueryEvaluator(expression).matches(object)
    }

    private static let null = QueryExpression.constant(.null)
    private static func integer(_ value: Int64) -> QueryExpression { .constant(.integer(value)) }
    private static func text(_ value: String) -> QueryExpression { .constant(.string(value)) }

    @Test func `no value equals no value and nothing else`() throws {
        #expect(try isTrue(.comparison(.equal, Self.null, Self.null)))
        #expect(try !isTrue(.comparison(.notEqual, Self.null, Self.null)))
        #expect(try !isTrue(.comparison(.equal, Self.null, Self.integer(0))))
        #expect(try isTrue(.comparison(.notEqual, Self.integer(0), Self.null)))
    }

    @Test(arguments: [ComparisonOperator.less, .lessOrEqual, .greater, .greaterOrEqual])
    func `an order comparison with no value is false and its negation true`(
        _ comparison: ComparisonOperator
    ) throws {
        #expect(try !isTrue(.comparison(comparison, Self.null, Self.null)))
        #expect(try !isTrue(.comparison(comparison, Self.null, Self.integer(1))))
        #expect(try isTrue(.not(.comparison(comparison, Self.integer(1), Self.null))))
    }

    @Test func `a condition without value is false, also under not`() throws {
        let condition = QueryExpression.text(.contains, Self.null, Self.text("a"), [])
        #expect(try !isTrue(condition))
        #expect(try isTrue(.not(condition)))
        #expect(try !isTrue(.and([.true, condition])))
        #expect(try isTrue(.comparison(.equal, condition, Self.null)))
    }

    @Test func `not a number counts as no value`() throws {
        #expect(try isTrue(.comparison(.equal, .constant(.double(.nan)), Self.null)))
    }

    @Test func `integers and floating-point numbers compare by value`() throws {
        #expect(try isTrue(.comparison(.equal, Self.integer(2), .constant(.double(2)))))
        #expect(try isTrue(.comparison(.less, Self.integer(2), .constant(.double(2.5)))))
        #expect(try isTrue(.comparison(.greater, Self.integer(-2), .constant(.double(-2.5)))))
        // 2^53 + 1 has no floating-point equal; rounding would make the two the same.
        #expect(
            try isTrue(
                .comparison(.greater, Self.integer(1 << 53 + 1), .constant(.double(0x1p53)))))
        #expect(
            try isTrue(.comparison(.less, Self.integer(.max), .constant(.double(0x1p63)))))
        #expect(
            try isTrue(.comparison(.equal, Self.integer(.min), .constant(.double(-0x1p63)))))
    }

    @Test func `decimals compare as numbers`() throws {
        #expect(
            try isTrue(.comparison(.less, .constant(.decimal(9)), .constant(.decimal(10)))))
        #expect(try isTrue(.comparison(.equal, .constant(.decimal(9)), Self.integer(9))))
    }

    @Test func `text compares by its bytes`() throws {
        // The same letter composed and decomposed: equal for Swift, not for a store.
        #expect(try !isTrue(.comparison(.equal, Self.text("\u{E9}"), Self.text("e\u{301}"))))
        #expect(try isTrue(.comparison(.less, Self.text("Z"), Self.text("a"))))
        #expect(try isTrue(.comparison(.less, Self.text("a"), Self.text("aa"))))
        #expect(try isTrue(.comparison(.less, Self.text("\u{FFFD}"), Self.text("\u{10000}"))))
    }

    @Test func `folding looks past what its options name`() throws {
        func equal(_ first: String, _ second: String, _ options: TextOptions) throws -> Bool {
            try isTrue(.text(.equal, Self.text(first), Self.text(second), options))
        }
        #expect(try equal("SEA", "sea", .caseInsensitive))
        #expect(try !equal("SEÁ", "sea", .caseInsensitive))
        #expect(try equal("seá", "sea", .diacriticInsensitive))
        #expect(try !equal("Seá", "sea", .diacriticInsensitive))
        #expect(try equal("SEÁ", "sea", [.caseInsensitive, .diacriticInsensitive]))
        #expect(try !equal("SEA", "sea", []))
    }

    @Test func `arithmetic without result gives no value`() throws {
        func isNull(_ expression: QueryExpression) throws -> Bool {
            try isTrue(.comparison(.equal, expression, Self.null))
        }
        #expect(try isNull(.arithmetic(.add, Self.integer(.max), Self.integer(1))))
        #expect(try isNull(.arithmetic(.subtract, Self.integer(.min), Self.integer(1))))
        #expect(try isNull(.arithmetic(.multiply, Self.integer(.max), Self.integer(2))))
        #expect(try isNull(.arithmetic(.divide, Self.integer(1), Self.integer(0))))
        #expect(try isNull(.arithmetic(.divide, Self.integer(.min), Self.integer(-1))))
        #expect(try isNull(.arithmetic(.remainder, Self.integer(1), Self.integer(0))))
        #expect(try isNull(.arithmetic(.divide, .constant(.double(1)), .constant(.double(0)))))
        #expect(try isNull(.negative(Self.integer(.min))))
        #expect(try isNull(.arithmetic(.add, Self.null, Self.integer(1))))
        #expect(try isNull(.arithmetic(.add, Self.text("1"), Self.integer(1))))
        #expect(
            try isNull(.arithmetic(.divide, .constant(.decimal(1)), .constant(.decimal(0)))))
    }

    @Test func `division of integers truncates as Swift's`() throws {
        func equals(_ expression: QueryExpression, _ value: Int64) throws -> Bool {
            try isTrue(.comparison(.equal, expression, Self.integer(value)))
        }
        #expect(try equals(.arithmetic(.divide, Self.integer(-7), Self.integer(2)), -3))
        #expect(try equals(.arithmetic(.remainder, Self.integer(-7), Self.integer(2)), -1))
    }

    @Test func `length counts Unicode scalars`() throws {
        let length = QueryExpression.length(Self.text("e\u{301}🇩🇪"))
        #expect(try isTrue(.comparison(.equal, length, Self.integer(4))))
        #expect(try isTrue(.comparison(.equal, .length(Self.null), Self.null)))
    }

    @Test func `a relationship of a missing object is empty`() throws {
        let gallery = object.gallery
        let photos = try gallery.path("album.photos")
        #expect(try isTrue(.comparison(.equal, .count(photos), Self.integer(0))))
        #expect(try !isTrue(.exists(photos, scope: 1, .true)))
        #expect(try isTrue(.all(photos, scope: 1, .not(.true))))
    }

    @Test func `a malformed pattern is an error when the evaluator is made`() {
        #expect(throws: QueryError.self) {
            try QueryEvaluator(.not(.text(.matches, Self.text("a"), Self.text("("), [])))
        }
        #expect(throws: QueryError.self) {
            try QueryEvaluator(.text(.matches, Self.text("a"), Self.text("a)(b"), []))
        }
    }

    @Test func `a malformed pattern from a property matches nothing`() throws {
        #expect(
            try !isTrue(.text(.matches, Self.text("("), .coalesce(Self.null, Self.text("(")), [])))
    }
}
