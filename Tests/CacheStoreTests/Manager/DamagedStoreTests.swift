// SPDX-License-Identifier: MIT

import CacheStore
import CacheStoreTestKit
import Foundation
import Testing

/// A cache whose file decays between two sessions, or in one.
@Suite @MainActor struct DamagedStoreTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Leaves a cache that was closed, with damage in all pages of its file but the first ones.
    ///
    /// - Returns: the URIs of its notes.
    @discardableResult
    private func leaveDamagedStore() throws -> [URL] {
        let cache = NoteCache.opening(directory.path)
        let notes = (0..<3_000).map { cache.insert($0) }
        for note in notes { note.text = "note \(note.number)" }
        try cache.save()
        let uris = notes.map(\.objectID.uriRepresentation)
        try cache.close()
        let url = directory.url.appending(path: "Notes.sqlite")
        var injector = CorruptionInjector(seed: 1)
        let size = try #require(FileManager.default.contents(atPath: url.path)?.count)
        for page in size / 4096 / 4..<size / 4096 {
            let start = UInt64(page) * 4096
            try injector.flipBit(in: url, range: start + 200..<start + 4000)
        }
        return uris
    }

    private func isDamaged(_ error: any Error) -> Bool {
        PersistentStoreError.Code.damaged ~= error
    }

    @Test func `damage that a fetch meets is thrown, and healed when the store is opened next`()
        throws
    {
        try leaveDamagedStore()
        let cache = NoteCache.opening(directory.path)
        #expect(cache.openReport.outcome == .opened)
        #expect { try cache.numbers() } throws: { isDamaged($0) }
        try? cache.close()
        let next = NoteCache.opening(directory.path)
        #expect(next.wasResetOrCreated)
        #expect(next.openReport.cause == .damaged)
        #expect(try next.numbers().isEmpty)
        next.insert(7)
        try next.close()
        #expect(try NoteCache.opening(directory.path).numbers() == [7])
    }

    @Test func `a store that is damaged at every start ends in a session in memory`() throws {
        let place = directory.url.appending(path: "Notes.sqlite")
        for _ in 0..<3 {
            try Data("not a database".utf8).write(to: place)
            let cache = NoteCache.opening(directory.path)
            #expect(cache.openReport.outcome == .reset)
            cache.insert(1)
            try cache.close()
        }
        try Data("not a database".utf8).write(to: place)
        let cache = NoteCache.opening(directory.path)
        #expect(cache.openReport.outcome == .inMemory)
        #expect(cache.openReport.cause == .crashLoop)
        #expect(cache.wasResetOrCreated)
        #expect(PersistentStoreError.Code.crashLoop ~= (cache.openError ?? CancellationError()))
        cache.insert(2)
        try cache.save()
        #expect(try cache.numbers() == [2])
        #expect(try Data(contentsOf: place) == Data("not a database".utf8))
    }

    @Test func `a save that meets damage is thrown and reported`() throws {
        try leaveDamagedStore()
        let cache = NoteCache.opening(directory.path)
        for number in 0..<200 { cache.insert(number * 15) }
        #expect { try cache.save() } throws: { isDamaged($0) }
        #expect(cache.reported.count == 1)
        #expect(cache.reported.first?.hasPrefix("the main context: damaged") == true)
        try? cache.close()
        #expect(NoteCache.opening(directory.path).openReport.outcome == .reset)
    }

    @Test func `a read of a property that meets damage is reported`() throws {
        let ids = try leaveDamagedStore()
        let cache = NoteCache.opening(directory.path)
        let coordinator = cache.persistentStoreCoordinator
        let id = try #require(coordinator.managedObjectID(forURIRepresentation: ids[1_500]))
        let note = try #require(cache.managedObjectContext.object(with: id) as? Note)
        _ = note.text
        #expect(cache.reported.count == 1)
        #expect(cache.reported.first?.contains("damaged") == true)
    }
}
