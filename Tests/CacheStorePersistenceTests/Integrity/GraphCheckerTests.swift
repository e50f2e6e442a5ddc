// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStorePersistence

/// Each kind of damage, done by SQL to a store in a file.
@Suite struct GraphCheckerTests {
    private let zoo: Zoo

    init() throws { zoo = try Zoo() }

    private func expect(
        _ verification: GraphVerification, _ findings: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            verification.report.findings.map(\.short) == findings, sourceLocation: sourceLocation)
    }

    // MARK: To-one

    @Test func `a reference to a row that does not exist is emptied`() throws {
        let cage = try zoo.insert("Cage")
        let animal = try zoo.insert("Animal", ["cage": .object(cage)])
        try zoo.damage("UPDATE Animal SET cage = 77, cage_position = 3")
        let result = try zoo.verify()
        expect(result, "danglingReference Animal.cage 1")
        #expect(result.report.unrepairedCount == 0)
        #expect(try zoo.key("cage", of: animal) == nil)
        #expect(try zoo.scalar("SELECT cage_position FROM Animal") == .null)
    }

    @Test func `a repaired row has a new version and is told`() throws {
        let animal = try zoo.insert("Animal")
        try zoo.damage("UPDATE Animal SET cage = 77")
        let changes = try zoo.verify().changes
        #expect(try zoo.fixture.row(animal)?.version == 2)
        #expect(changes.updated.map(\.id) == [animal])
        #expect(changes.updated.first?.version == 1)
        #expect(
            changes.updated.first?.changed
                == PropertySet([try zoo.fixture.index("cage", of: animal)]))
    }

    @Test func `a reference that cannot be a key is emptied`() throws {
        let animal = try zoo.insert("Animal")
        try zoo.damage("UPDATE Animal SET cage = 'nowhere'")
        expect(try zoo.verify(), "danglingReference Animal.cage 1")
        #expect(try zoo.key("cage", of: animal) == nil)
    }

    @Test func `a required reference to nothing is reported and left`() throws {
        let cage = try zoo.insert("Cage")
        let keeper = try zoo.insert(
            "Keeper", ["house": .object(cage), "scan": .data(Data([1]))])
        try zoo.damage("UPDATE Keeper SET house = 99")
        let result = try zoo.verify(remaining: ["danglingReference Keeper.house 1"])
        expect(result, "danglingReference Keeper.house 1")
        #expect(result.report.unrepairedCount == 1)
        #expect(result.changes.isEmpty)
        #expect(try zoo.key("house", of: keeper) == 99)
    }

    @Test func `a reference to a row of an entity that it cannot lead to is emptied`() throws {
        let fish = try zoo.insert("Fish")
        let cage = try zoo.insert("Cage")
        try zoo.damage("UPDATE Cage SET star = \(fish.key)")
        expect(try zoo.verify(), "danglingReference Cage.star 1")
        #expect(try zoo.key("star", of: cage) == nil)
    }

    @Test func `a reference with the wrong entity beside it is corrected`() throws {
        let bird = try zoo.insert("Bird")
        let keeper = try zoo.insert(
            "Keeper", ["favourite": .object(bird), "scan": .data(Data([1]))])
        try zoo.damage(
            "UPDATE Animal SET keeper = \(keeper.key)",
            "UPDATE Keeper SET favourite_entity = (SELECT number FROM cachestore_entities "
                + "WHERE name = 'Fish')")
        // The required house is not set by this test.
        expect(try zoo.verify(), "wrongReferenceEntity Keeper.favourite 1")
        #expect(
            try zoo.fixture.row(keeper)?.references["favourite"]
                == FetchedRow.Reference(entity: "Bird", key: bird.key))
    }

    @Test func `a reference in a row whose entity has no such relationship is emptied`() throws {
        let cage = try zoo.insert("Cage")
        _ = try zoo.insert("Fish")
        try zoo.damage("UPDATE Animal SET perch = \(cage.key)")
        expect(try zoo.verify(), "strayReference Bird.perch 1")
        #expect(try zoo.scalar("SELECT perch FROM Animal") == .null)
    }

    // MARK: Pairs

    @Test func `a pair without one of its ends is removed`() throws {
        let animal = try zoo.insert("Animal")
        let toy = try zoo.insert("Toy")
        try zoo.fixture.save(toMany: [zoo.fixture.toMany(animal, "toys", added: [toy])])
        try zoo.damage("DELETE FROM Toy")
        let result = try zoo.verify()
        expect(result, "danglingPair Animal.toys 1")
        #expect(try zoo.scalar("SELECT count(*) FROM Animal_toys") == .integer(0))
        #expect(result.changes.toMany.map(\.owner) == [animal])
    }

    @Test func `a save leaves no pair with an object that another has deleted`() throws {
        let animal = try zoo.insert("Animal")
        let other = try zoo.insert("Bird")
        let toys = try (0..<2).map { _ in try zoo.insert("Toy") }
        try zoo.fixture.save(deleted: [
            ChangeSet.Deletion(id: toys[0], version: 1), ChangeSet.Deletion(id: other, version: 1),
        ])
        try zoo.fixture.save(toMany: [
            zoo.fixture.toMany(animal, "toys", added: toys),
            zoo.fixture.toMany(animal, "friends", added: [other]),
        ])
        #expect(try zoo.scalar("SELECT count(*) FROM Animal_toys") == .integer(1))
        #expect(try zoo.scalar("SELECT count(*) FROM Animal_friends") == .integer(0))
        #expect(try zoo.verify().report.isHealthy)
    }

    @Test func `a pair with the wrong entity is corrected`() throws {
        let bird = try zoo.insert("Bird")
        let toy = try zoo.insert("Toy")
        try zoo.fixture.save(toMany: [zoo.fixture.toMany(bird, "toys", added: [toy])])
        try zoo.damage("UPDATE Animal_toys SET animal_entity = 1234")
        expect(try zoo.verify(), "wrongPairEntity Animal.toys 1")
        #expect(
            try zoo.scalar(
                "SELECT name FROM cachestore_entities, Animal_toys WHERE number = animal_entity")
                == .text("Bird"))
    }

    @Test func `a symmetric relationship that one end has lost is completed`() throws {
        let one = try zoo.insert("Animal")
        let two = try zoo.insert("Bird")
        try zoo.fixture.save(toMany: [zoo.fixture.toMany(one, "friends", added: [two])])
        try zoo.damage("DELETE FROM Animal_friends WHERE animal_id = \(two.key)")
        let result = try zoo.verify()
        expect(result, "oneSidedPair Animal.friends 1")
        #expect(try zoo.fixture.members("friends", of: two) == [two.key: [one.key]])
        #expect(result.changes.toMany.map(\.added) == [[one]])
    }

    // MARK: One-to-one

    @Test func `a one-to-one that the other end has lost is completed`() throws {
        let keeper = try zoo.insert("Keeper", ["scan": .data(Data([1]))])
        let animal = try zoo.insert("Bird", ["keeper": .object(keeper)])
        let result = try zoo.verify()
        expect(result, "oneSidedReference Animal.keeper 1")
        #expect(
            try zoo.fixture.row(keeper)?.references["favourite"]
                == FetchedRow.Reference(entity: "Bird", key: animal.key))
        #expect(result.changes.updated.map(\.id) == [keeper])
    }

    @Test func `a one-to-one whose other end belongs to another is emptied`() throws {
        let keeper = try zoo.insert("Keeper", ["scan": .data(Data([1]))])
        let first = try zoo.insert("Animal", ["keeper": .object(keeper)])
        let second = try zoo.insert("Animal", ["keeper": .object(keeper)])
        try zoo.damage(
            "UPDATE Keeper SET favourite = \(second.key), "
                + "favourite_entity = (SELECT _entity FROM Animal WHERE _id = \(second.key))")
        expect(try zoo.verify(), "oneSidedReference Animal.keeper 1")
        #expect(try zoo.key("keeper", of: first) == nil)
        #expect(try zoo.key("keeper", of: second) == keeper.key)
        #expect(try zoo.key("favourite", of: keeper) == second.key)
    }

    @Test func `of two that claim the same end the first gets it`() throws {
        let keeper = try zoo.insert("Keeper", ["scan": .data(Data([1]))])
        let first = try zoo.insert("Animal", ["keeper": .object(keeper)])
        let second = try zoo.insert("Animal", ["keeper": .object(keeper)])
        expect(try zoo.verify(), "oneSidedReference Animal.keeper 2")
        #expect(try zoo.key("keeper", of: first) == keeper.key)
        #expect(try zoo.key("keeper", of: second) == nil)
        #expect(try zoo.key("favourite", of: keeper) == first.key)
    }

    @Test func `a one-to-one that is its own inverse is completed`() throws {
        let one = try zoo.insert("Animal")
        let two = try zoo.insert("Animal", ["mate": .object(one)])
        expect(try zoo.verify(), "oneSidedReference Animal.mate 1")
        #expect(try zoo.key("mate", of: one) == two.key)
    }

    @Test func `a ring of one-to-ones ends as pairs`() throws {
        let all = try (0..<4).map { _ in try zoo.insert("Animal") }
        for (index, animal) in all.enumerated() {
            try zoo.damage(
                "UPDATE Animal SET mate = \(all[(index + 1) % 4].key), mate_entity = _entity "
                    + "WHERE _id = \(animal.key)")
        }
        _ = try zoo.verify()
        for animal in all {
            guard let mate = try zoo.key("mate", of: animal) else { continue }
            let back = try #require(all.first { $0.key == mate })
            #expect(try zoo.key("mate", of: back) == animal.key)
        }
    }

    // MARK: Order

    @Test func `members that share a place are numbered anew in the order they were read`() throws {
        let cage = try zoo.insert("Cage")
        let animals = try (0..<4).map { _ in try zoo.insert("Animal") }
        try zoo.fixture.save(
            updated: animals.map { try zoo.fixture.update($0, ["cage": .object(cage)]) },
            toMany: [zoo.fixture.toMany(cage, "animals", added: animals, order: animals)])
        try zoo.damage(
            "UPDATE Animal SET cage_position = 2 WHERE _id = \(animals[3].key)",
            "UPDATE Animal SET cage_position = NULL WHERE _id = \(animals[0].key)")
        let before = try zoo.fixture.members("animals", of: cage)
        let result = try zoo.verify()
        expect(result, "unclearOrder Cage.animals 1")
        #expect(result.changes.isEmpty)
        #expect(try zoo.fixture.members("animals", of: cage) == before)
        #expect(
            try zoo.scalar(
                "SELECT group_concat(p) FROM (SELECT cage_position AS p FROM Animal "
                    + "ORDER BY p)") == .text("0,1,2,3"))
    }

    @Test func `a place that two members have is enough`() throws {
        let animal = try zoo.insert("Animal")
        let toys = try (0..<3).map { _ in try zoo.insert("Toy") }
        try zoo.fixture.save(toMany: [zoo.fixture.toMany(animal, "toys", added: toys, order: toys)])
        try zoo.damage("UPDATE Animal_toys SET toys_position = 1 WHERE toys_position = 2")
        expect(try zoo.verify(), "unclearOrder Animal.toys 1")
    }

    @Test func `places in both directions of pairs are numbered anew`() throws {
        let animals = try (0..<2).map { _ in try zoo.insert("Animal") }
        let toys = try (0..<3).map { _ in try zoo.insert("Toy") }
        try zoo.fixture.save(
            toMany: animals.map { try zoo.fixture.toMany($0, "toys", added: toys, order: toys) }
                + toys.map { try zoo.fixture.toMany($0, "owners", order: animals) })
        #expect(try zoo.store.verifyGraph(repairing: false).report.isHealthy)
        try zoo.damage("UPDATE Animal_toys SET toys_position = 'x', owners_position = -1")
        let result = try zoo.verify()
        expect(result, "unclearOrder Animal.toys 2", "unclearOrder Toy.owners 3")
        #expect(
            try zoo.scalar(
                "SELECT group_concat(p) FROM (SELECT toys_position AS p FROM Animal_toys "
                    + "WHERE animal_id = \(animals[1].key) ORDER BY p)") == .text("0,1,2"))
    }

    @Test func `gaps between places are no fault`() throws {
        let animal = try zoo.insert("Animal")
        let toys = try (0..<3).map { _ in try zoo.insert("Toy") }
        try zoo.fixture.save(toMany: [
            zoo.fixture.toMany(animal, "toys", added: toys, order: toys),
            zoo.fixture.toMany(toys[0], "owners", added: [], order: [animal]),
            zoo.fixture.toMany(toys[1], "owners", added: [], order: [animal]),
            zoo.fixture.toMany(toys[2], "owners", added: [], order: [animal]),
        ])
        try zoo.damage("DELETE FROM Animal_toys WHERE toys_position = 1")
        #expect(try zoo.verify().report.isHealthy)
    }

    // MARK: Rows

    @Test func `a row of an unknown entity is removed, and what leads to it`() throws {
        let animal = try zoo.insert("Animal")
        let bird = try zoo.insert("Bird")
        let cage = try zoo.insert("Cage", ["star": .object(bird)])
        try zoo.fixture.save(toMany: [zoo.fixture.toMany(animal, "friends", added: [bird])])
        try zoo.damage("UPDATE Animal SET _entity = 4321 WHERE _id = \(bird.key)")
        let result = try zoo.verify()
        expect(
            result, "unknownEntity Animal 1", "danglingReference Cage.star 1",
            "danglingPair Animal.friends 2")
        #expect(result.changes.deleted.map(\.id) == [bird])
        #expect(try zoo.scalar("SELECT count(*) FROM Animal") == .integer(1))
        #expect(try zoo.key("star", of: cage) == nil)
    }

    @Test func `a row of an entity of another table is removed`() throws {
        _ = try zoo.insert("Animal")
        try zoo.damage(
            "UPDATE Animal SET _entity = "
                + "(SELECT number FROM cachestore_entities WHERE name = 'Cage')")
        expect(try zoo.verify(), "unknownEntity Animal 1")
    }

    @Test func `a row with an impossible key is removed`() throws {
        _ = try zoo.insert("Toy")
        try zoo.damage("UPDATE Toy SET _id = -5")
        expect(try zoo.verify(), "impossibleRow Toy 1")
        #expect(try zoo.scalar("SELECT count(*) FROM Toy") == .integer(0))
    }

    @Test func `an impossible version becomes the first`() throws {
        let toy = try zoo.insert("Toy")
        try zoo.damage("UPDATE Toy SET _version = 'old'")
        expect(try zoo.verify(), "impossibleRow Toy 1")
        #expect(try zoo.fixture.row(toy)?.version == 1)
    }

    @Test func `a last key below an existing one is raised`() throws {
        let toys = try (0..<3).map { _ in try zoo.insert("Toy") }
        try zoo.damage("UPDATE cachestore_entities SET last_key = 1 WHERE name = 'Toy'")
        expect(try zoo.verify(), "lowKeyCount Toy 1")
        let new = try zoo.insert("Toy")
        #expect(new.key > (toys.map(\.key).max() ?? 0))
    }

    @Test func `rows are counted by entity`() throws {
        _ = try zoo.insert("Bird")
        _ = try zoo.insert("Bird")
        _ = try zoo.insert("Fish")
        _ = try zoo.insert("Toy")
        #expect(
            try zoo.store.verifyGraph(repairing: false).report.objectCounts
                == ["Bird": 2, "Fish": 1, "Toy": 1])
    }
}
