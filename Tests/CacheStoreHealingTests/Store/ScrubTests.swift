// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation
import Synchronization
import Testing

@testable import CacheStoreHealing

/// Stores that opening had no time to check.
@Suite struct ScrubTests {
    /// Opens a store that was left unclean, without a check.
    private func openUnchecked(_ store: TemporaryStore) throws -> StoreFile {
        var options = StoreOptions()
        options.verification.schedule = .never
        return try store.openFile(options: options)
    }

    private var quick: StoreScrubber.Pace {
        var pace = StoreScrubber.Pace()
        pace.pages = 4
        pace.pause = .milliseconds(1)
        pace.slicesPerNote = 1
        return pace
    }

    private func wait(until condition: () -> Bool) -> Bool {
        let deadline = ContinuousClock.now + .seconds(60)
        while !condition(), ContinuousClock.now < deadline { usleep(1_000) }
        return condition()
    }

    @Test func `a store that was read through to its end is clean again`() throws {
        let store = try TemporaryStore()
        try store.fill(count: 2_000, clean: false)
        let file = try openUnchecked(store)
        #expect(file.needsScrub)
        StoreScrubber.start(for: file, pace: quick) { Issue.record("there is no damage") }
        #expect(wait { !file.needsScrub })
        #expect(wait { !store.exists(store.paths.scrubNote) })
        try file.close()
        let next = try store.open()
        #expect(!next.report.wasUncleanShutdown)
        #expect(next.file?.needsScrub == false)
    }

    @Test func `damage is found though nobody reads the page, and nothing is used any more`() throws
    {
        let store = try TemporaryStore()
        try store.fill(count: 2_000, clean: false)
        try store.flipBit(at: 4096 * 9 + 1_000)
        let file = try openUnchecked(store)
        let found = Mutex(0)
        StoreScrubber.start(for: file, pace: quick) { found.withLock { $0 += 1 } }
        #expect(wait { found.withLock { $0 } == 1 })
        #expect(file.isGivenUp)
        #expect(store.exists(store.paths.damageMark))
        let opened = try StoreOpener.reopen(file, content: NotesContent())
        #expect(opened.report.cause == .damaged)
        #expect(opened.file?.needsScrub == false)
    }

    @Test func `a page that nothing reads is no damage`() throws {
        let store = try TemporaryStore()
        let first = try store.openFile()
        try first.addNotes(2_000)
        try first.write { try $0.execute(sql: "DELETE FROM note WHERE id > 200") }
        try first.checkpoint(.truncate)
        try first.close(clean: false)
        let size = try #require(store.contents()?.count)
        try store.overwrite(at: size - 4096, with: [UInt8](repeating: 0, count: 4096))
        let file = try openUnchecked(store)
        StoreScrubber.start(for: file, pace: quick) { Issue.record("there is no damage") }
        #expect(wait { !file.needsScrub })
        #expect(try file.countNotes() == 200)
    }

    @Test func `it goes on where the last session has ended`() throws {
        let store = try TemporaryStore()
        try store.fill(count: 2_000, clean: false)
        let file = try openUnchecked(store)
        #expect(try file.scrub(from: 1, count: 4) == 5)
        try store.write("\(file.identifier.uuidString) 13\n".utf8, to: store.paths.scrubNote)
        try file.close(clean: false)
        // What comes before is not looked at again.
        try store.flipBit(at: 4096 * 9 + 1_000)
        let next = try openUnchecked(store)
        StoreScrubber.start(for: next, pace: quick) { Issue.record("it began anew") }
        #expect(wait { !next.needsScrub })
        #expect(throws: PersistentStoreError.self) { try next.scrub(from: 10, count: 1) }
    }

    @Test func `while others use the store it waits`() throws {
        let store = try TemporaryStore()
        try store.fill(count: 2_000, clean: false)
        let file = try openUnchecked(store)
        try file.read { _ in
            StoreScrubber.start(for: file, pace: quick) { Issue.record("there is no damage") }
            // Long enough for all of it.
            usleep(300_000)
            #expect(!store.exists(store.paths.scrubNote))
            #expect(file.needsScrub)
        }
        #expect(wait { !file.needsScrub })
    }

    @Test func `a close ends it`() throws {
        let store = try TemporaryStore()
        try store.fill(count: 2_000, clean: false)
        let file = try openUnchecked(store)
        var pace = quick
        pace.pages = 1
        pace.pause = .milliseconds(20)
        StoreScrubber.start(for: file, pace: pace) { Issue.record("there is no damage") }
        #expect(wait { store.exists(store.paths.scrubNote) })
        try file.close()
        #expect(file.needsScrub)
        #expect(try store.open().report.wasUncleanShutdown)
    }

    @Test func `it keeps no store open`() throws {
        let store = try TemporaryStore()
        try store.fill(count: 2_000, clean: false)
        weak var kept: StoreFile?
        do {
            let file = try openUnchecked(store)
            kept = file
            var pace = quick
            pace.pages = 1
            pace.pause = .seconds(600)
            StoreScrubber.start(for: file, pace: pace) {}
        }
        #expect(kept == nil)
    }

    @Test func `what was closed cleanly, or checked, or is not wanted is not read through`() throws
    {
        let store = try TemporaryStore()
        try store.fill(count: 200)
        let clean = try openUnchecked(store)
        #expect(!clean.needsScrub)
        try clean.addNotes(1)
        try clean.close(clean: false)
        let checked = try store.open()
        #expect(checked.report.verification == .passed)
        #expect(checked.file?.needsScrub == false)
    }
}
