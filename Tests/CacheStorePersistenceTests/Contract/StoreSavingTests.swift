// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import Testing

@testable import CacheStorePersistence

/// What every store does with conflicting changes.
@Suite struct StoreSavingTests {
    @Test(arguments: StoreKind.allCases)
    func `an update of a row that another has changed is a conflict`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let id = try fixture.insert("Person", ["name": .string("Ada")])
        try fixture.save(updated: [fixture.update(id, ["name": .string("Bea")])])
        let conflicts = try fixture.conflicts {
            try fixture.save(
                inserted: [fixture.insertion("Tag", ["name": .string("a")])],
                updated: [fixture.update(id, ["name": .string("Cid")])])
        }
        #expect(conflicts.map(\.id) == [id])
        guard case .changed(let current)? = conflicts.first?.kind else {
            Issue.record("not a changed row")
            return
        }
        #expect(FetchedRow.decode([current], in: fixture.model) == [try fixture.row(id)])
        #expect(try fixture.row(id)?.name == "Bea")
        // Nothing else of the save was done either.
        #expect(try fixture.store.count(matching: fixture.query("Tag")) == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `deletions and updates of rows that are gone are conflicts`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let first = try fixture.insert("Person", ["name": .string("Ada")])
        let second = try fixture.insert("Person", ["name": .string("Bea")])
        let deletions = [first, second].map { ChangeSet.Deletion(id: $0, version: 1) }
        try fixture.save(deleted: deletions)
        #expect(try fixture.row(first) == nil)
        let conflicts = try fixture.conflicts {
            try fixture.save(
                updated: [fixture.update(first, ["name": .string("Cid")])],
                deleted: [ChangeSet.Deletion(id: second, version: 1)])
        }
        #expect(Set(conflicts.map(\.id)) == [first, second])
        for conflict in conflicts {
            guard case .deleted = conflict.kind else {
                Issue.record("not a deleted row")
                continue
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a deletion of a row that another has changed is a conflict`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let id = try fixture.insert("Person", ["name": .string("Ada")])
        try fixture.save(updated: [fixture.update(id, ["name": .string("Bea")])])
        let conflicts = try fixture.conflicts {
            try fixture.save(deleted: [ChangeSet.Deletion(id: id, version: 1)])
        }
        #expect(conflicts.map(\.id) == [id])
        #expect(try fixture.row(id) != nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `a unique value that another row has is a conflict with that row`(
        _ kind: StoreKind
    ) throws {
        let fixture = try StoreFixture(kind)
        let first = try fixture.insert(
            "Person", ["name": .string("Ada"), "email": .string("a@example.org")])
        let second = try fixture.insert("Person", ["name": .string("Bea")])
        for isInsertion in [true, false] {
            let values: [String: PropertyValue] = [
                "name": .string("Cid"), "email": .string("a@example.org"),
            ]
            let insertion = try fixture.insertion("Employee", values)
            let conflicts = try fixture.conflicts {
                if isInsertion {
                    try fixture.save(inserted: [insertion])
                } else {
                    try fixture.save(updated: [fixture.update(second, values)])
                }
            }
            #expect(conflicts.map(\.id) == [isInsertion ? insertion.id : second])
            guard case .notUnique(let properties, let existing)? = conflicts.first?.kind else {
                Issue.record("not a violated constraint")
                continue
            }
            #expect(properties == ["email"])
            #expect(existing.count == 1 && existing.key(ofRow: 0) == first.key)
        }
        #expect(try fixture.row(second)?.name == "Bea")
        #expect(try fixture.store.count(matching: fixture.query("Person")) == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `two objects of one save with the same unique value are a conflict`(
        _ kind: StoreKind
    ) throws {
        let fixture = try StoreFixture(kind)
        let insertions = try (0..<2).map { _ in
            try fixture.insertion(
                "Person", ["name": .string("Ada"), "email": .string("a@example.org")])
        }
        let conflicts = try fixture.conflicts { try fixture.save(inserted: insertions) }
        #expect(conflicts.map(\.id) == [insertions[1].id])
        guard case .notUniqueInSave(let properties, let other)? = conflicts.first?.kind else {
            Issue.record("not a violated constraint")
            return
        }
        #expect(properties == ["email"])
        #expect(other == insertions[0].id)
        #expect(try fixture.store.count(matching: fixture.query("Person")) == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `missing values never collide`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        try fixture.save(
            inserted: (0..<2).map { _ in
                try fixture.insertion(
                    "Person", ["name": .string("Ada"), "first": .string("Ada")])
            })
        #expect(try fixture.store.count(matching: fixture.query("Person")) == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `a compound constraint is about all its values together`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        func values(_ first: String, _ last: Int64) -> [String: PropertyValue] {
            ["name": .string("Ada"), "first": .string(first), "last": .integer(last)]
        }
        _ = try fixture.insert("Person", values("a", 1))
        let second = try fixture.insert("Person", values("a", 2))
        _ = try fixture.insert("Person", values("b", 1))
        let conflicts = try fixture.conflicts {
            try fixture.save(updated: [fixture.update(second, ["last": .integer(1)])])
        }
        #expect(conflicts.map(\.id) == [second])
    }

    @Test(arguments: StoreKind.allCases)
    func `unique text differs by its bytes`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        for email in ["\u{E9}", "e\u{301}", "É"] {
            _ = try fixture.insert(
                "Person", ["name": .string("Ada"), "email": .string(email)])
        }
        #expect(try fixture.store.count(matching: fixture.query("Person")) == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func `two rows can swap their unique values in one save`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let ids = try ["a", "b", "c"].map {
            try fixture.insert("Person", ["name": .string($0), "email": .string($0)])
        }
        try fixture.save(
            updated: zip(ids, ["b", "c", "a"]).map {
                try fixture.update($0, ["email": .string($1)])
            })
        let emails = try ids.map { try fixture.row($0)?.values["email"] }
        #expect(emails == [.string("b"), .string("c"), .string("a")])
        #expect(try ids.map { try fixture.row($0)?.version } == [2, 2, 2])
    }

    @Test(arguments: StoreKind.allCases)
    func `a value that a save frees can be taken in the same save`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let first = try fixture.insert("Person", ["name": .string("1"), "email": .string("a")])
        let second = try fixture.insert("Person", ["name": .string("2"), "email": .string("b")])
        try fixture.save(
            inserted: [
                fixture.insertion("Person", ["name": .string("3"), "email": .string("a")]),
                fixture.insertion("Person", ["name": .string("4"), "email": .string("b")]),
            ],
            updated: [fixture.update(second, ["email": .null])],
            deleted: [ChangeSet.Deletion(id: first, version: 1)])
        #expect(try fixture.store.count(matching: fixture.query("Person")) == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func `keys are never used twice`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let first = try fixture.insert("Tag", ["name": .string("a")])
        try fixture.save(deleted: [ChangeSet.Deletion(id: first, version: 1)])
        let second = try fixture.insert("Tag", ["name": .string("b")])
        let reserved = try fixture.store.reserveKeys(for: fixture.entity("Tag"), count: 3)
        let third = try fixture.insert("Tag", ["name": .string("c")])
        let keys = [first.key, second.key] + Array(reserved) + [third.key]
        #expect(Set(keys).count == 6)
        #expect(keys.allSatisfy { $0 > 0 })
    }

    @Test(arguments: StoreKind.allCases)
    func `a reserved key can be used for an insertion`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let entity = try fixture.entity("Employee")
        let keys = try fixture.store.reserveKeys(for: entity, count: 2)
        let id = ManagedObjectID(
            space: fixture.store.space, entityIndex: entity.index, key: keys.lowerBound)
        try fixture.save(
            inserted: [fixture.insertion("Employee", ["name": .string("Ada")], id: id)])
        #expect(try fixture.row(id)?.name == "Ada")
        let other = try fixture.insert("Person", ["name": .string("Bea")])
        #expect(!keys.contains(other.key))
    }

    @Test(arguments: StoreKind.allCases)
    func `references between objects of one save become their permanent keys`(
        _ kind: StoreKind
    ) throws {
        let fixture = try StoreFixture(kind)
        let team = try fixture.insertion("Team", ["name": .string("T")])
        let person = try fixture.insertion(
            "Employee", ["name": .string("Ada"), "team": .object(team.id)])
        let old = try fixture.insert("Team", ["name": .string("Old")])
        let ids = try fixture.save(
            inserted: [person, team], updated: [fixture.update(old, ["lead": .object(person.id)])])
        #expect(
            try fixture.row(ids[0])?.references
                == ["team": FetchedRow.Reference(entity: "Team", key: ids[1].key)])
        #expect(
            try fixture.row(old)?.references
                == ["lead": FetchedRow.Reference(entity: "Employee", key: ids[0].key)])
    }
}
