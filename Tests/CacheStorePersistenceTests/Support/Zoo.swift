// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStorePersistence

/// A store in a file with every storage of a relationship, to be damaged by SQL.
struct Zoo {
    let fixture: StoreFixture
    let store: SQLiteStore

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Animal",
                attributes: [
                    AttributeDescription("name", .string),
                    AttributeDescription(
                        "photo", .binaryData, isOptional: true, options: .externalStorage),
                ],
                relationships: [
                    RelationshipDescription("cage", toOne: "Cage", inverse: "animals"),
                    RelationshipDescription("friends", toMany: "Animal", inverse: "friends"),
                    RelationshipDescription(
                        "toys", toMany: "Toy", isOrdered: true, inverse: "owners"),
                    RelationshipDescription("keeper", toOne: "Keeper", inverse: "favourite"),
                    RelationshipDescription("mate", toOne: "Animal", inverse: "mate"),
                ]),
            EntityDescription(
                "Bird", superentity: "Animal",
                relationships: [RelationshipDescription("perch", toOne: "Cage")]),
            EntityDescription("Fish", superentity: "Animal"),
            EntityDescription(
                "Cage", attributes: [AttributeDescription("name", .string)],
                relationships: [
                    RelationshipDescription("animals", toMany: "Animal", isOrdered: true),
                    RelationshipDescription("star", toOne: "Bird"),
                ]),
            EntityDescription(
                "Keeper",
                attributes: [
                    AttributeDescription("name", .string),
                    AttributeDescription("scan", .binaryData, options: .externalStorage),
                ],
                relationships: [
                    RelationshipDescription("favourite", toOne: "Animal"),
                    RelationshipDescription("house", toOne: "Cage", isOptional: false),
                ]),
            EntityDescription(
                "Toy", attributes: [AttributeDescription("name", .string)],
                relationships: [
                    RelationshipDescription("owners", toMany: "Animal", isOrdered: true)
                ]),
        ])
    }

    init() throws {
        fixture = try StoreFixture(.sqlite, model: Self.model())
        store = try #require(fixture.store as? SQLiteStore)
    }

    func insert(
        _ entity: String, _ values: [String: PropertyValue] = [:]
    ) throws -> ManagedObjectID {
        try fixture.insert(
            entity, values.merging(["name": .string("anybody")]) { given, _ in given })
    }

    /// Does damage that no save would do.
    func damage(_ sql: String...) throws {
        try store.write { connection in
            for sql in sql { try connection.execute(sql: sql) }
        }
    }

    func scalar(_ sql: String) throws -> SQLBinding? {
        try store.read { try $0.prepare(sql: sql).first { $0.value(at: 0) } }
    }

    func key(_ name: String, of id: ManagedObjectID) throws -> Int64? {
        try fixture.row(id)?.references[name]?.key
    }

    var filesDirectory: URL { fixture.directory.url.appendingPathComponent("store.blobs") }

    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: filesDirectory.path)
    }

    /// Looks, repairs, and looks again: looking and repairing find the same, and what was repaired
    /// is not found again.
    func verify(
        remaining: [String] = [], sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> GraphVerification {
        let look = try store.verifyGraph(repairing: false)
        #expect(look.changes.isEmpty, sourceLocation: sourceLocation)
        #expect(look.report.findings.allSatisfy { $0.repairedCount == 0 })
        let result = try store.verifyGraph(repairing: true)
        #expect(
            Set(look.report.findings.map(\.short)) == Set(result.report.findings.map(\.short)),
            sourceLocation: sourceLocation)
        let again = try store.verifyGraph(repairing: true)
        #expect(again.report.findings.map(\.short) == remaining, sourceLocation: sourceLocation)
        #expect(again.report.unrepairedCount == again.report.findings.map(\.count).reduce(0, +))
        return result
    }
}

extension GraphReport.Finding {
    /// Kind, place and count.
    var short: String {
        let place = [entity, property].compactMap { $0 }.joined(separator: ".")
        return "\(kind.identifier) \(place) \(count)"
    }
}
