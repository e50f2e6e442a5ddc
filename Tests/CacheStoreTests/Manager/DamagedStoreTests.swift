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
    ///
    /// - Parameter share: the share of pages, from the end, that are damaged.
    @discardableResult
    private func leaveDamagedStore(share: Double = 0.75, clean: Bool = true) throws -> [URL] {
        let cache = NoteCache.opening(directory.path)
        let notes = (0..<3_000).map { cache.insert($0) }
        for note in notes { note.text = "note \(note.number)" }
        try cache.save()
        let uris = notes.map(\.objectID.uriRepresentation)
        try cache.close()
        let url = directory.url.appending(path: "Notes.sqlite")
        if !clean { try makeUnclean(url) }
        var injector = CorruptionInjector(seed: 1)
        let size = try #require(FileManager.default.contents(atPath: url.path)?.count)
        for page in Int(Double(size / 4096) * (1 - share))..<size / 4096 {
            let start = UInt64(page) * 4096
            try injector.flipBit(in: url, range: start + 200..<start + 4000)
        }
        return uris
    }

    /// Takes the mark of a clean end away, as a write of a session that was killed does.
    private func makeUnclean(_ url: URL) throws {
        let killed = NoteCache.opening(directory.path)
        killed.insert(-1)
        try killed.save()
        let copies = try ["", "-wal"].map { try Data(contentsOf: URL(filePath: url.path + $0)) }
        try killed.close()
        for (suffix, data) in zip(["", "-wal"], copies) {
            try data.write(to: URL(filePath: url.path + suffix))
        }
        // Into the file, without a mark.
        let cache = NoteCache.opening(directory.path) {
            $0.store.verification = .never
            $0.store.scrubsInBackground = false
        }
        _ = try cache.numbers()
        try cache.close()
    }

    @Test func `damage that a fetch meets is healed at once, and told once`() throws {
        try leaveDamagedStore()
        let cache = NoteCache.opening(directory.path)
        #expect(cache.openReport.outcome == .opened)
        #expect(!cache.wasResetOrCreated)
        #expect(try cache.numbers().isEmpty)
        #expect(cache.wasResetOrCreated)
        #expect(cache.openReport.cause == .damaged)
        #expect(cache.openReport.outcome == .reset)
        #expect(cache.reported == ["reset: the file was damaged"])
        cache.insert(7)
        try cache.save()
        #expect(try cache.numbers() == [7])
        #expect(cache.reported.count == 1)
        try cache.close()
        let next = NoteCache.opening(directory.path)
        #expect(!next.wasResetOrCreated)
        #expect(try next.numbers() == [7])
    }

    @Test func `a store of a model that cannot be reached tells both versions and what was kept`()
        throws
    {
        final class Note: ManagedObject {
            @Attribute var number: Data = Data([1])
        }
        let old = NoteCache.opening(directory.path)
        old.insert(1)
        let fingerprint = old.openReport.newFingerprint
        try old.close()
        let cache = NoteCache.opening(directory.path) { $0.model = ManagedObjectModel(Note.self) }
        let report = cache.openReport
        try #require(report.outcome == .reset)
        #expect(cache.wasResetOrCreated)
        #expect(report.cause.unmigratableReason != nil)
        #expect(report.oldFingerprint == fingerprint)
        #expect(report.newFingerprint != fingerprint)
        let kept = try #require(report.quarantine)
        // It is a store that the old version can open.
        let copy = try NoteCache.opening(kept.path(percentEncoded: false)).numbers()
        #expect(copy == [1])
        try cache.close()
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

    @Test func `a save that meets damage is acknowledged, and in the new store`() throws {
        try leaveDamagedStore()
        let cache = NoteCache.opening(directory.path)
        for number in 0..<200 { cache.insert(number * 15) }
        try cache.save()
        #expect(cache.reported == ["reset: the file was damaged"])
        #expect(try cache.numbers().count == 200)
        try cache.close()
        #expect(try NoteCache.opening(directory.path).numbers().count == 200)
    }

    @Test func `a read of a property that meets damage gives the default`() throws {
        let ids = try leaveDamagedStore()
        let cache = NoteCache.opening(directory.path)
        let coordinator = cache.persistentStoreCoordinator
        let id = try #require(coordinator.managedObjectID(forURIRepresentation: ids[1_500]))
        let note = try #require(cache.managedObjectContext.object(with: id) as? Note)
        #expect(note.text == nil)
        #expect(note.isDeleted)
        #expect(cache.reported == ["reset: the file was damaged"])
    }

    @Test func `a cache whose directory is deleted in use is there again with the next save`()
        throws
    {
        let cache = NoteCache.opening(directory.path)
        let note = cache.insert(1)
        cache.insert(2)
        try cache.save()
        note.number = 3
        try FileManager.default.removeItem(atPath: directory.path)
        try cache.save()
        #expect(cache.reported == ["reset: the file was removed while the store was open"])
        #expect(try cache.numbers() == [3])
        try cache.close()
        #expect(try NoteCache.opening(directory.path).numbers() == [3])
    }

    @Test func `of two caches of one store each is told of the reset once`() throws {
        try leaveDamagedStore()
        let cache = NoteCache.opening(directory.path)
        let other = NoteCache.opening(directory.path)
        other.insert(5)
        #expect(try cache.numbers().isEmpty)
        cache.insert(6)
        try cache.save()
        try other.save()
        #expect(try other.numbers() == [5, 6])
        #expect(try cache.numbers() == [5, 6])
        #expect(cache.reported == ["reset: the file was damaged"])
        #expect(other.reported == ["reset: another has reset the store or replaced its file"])
    }

    @Test func `damage that nobody has met is found in the background, and healed`() throws {
        try leaveDamagedStore(clean: false)
        let cache = NoteCache.opening(directory.path) { $0.store.verification = .never }
        let note = cache.insert(4)
        let deadline = ContinuousClock.now + .seconds(60)
        while cache.reported.isEmpty, ContinuousClock.now < deadline { usleep(1_000) }
        #expect(cache.reported == ["reset: the file was damaged"])
        #expect(cache.wasResetOrCreated)
        #expect(try cache.numbers() == [4])
        try cache.save()
        #expect(!note.objectID.isTemporaryID)
        try cache.close()
        let next = NoteCache.opening(directory.path)
        #expect(!next.wasResetOrCreated)
        #expect(try next.numbers() == [4])
    }

    @Test func `the background is left alone where a program says so`() throws {
        try leaveDamagedStore(clean: false)
        let cache = NoteCache.opening(directory.path) {
            $0.store.verification = .never
            $0.store.scrubsInBackground = false
        }
        #expect(!cache.wasResetOrCreated)
        usleep(200_000)
        #expect(cache.reported.isEmpty)
        #expect(try cache.numbers().isEmpty)
        #expect(cache.wasResetOrCreated)
    }

    @Test func `an asynchronous save and a child context go on in the new store`() async throws {
        try leaveDamagedStore()
        let cache = NoteCache.opening(directory.path)
        try await cache.performOnChildContext(describedAs: "an import") { context, _ async throws in
            _ = try context.fetch(FetchRequest<Note>())
            context.insert(Note.self).number = 9
        }
        try await cache.save()
        #expect(try cache.numbers() == [9])
        #expect(cache.reported == ["reset: the file was damaged"])
    }

    @Test func `with the policy to salvage, the report counts the notes that are there`() throws {
        try leaveDamagedStore(share: 0.25)
        let cache = NoteCache.opening(directory.path) {
            $0.store.damagePolicy = .salvage
            $0.store.verification = .always
        }
        #expect(cache.openReport.outcome == .salvaged, "\(cache.openReport)")
        #expect(cache.wasResetOrCreated)
        let numbers = try cache.numbers()
        let report = cache.openReport
        #expect(report.rowsKept?["Note"] ?? 0 > 100)
        #expect(
            numbers.count == (report.rowsKept?["Note"] ?? 0) + (report.rowsDoubtful?["Note"] ?? 0))
        #expect(Set(numbers).isSubset(of: 0..<3_000))
        cache.insert(10_000)
        try cache.close()
        #expect(try NoteCache.opening(directory.path).numbers() == numbers + [10_000])
    }

    @Test func `with the policy to salvage, damage that a fetch meets costs what is on its page`()
        throws
    {
        try leaveDamagedStore(share: 0.25)
        let cache = NoteCache.opening(directory.path) { $0.store.damagePolicy = .salvage }
        #expect(cache.openReport.outcome == .opened)
        _ = try cache.numbers()
        #expect(cache.openReport.outcome == .salvaged)
        #expect(cache.wasResetOrCreated)
        let numbers = try cache.numbers()
        let report = cache.openReport
        #expect(report.rowsKept?["Note"] ?? 0 > 100)
        #expect(
            numbers.count == (report.rowsKept?["Note"] ?? 0) + (report.rowsDoubtful?["Note"] ?? 0))
        try cache.close()
    }
}
