// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import Foundation
import Testing

@testable import CacheStorePersistence

/// Saves of many rows, which one statement writes. The contract tests and the random comparison do
/// this as well, with a store that writes every row in this way.
@Suite struct SaveOperationRowsTests {
    /// More than are written at once, and no multiple of it.
    private static let count = 2 * PackedRows.capacity + 37

    private static func insertPeople(
        _ fixture: StoreFixture, count: Int = count
    ) throws -> [ManagedObjectID] {
        try fixture.save(
            inserted: try (0..<count).map {
                try fixture.insertion(
                    $0 % 3 == 0 ? "Employee" : "Person",
                    [
                        "name": .string("person \($0)"), "age": .integer(Int64($0)),
                        "email": .string("\($0)@example.org"), "height": .double(Double($0) / 4),
                    ])
            })
    }

    @Test(arguments: StoreKind.allCases)
    func `many rows of several entities have their values`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let ids = try Self.insertPeople(fixture)
        for (number, id) in ids.enumerated() {
            let row = try #require(try fixture.row(id))
            #expect(row.name == "person \(number)")
            #expect(row.entity == (number % 3 == 0 ? "Employee" : "Person"))
            #expect(row.version == 1)
            #expect(row.values["height"] == .double(Double(number) / 4))
            #expect(row.values["wealth"] == .null)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `values of every type and size are written whole`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        // From nothing to more than fits into the buffer of a statement.
        let sizes =
            [0, 1, 20_000, 64 * 1024, 64 * 1024 + 1, 300_000] + Array(repeating: 9, count: 20)
        let ids = try fixture.save(
            inserted: try sizes.enumerated().map { number, size in
                try fixture.insertion(
                    "Value",
                    [
                        "of_string": .string(String(repeating: "é\u{0}", count: size / 3)),
                        "of_binaryData": .data(Data(repeating: UInt8(number), count: size)),
                        "of_boolean": .boolean(number % 2 == 0),
                        "of_date": .date(Date(timeIntervalSince1970: Double(number) + 0.5)),
                        "of_decimal": .decimal(Decimal(number) / 8),
                        "of_uuid": .uuid(
                            UUID(
                                uuid: (
                                    UInt8(number), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255
                                ))),
                    ])
            })
        for (number, id) in ids.enumerated() {
            let values = try #require(try fixture.row(id)).values
            let size = sizes[number]
            #expect(values["of_string"] == .string(String(repeating: "é\u{0}", count: size / 3)))
            #expect(values["of_binaryData"] == .data(Data(repeating: UInt8(number), count: size)))
            #expect(values["of_boolean"] == .boolean(number % 2 == 0))
            #expect(values["of_decimal"] == .decimal(Decimal(number) / 8))
            #expect(values["of_integer64"] == .null)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `each of many rows that is not unique is told, and no other`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let existing = try fixture.insert(
            "Person", ["name": .string("there"), "email": .string("5")])
        // The first, the last, neighbours, and both sides of where a statement ends.
        let last = Self.count - 1
        let colliding = [0, 100, 101, PackedRows.capacity - 1, PackedRows.capacity, last]
        let insertions = try (0..<Self.count).map { number in
            try fixture.insertion(
                "Person",
                [
                    "name": .string("\(number)"),
                    "email": .string(colliding.contains(number) ? "5" : "unique \(number)"),
                ])
        }
        let conflicts = try fixture.conflicts { try fixture.save(inserted: insertions) }
        #expect(conflicts.map(\.id) == colliding.map { insertions[$0].id })
        for conflict in conflicts {
            guard case .notUnique(_, let row) = conflict.kind else {
                Issue.record("not a violated constraint")
                continue
            }
            #expect(row.key(ofRow: 0) == existing.key)
        }
        #expect(try fixture.store.count(matching: fixture.query("Person")) == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `the later of two insertions is refused, whatever their entities`(
        _ kind: StoreKind
    ) throws {
        let fixture = try StoreFixture(kind)
        let insertions = try (0..<60).map { number in
            try fixture.insertion(
                number % 20 < 10 ? "Employee" : "Person",
                ["name": .string("\(number)"), "email": .string("\(number % 30)")])
        }
        let conflicts = try fixture.conflicts { try fixture.save(inserted: insertions) }
        #expect(Set(conflicts.map(\.id)) == Set(insertions[30...].map(\.id)))
        for conflict in conflicts {
            guard case .notUniqueInSave(_, let other) = conflict.kind else {
                Issue.record("not a violated constraint")
                continue
            }
            #expect(insertions[..<30].contains { $0.id == other })
        }
    }

    /// Close together, far apart, and backwards.
    enum Choice: CaseIterable {
        case all, everyFifth, reversed

        func pick(_ ids: [ManagedObjectID]) -> [ManagedObjectID] {
            switch self {
            case .all: ids
            case .everyFifth: stride(from: 0, to: ids.count, by: 5).map { ids[$0] }
            case .reversed: ids.reversed()
            }
        }
    }

    @Test(arguments: StoreKind.allCases, Choice.allCases)
    func `many updates each get their own values and touch no other row`(
        _ kind: StoreKind, _ choice: Choice
    ) throws {
        let fixture = try StoreFixture(kind)
        let ids = try Self.insertPeople(fixture).filter { $0.entityName == "Person" }
        let chosen = choice.pick(ids)
        try fixture.save(
            updated: try chosen.map {
                try fixture.update(
                    $0,
                    [
                        "age": .integer($0.key * 3), "first": .string("of \($0.key)"),
                        "height": .null,
                    ]
                )
            })
        let updated = Set(chosen)
        for id in ids {
            let row = try #require(try fixture.row(id))
            #expect(row.version == (updated.contains(id) ? 2 : 1))
            #expect(
                row.values["first"] == (updated.contains(id) ? .string("of \(id.key)") : .null))
            #expect((row.values["height"] == .null) == updated.contains(id))
            if updated.contains(id) { #expect(row.values["age"] == .integer(id.key * 3)) }
        }
    }

    @Test(arguments: StoreKind.allCases, Choice.allCases)
    func `of many updates and deletions each conflict is told, and nothing is saved`(
        _ kind: StoreKind, _ choice: Choice
    ) throws {
        let fixture = try StoreFixture(kind)
        let ids = try Self.insertPeople(fixture).filter { $0.entityName == "Person" }
        let chosen = choice.pick(ids)
        let (changed, gone) = ([chosen[0], chosen[7], chosen[8]], [chosen[3], chosen[20]])
        try fixture.save(
            updated: try changed.map { try fixture.update($0, ["age": .integer(-1)]) },
            deleted: gone.map { ChangeSet.Deletion(id: $0, version: 1) })
        let fresh = chosen.filter { !changed.contains($0) && !gone.contains($0) }
        for isDeletion in [false, true] {
            let conflicts = try fixture.conflicts {
                if isDeletion {
                    try fixture.save(deleted: chosen.map { .init(id: $0, version: 1) })
                } else {
                    try fixture.save(
                        updated: try chosen.map { try fixture.update($0, ["age": .integer(-2)]) })
                }
            }
            #expect(Set(conflicts.map(\.id)) == Set(changed + gone))
            #expect(conflicts.count == 5)
            for id in fresh { #expect(try fixture.row(id)?.version == 1) }
        }
    }

    @Test(arguments: StoreKind.allCases, Choice.allCases)
    func `many deletions take their rows, and the members of join tables, and no others`(
        _ kind: StoreKind, _ choice: Choice
    ) throws {
        let fixture = try StoreFixture(kind)
        let tag = try fixture.insert("Tag", ["name": .string("tag")])
        let ids = try Self.insertPeople(fixture, count: 120)
        try fixture.save(toMany: [fixture.toMany(tag, "people", added: ids)])
        let chosen = choice.pick(ids)
        try fixture.save(deleted: chosen.map { ChangeSet.Deletion(id: $0, version: 1) })
        let rest = ids.filter { !chosen.contains($0) }
        for id in ids { #expect((try fixture.row(id) != nil) == rest.contains(id)) }
        #expect(try fixture.members("people", of: tag)[tag.key] ?? [] == rest.map(\.key))
    }

    @Test(arguments: StoreKind.allCases)
    func `two changes of one object in a save are done one after the other`(
        _ kind: StoreKind
    ) throws {
        let fixture = try StoreFixture(kind)
        let ids = try Self.insertPeople(fixture, count: 30).filter { $0.entityName == "Person" }
        var updates = try ids.map { try fixture.update($0, ["age": .integer(1)]) }
        var second = try fixture.update(ids[4], ["age": .integer(2)])
        second.version = 2
        updates.append(second)
        try fixture.save(updated: updates)
        #expect(try fixture.row(ids[4])?.version == 3)
        #expect(try fixture.row(ids[4])?.values["age"] == .integer(2))
        #expect(try fixture.row(ids[5])?.values["age"] == .integer(1))
    }

    @Test func `an entity with more properties than a row of memory has cells is saved`() throws {
        let names = (0..<150).map { "a\($0)" }
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Wide",
                attributes: names.map { AttributeDescription($0, .integer64, isOptional: true) })
        ])
        let fixture = try StoreFixture(.sqliteRows, model: model)
        let ids = try fixture.save(
            inserted: try (0..<20).map { number in
                try fixture.insertion("Wide", ["a0": .integer(Int64(number)), "a149": .integer(7)])
            })
        for (number, id) in ids.enumerated() {
            #expect(try fixture.row(id)?.values["a0"] == .integer(Int64(number)))
            #expect(try fixture.row(id)?.values["a149"] == .integer(7))
        }
    }
}
