// SPDX-License-Identifier: MIT

import CacheStoreGraph
import CacheStoreModel
import Foundation
import Testing

final class OrderedSetOwner: ManagedObject {
    @Relationship(.ordered) var items: Set<Stamped>
}

final class OrderedToOneOwner: ManagedObject {
    @Relationship(.ordered) var item: Stamped?
}

final class FirstRival: ManagedObject {
    @Relationship(inverse: \Rivalry.sides) var rivalry: Rivalry?
    @Relationship(inverse: \Rivalry.sides) var other: Rivalry?
}

final class Rivalry: ManagedObject {
    @Relationship var sides: Set<FirstRival>
}

final class Orphan: ManagedObject {
    @Relationship var parent: Stamped?
}

final class PackedKey: ManagedObject {
    @Attribute([.unique, .compressed]) var text: String
}

/// Declarations that make no sense: errors when a store is opened, never a trap.
@Suite struct BadDeclarationTests {
    private func openingError(_ classes: ManagedObject.Type...) throws -> ModelError {
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: ManagedObjectModel(classes: classes))
        return try #require(throws: ModelError.self) {
            try coordinator.addPersistentStore(.inMemory)
        }
    }

    @Test func `an ordered Set is refused`() throws {
        let error = try openingError(OrderedSetOwner.self, Stamped.self)
        #expect(error.code == .wrongType)
        #expect(error.entity == "OrderedSetOwner")
        #expect(error.property == "items")
    }

    @Test func `an ordered to-one relationship is refused`() throws {
        #expect(try openingError(OrderedToOneOwner.self, Stamped.self).code == .wrongType)
    }

    @Test func `two relationships with one inverse are refused`() throws {
        let error = try openingError(FirstRival.self, Rivalry.self)
        #expect(error.code == .contradictoryInverse)
        #expect(error.entity == "FirstRival")
    }

    @Test func `a destination that is not in the model is refused`() throws {
        #expect(try openingError(Orphan.self).code == .unknownEntity)
    }

    @Test func `a compressed attribute that should be unique is refused`() throws {
        #expect(try openingError(PackedKey.self).code == .unsupported)
    }

    @Test func `two coordinators of a bad model fail alike, and a context cannot be made`() throws {
        let model = ManagedObjectModel(Orphan.self)
        for _ in 0..<2 {
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            #expect(throws: ModelError.self) { try coordinator.addPersistentStore(.inMemory) }
            #expect(throws: ModelError.self) { try ManagedObjectContext(coordinator: coordinator) }
        }
    }

    @Test func `an abstract entity by its name is an error`() throws {
        let fixture = try GraphFixture(.memory, model: declarationModel)
        let context = try fixture.makeContext()
        let error = try #require(throws: ModelError.self) {
            try context.insert(entityNamed: "AbstractThing")
        }
        #expect(error.code == .unsupported)
        #expect(try context.insert(entityNamed: "ConcreteThing") is ConcreteThing)
    }

    @Test func `inserting a class that the model lacks is a programmer's error`() async {
        await #expect(processExitsWith: .failure) {
            let fixture = try GraphFixture(.memory, model: declarationModel)
            _ = try fixture.makeContext().insert(Orphan.self)
        }
    }

    @Test func `inserting an abstract class is a programmer's error`() async {
        await #expect(processExitsWith: .failure) {
            let fixture = try GraphFixture(.memory, model: declarationModel)
            _ = try fixture.makeContext().insert(AbstractThing.self)
        }
    }
}
