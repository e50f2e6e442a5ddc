// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import Testing

@testable import CacheStorePersistence

/// How every store keeps to-many relationships, whatever they are stored in.
@Suite struct StoreRelationshipTests {
    private func people(_ count: Int, in fixture: StoreFixture) throws -> [ManagedObjectID] {
        try fixture.save(
            inserted: (0..<count).map {
                try fixture.insertion(
                    $0 % 2 == 0 ? "Person" : "Employee", ["name": .string("\($0)")])
            })
    }

    private func tags(_ count: Int, in fixture: StoreFixture) throws -> [ManagedObjectID] {
        try fixture.save(
            inserted: (0..<count).map {
                try fixture.insertion("Tag", ["name": .string("\($0)")])
            })
    }

    @Test(arguments: StoreKind.allCases)
    func `an unordered one-to-many relationship is read from its inverse, by key`(
        _ kind: StoreKind
    ) throws {
        let fixture = try StoreFixture(kind)
        let boss = try fixture.insert("Employee", ["name": .string("Boss")])
        let other = try fixture.insert("Employee", ["name": .string("Other")])
        let reports = try fixture.save(
            inserted: (0..<4).map {
                try fixture.insertion(
                    "Employee",
                    ["name": .string("\($0)"), "boss": .object($0 == 2 ? other : boss)])
            })
        #expect(
            try fixture.members("reports", of: other, boss)
                == [
                    boss.key: [reports[0].key, reports[1].key, reports[3].key],
                    other.key: [reports[2].key],
                ])
        try fixture.save(updated: [fixture.update(reports[0], ["boss": .null])])
        #expect(
            try fixture.members("reports", of: boss)
                == [boss.key: [reports[1].key, reports[3].key]])
    }

    @Test(arguments: StoreKind.allCases)
    func `an ordered one-to-many relationship keeps its order`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let team = try fixture.insertion("Team", ["name": .string("T")])
        let members = try (0..<4).map {
            try fixture.insertion(
                "Person", ["name": .string("\($0)"), "team": .object(team.id)])
        }
        let order = [members[2].id, members[0].id, members[3].id, members[1].id]
        let ids = try fixture.save(
            inserted: [team] + members,
            toMany: [fixture.toMany(team.id, "members", added: order, order: order)])
        let keys = ids.dropFirst().map(\.key)
        #expect(
            try fixture.members("members", of: ids[0])
                == [ids[0].key: [keys[2], keys[0], keys[3], keys[1]]])

        let reversed = Array(ids.dropFirst().reversed())
        try fixture.save(toMany: [fixture.toMany(ids[0], "members", order: reversed)])
        #expect(try fixture.members("members", of: ids[0]) == [ids[0].key: reversed.map(\.key)])
        // The order is not a value of the members' own.
        #expect(try fixture.row(ids[1])?.version == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `added members of an ordered relationship without an order go to the end`(
        _ kind: StoreKind
    ) throws {
        let fixture = try StoreFixture(kind)
        let team = try fixture.insert("Team", ["name": .string("T")])
        let ids = try people(4, in: fixture)
        func join(_ ids: [ManagedObjectID]) throws {
            try fixture.save(
                updated: ids.map { try fixture.update($0, ["team": .object(team)]) },
                toMany: [fixture.toMany(team, "members", added: ids)])
        }
        try join([ids[3]])
        try join([ids[2], ids[0]])
        try join([ids[1]])
        #expect(
            try fixture.members("members", of: team)
                == [team.key: [ids[3].key, ids[2].key, ids[0].key, ids[1].key]])
    }

    @Test(arguments: StoreKind.allCases)
    func `a member that moves to another owner takes no place along`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let teams = try ["T", "U"].map { try fixture.insert("Team", ["name": .string($0)]) }
        let ids = try people(3, in: fixture)
        try fixture.save(
            updated: ids.map { try fixture.update($0, ["team": .object(teams[0])]) },
            toMany: [fixture.toMany(teams[0], "members", added: ids, order: ids)])
        let moved = [ids[0], ids[2]]
        try fixture.save(
            updated: moved.map { try fixture.update($0, version: 2, ["team": .object(teams[1])]) },
            toMany: [
                fixture.toMany(teams[1], "members", added: [ids[2], ids[0]]),
                fixture.toMany(teams[0], "members", removed: moved, order: [ids[1]]),
            ])
        #expect(
            try fixture.members("members", of: teams[0], teams[1])
                == [teams[0].key: [ids[1].key], teams[1].key: [ids[2].key, ids[0].key]])
    }

    @Test(arguments: StoreKind.allCases)
    func `a member that arrives without a place is behind those that have one`(
        _ kind: StoreKind
    ) throws {
        let fixture = try StoreFixture(kind)
        let teams = try ["T", "U"].map { try fixture.insert("Team", ["name": .string($0)]) }
        let ids = try people(3, in: fixture)
        try fixture.save(
            updated: zip(ids, [1, 0, 0]).map {
                try fixture.update($0, ["team": .object(teams[$1])])
            },
            toMany: [
                fixture.toMany(teams[0], "members", added: [ids[2], ids[1]]),
                fixture.toMany(teams[1], "members", added: [ids[0]]),
            ])
        try fixture.save(updated: [fixture.update(ids[0], version: 2, ["team": .object(teams[0])])])
        #expect(
            try fixture.members("members", of: teams[0], teams[1])
                == [teams[0].key: [ids[2].key, ids[1].key, ids[0].key]])
    }

    @Test(arguments: StoreKind.allCases)
    func `a many-to-many relationship has an order at each end`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let people = try people(2, in: fixture)
        let tags = try tags(3, in: fixture)
        // Both ends say that they have each other, as a context that keeps inverses right does.
        try fixture.save(toMany: [
            fixture.toMany(
                people[0], "tags", added: [tags[2], tags[0]], order: [tags[2], tags[0]]),
            fixture.toMany(people[1], "tags", added: [tags[0]], order: [tags[0]]),
            fixture.toMany(
                tags[0], "people", added: [people[1], people[0]], order: [people[1], people[0]]),
            fixture.toMany(tags[2], "people", added: [people[0]], order: [people[0]]),
        ])
        #expect(
            try fixture.members("tags", of: people[0], people[1])
                == [people[0].key: [tags[2].key, tags[0].key], people[1].key: [tags[0].key]])
        #expect(
            try fixture.members("people", of: tags[0], tags[1], tags[2])
                == [
                    tags[0].key: [people[1].key, people[0].key], tags[2].key: [people[0].key],
                ])
        try fixture.save(toMany: [fixture.toMany(tags[0], "people", removed: [people[0]])])
        #expect(try fixture.members("tags", of: people[0]) == [people[0].key: [tags[2].key]])
        #expect(try fixture.members("people", of: tags[0]) == [tags[0].key: [people[1].key]])
        try fixture.save(toMany: [fixture.toMany(people[0], "tags", added: [tags[1], tags[0]])])
        #expect(
            try fixture.members("tags", of: people[0])
                == [people[0].key: [tags[2].key, tags[1].key, tags[0].key]])
    }

    @Test(arguments: StoreKind.allCases)
    func `a symmetric relationship is the same seen from both sides`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let ids = try people(3, in: fixture)
        try fixture.save(toMany: [
            fixture.toMany(ids[0], "friends", added: [ids[1], ids[2], ids[0]])
        ])
        #expect(
            try fixture.members("friends", of: ids[0], ids[1], ids[2])
                == [
                    ids[0].key: ids.map(\.key), ids[1].key: [ids[0].key],
                    ids[2].key: [ids[0].key],
                ])
        try fixture.save(toMany: [
            fixture.toMany(ids[1], "friends", removed: [ids[0]])
        ])
        #expect(
            try fixture.members("friends", of: ids[0], ids[1])
                == [ids[0].key: [ids[0].key, ids[2].key]])
    }

    @Test(arguments: StoreKind.allCases)
    func `a relationship without an inverse has members of its own`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let people = try people(2, in: fixture)
        let tags = try tags(2, in: fixture)
        try fixture.save(toMany: [
            fixture.toMany(people[0], "likes", added: tags),
            fixture.toMany(people[1], "likes", added: [tags[1]]),
        ])
        #expect(
            try fixture.members("likes", of: people[0], people[1])
                == [people[0].key: tags.map(\.key), people[1].key: [tags[1].key]])
        #expect(try fixture.members("tags", of: people[0]).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `a deleted object is no member any more`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let people = try people(2, in: fixture)
        let tags = try tags(2, in: fixture)
        try fixture.save(toMany: [
            fixture.toMany(people[0], "tags", added: tags),
            fixture.toMany(people[0], "likes", added: tags),
            fixture.toMany(people[0], "friends", added: [people[1]]),
        ])
        try fixture.save(deleted: [
            ChangeSet.Deletion(id: tags[0], version: 1),
            ChangeSet.Deletion(id: people[1], version: 1),
        ])
        #expect(try fixture.members("tags", of: people[0]) == [people[0].key: [tags[1].key]])
        #expect(try fixture.members("likes", of: people[0]) == [people[0].key: [tags[1].key]])
        #expect(try fixture.members("friends", of: people[0]).isEmpty)
        let count = QueryExpression.count(try fixture.path("friends"))
        #expect(
            try fixture.names(
                "Person", .comparison(.equal, count, .constant(.integer(0)))) == ["0"])
    }

    @Test(arguments: StoreKind.allCases)
    func `a change of members alone leaves the version as it is`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let person = try people(1, in: fixture)[0]
        let tags = try tags(1, in: fixture)
        let update = ChangeSet.Update(
            id: person, version: 1,
            changed: PropertySet([try fixture.index("tags", of: person)]),
            values: try fixture.update(person, [:]).values)
        try fixture.save(updated: [update], toMany: [fixture.toMany(person, "tags", added: tags)])
        #expect(try fixture.row(person)?.version == 1)
        try fixture.save(updated: [fixture.update(person, ["name": .string("x")])])
        let conflicts = try fixture.conflicts { try fixture.save(updated: [update]) }
        #expect(conflicts.map(\.id) == [person])
    }

    @Test(arguments: StoreKind.allCases)
    func `members carry their owner behind their own cells`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let team = try fixture.insert("Team", ["name": .string("T")])
        let person = try fixture.insert(
            "Employee", ["name": .string("Ada"), "team": .object(team), "salary": .integer(3)])
        let entity = try fixture.entity("Team")
        let batches = try fixture.store.members(
            of: entity.requiredProperty(named: "members"), in: entity, owners: [team.key])
        let batch = try #require(batches.first)
        let layout = try fixture.entity("Employee").layout
        #expect(batch.cellCount == layout.cellCount + 1)
        #expect(batch.integer(row: 0, column: batch.cellCount - 1) == team.key)
        let row = FetchedRow.decode(batch, row: 0, in: fixture.model)
        #expect(row == (try fixture.row(person)))
        #expect(row.entity == "Employee" && row.values["salary"] == .integer(3))
    }
}
