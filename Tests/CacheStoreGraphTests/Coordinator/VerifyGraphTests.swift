// SPDX-License-Identifier: MIT

@testable import CacheStoreGraph
import CacheStoreHealing
import CacheStoreModel
@testable import CacheStorePersistence
import CacheStoreSQLite
import Foundation
import Synchronization
import Testing

/// What contexts see of repairs.
@Suite struct VerifyGraphTests {
    private let fixture: GraphFixture
    private let context: ManagedObjectContext

    init() throws {
        fixture = try GraphFixture(.sqlite)
        context = try fixture.makeContext()
        context.automaticallyMergesChangesFromParent = true
    }

    private func damage(_ sql: String...) throws {
        let store = try #require(try fixture.coordinator.store() as? SQLiteStore)
        try store.write { connection in
            for sql in sql { try connection.execute(sql: sql) }
        }
    }

    @Test func `an object whose reference is emptied shows it`() throws {
        let album = context.insert(Album.self)
        album.title = "Dunes"
        let photo = context.insert(Photo.self)
        photo.album = album
        try context.save()
        try damage("DELETE FROM Album")
        let report = try fixture.coordinator.verifyGraph()
        #expect(report.findings.map(\.kind) == [.danglingReference])
        context.processPendingChanges()
        #expect(photo.album == nil)
        #expect(!photo.hasChanges)
        photo.title = "saved after the repair"
        try context.save()
    }

    @Test func `an owner of pairs loses the members that are gone`() throws {
        let photo = context.insert(Photo.self)
        let tags = (0..<3).map { number in
            let tag = context.insert(Tag.self)
            tag.name = "\(number)"
            return tag
        }
        photo.tags = tags
        try context.save()
        try damage("DELETE FROM Tag WHERE name = '1'")
        try fixture.coordinator.verifyGraph()
        context.processPendingChanges()
        #expect(photo.tags.map(\.name) == ["0", "2"])
    }

    @Test func `an object whose row is removed is deleted`() throws {
        let person = context.insert(Employee.self)
        person.name = "Ada"
        try context.save()
        try damage("UPDATE Person SET _entity = 999")
        try fixture.coordinator.verifyGraph()
        context.processPendingChanges()
        #expect(person.isDeleted)
        #expect(try context.fetch(FetchRequest<Person>()).isEmpty)
    }

    @Test func `unsaved changes of a repaired object stay, and can be saved`() throws {
        let album = context.insert(Album.self)
        album.title = "Dunes"
        let photo = context.insert(Photo.self)
        photo.album = album
        try context.save()
        photo.title = "mine"
        try damage("DELETE FROM Album")
        try fixture.coordinator.verifyGraph()
        try context.save()
        #expect(photo.title == "mine")
        #expect(photo.album == nil)
    }

    @Test func `a context that does not merge meets a repair as a conflict`() throws {
        context.automaticallyMergesChangesFromParent = false
        let album = context.insert(Album.self)
        album.title = "Dunes"
        let photo = context.insert(Photo.self)
        photo.album = album
        try context.save()
        photo.title = "mine"
        try damage("DELETE FROM Album")
        try fixture.coordinator.verifyGraph()
        context.mergePolicy = .error
        #expect(throws: ContextError.self) { try context.save() }
        context.mergePolicy = .mergeByPropertyObjectTrump
        try context.save()
        #expect(try fixture.coordinator.verifyGraph().isHealthy)
    }

    @Test func `looking changes nothing and tells nobody`() throws {
        let photo = context.insert(Photo.self)
        try context.save()
        try damage("UPDATE Photo SET album = 5")
        let saves = Mutex(0)
        let observation = fixture.coordinator.observeSaves { _ in saves.withLock { $0 += 1 } }
        let report = try fixture.coordinator.verifyGraph(repairing: false)
        #expect(report.unrepairedCount == 1)
        #expect(saves.withLock { $0 } == 0)
        try fixture.coordinator.verifyGraph()
        #expect(saves.withLock { $0 } == 1)
        observation.cancel()
        #expect(photo.album == nil)
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `ends that contexts without merging have set apart are brought together`(
        kind: GraphFixture.Kind
    ) throws {
        let fixture = try GraphFixture(kind)
        let first = try fixture.makeContext()
        let ids = try ["a", "b", "c"].map { name in
            let person = first.insert(Person.self)
            person.name = name
            try first.save()
            return person.objectID
        }
        let second = try fixture.makeContext()
        let a = try first.existingObject(Person.self, with: ids[0])
        let b = try first.existingObject(Person.self, with: ids[1])
        a.spouse = b
        let c = try second.existingObject(Person.self, with: ids[2])
        c.spouse = try second.existingObject(Person.self, with: ids[1])
        try first.save()
        try second.save()
        let report = try fixture.coordinator.verifyGraph()
        #expect(report.findings.map(\.kind) == [.oneSidedReference])
        #expect(report.unrepairedCount == 0)
        #expect(try fixture.coordinator.verifyGraph().isHealthy)
    }

    @Test func `a store whose file is damaged is healed first`() throws {
        let library = try DamageableLibrary()
        try library.damage()
        let report = try library.coordinator.verifyGraph()
        #expect(report.isHealthy)
        #expect(library.coordinator.resetReport?.cause == .damaged)
    }

    @Test func `a store without objects is healthy`() throws {
        #expect(try fixture.coordinator.verifyGraph().isHealthy)
        let empty = PersistentStoreCoordinator(managedObjectModel: libraryModel)
        #expect(throws: ContextError.self) { try empty.verifyGraph() }
    }
}
