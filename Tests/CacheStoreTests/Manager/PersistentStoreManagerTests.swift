// SPDX-License-Identifier: MIT

import CacheStore
import Foundation
import Testing

@Suite @MainActor struct PersistentStoreManagerTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func `what is saved is there when the store is opened again`() throws {
        let first = NoteCache.opening(directory.path)
        #expect(first.wasResetOrCreated)
        #expect(first.openReport.outcome == .created)
        first.insert(1)
        first.insert(2)
        try first.save()
        try first.close()
        let second = NoteCache.opening(directory.path)
        #expect(!second.wasResetOrCreated)
        #expect(second.openReport.outcome == .opened)
        #expect(!second.openReport.wasUncleanShutdown)
        #expect(try second.numbers() == [1, 2])
    }

    @Test func `closing saves`() throws {
        let first = NoteCache.opening(directory.path)
        first.insert(1)
        try first.close()
        #expect(try NoteCache.opening(directory.path).numbers() == [1])
    }

    @Test func `a closed store refuses to load and to save`() throws {
        let cache = NoteCache.opening(directory.path)
        let context = cache.managedObjectContext
        try cache.close()
        #expect(throws: ContextError.self) { try context.fetch(FetchRequest<Note>()) }
        context.insert(Note.self).number = 1
        #expect(throws: ContextError.self) { try cache.save() }
        try cache.close()
    }

    @Test func `saving can write off the main thread`() async throws {
        let cache = NoteCache.opening(directory.path)
        let note = cache.insert(7)
        try await cache.save()
        #expect(!note.objectID.isTemporaryID)
        #expect(!cache.managedObjectContext.hasChanges)
        try cache.close()
        #expect(try NoteCache.opening(directory.path).numbers() == [7])
    }

    @Test func `a save that fails is reported and thrown, and can be mended`() throws {
        let cache = NoteCache.opening(directory.path)
        let note = cache.insert(1)
        note.text = String(repeating: "x", count: 101)
        #expect(throws: ValidationError.self) { try cache.save() }
        #expect(cache.reported.count == 1)
        #expect(cache.reported.allSatisfy { $0.hasPrefix("the main context: ") })
        note.text = "x"
        try cache.save()
        #expect(cache.reported.count == 1)
    }

    @Test func `a save off the main thread that fails is reported and thrown`() async throws {
        let cache = NoteCache.opening(directory.path)
        cache.insert(1).text = String(repeating: "x", count: 101)
        await #expect(throws: ValidationError.self) { try await cache.save() }
        #expect(cache.reported.count == 1)
        #expect(cache.managedObjectContext.hasChanges)
    }

    @Test func `the store is in the directory, with a tag that backup programs know`() throws {
        let place = directory.path + "/caches"
        let cache = NoteCache.opening(place)
        #expect(cache.storeURL?.path(percentEncoded: false) == place + "/Notes.sqlite")
        #expect(directory.exists("caches/Notes.sqlite"))
        #expect(directory.exists("caches/CACHEDIR.TAG"))
    }

    @Test func `a directory that was there gets no tag`() throws {
        let cache = NoteCache.opening(directory.path)
        #expect(cache.openError == nil)
        #expect(!directory.exists("CACHEDIR.TAG"))
    }

    @Test func `a store in memory needs no directory`() throws {
        let cache = NoteCache.opening("/nowhere") { $0.isInMemory = true }
        #expect(cache.openError == nil)
        #expect(cache.wasResetOrCreated)
        cache.insert(3)
        try cache.save()
        #expect(try cache.numbers() == [3])
    }

    // MARK: - The end

    @Test func `at the end is saved, cleaned up, and saved again`() throws {
        let cache = NoteCache.opening(directory.path)
        cache.insert(1)
        cache.insert(2)
        cache.cleanUp = { context in
            #expect(!context.hasChanges)
            for note in try context.fetch(FetchRequest<Note>()) where note.number == 1 {
                context.delete(note)
            }
        }
        #expect(cache.saveBeforeTermination())
        #expect(cache.cleanUps == 1)
        #expect(!cache.managedObjectContext.hasChanges)
        #expect(try NoteCache.opening(directory.path).numbers() == [2])
    }

    @Test func `a first save that fails does not skip the clean-up`() throws {
        let cache = NoteCache.opening(directory.path)
        cache.insert(1).text = String(repeating: "x", count: 101)
        cache.insert(2)
        cache.cleanUp = { context in
            for note in context.insertedObjects.compactMap({ $0 as? Note }) where note.number == 1 {
                context.delete(note)
            }
        }
        #expect(!cache.saveBeforeTermination())
        #expect(cache.cleanUps == 1)
        #expect(cache.reported.count == 1)
        #expect(try NoteCache.opening(directory.path).numbers() == [2])
    }

    @Test func `a clean-up that throws is reported and stops nothing`() throws {
        struct Trouble: Error {}
        let cache = NoteCache.opening(directory.path)
        cache.insert(1)
        cache.cleanUp = { context in
            context.insert(Note.self).number = 2
            throw Trouble()
        }
        #expect(!cache.saveBeforeTermination())
        #expect(cache.reported == ["the clean-up of old objects: Trouble()"])
        #expect(try NoteCache.opening(directory.path).numbers() == [1, 2])
    }

    // MARK: - The graph

    @Test func `the graph can be checked from any thread`() async throws {
        let cache = NoteCache.opening(directory.path)
        cache.insert(1).labels = [cache.managedObjectContext.insert(Label.self)]
        try await cache.save()
        let report = try await Task.detached { try cache.verifyGraph() }.value
        #expect(report.isHealthy)
        #expect(report.objectCounts == ["Note": 1, "Label": 1])
    }
}
