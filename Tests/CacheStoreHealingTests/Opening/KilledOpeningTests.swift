// SPDX-License-Identifier: MIT

import CacheStoreTestKit
import Foundation
import Testing

@testable import CacheStoreHealing

/// Processes that create, heal, reset and write, killed at random moments. `CACHESTORE_TEST_SEED`
/// repeats a run, as far as time can be repeated; `CACHESTORE_SLOW_TESTS` makes it longer.
@Suite struct KilledOpeningTests {
    @Test func `whenever it is killed, what was acknowledged is there or the report says reset`()
        async throws
    {
        let seed = TestSeed.make()
        let rounds = TestSeed.areTestsSlow ? 200 : 12
        var random = SeededRandomNumberGenerator(seed: seed)
        let store = try TemporaryStore()
        // The store that somebody was told of last.
        var known: String?
        for round in 0..<rounds {
            let delay = UInt32.random(in: 0..<30_000, using: &random)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [directory = store.directory as String, delay = delay as UInt32] in
                Thread.detachNewThread {
                    usleep(delay)
                    kill(getpid(), SIGKILL)
                }
                try Self.work(in: directory)
            }
            let journal = try Journal(in: store.directory)
            let note = Comment("seed \(seed), round \(round), \(delay) µs")
            let opened = try store.open()
            let file = try #require(opened.file, note)
            // What a kill leaves of a creation is never taken for another application's file.
            #expect(opened.report.cause != .foreignFile, note)
            known = journal.store ?? known
            let found = opened.report.storeIdentifier?.uuidString
            if found == known {
                #expect(try file.countNotes() >= journal.notes, note)
            } else {
                // A reset was begun and not acknowledged: whoever opens the store now must hear of it.
                #expect(opened.report.wasResetOrCreated, note)
                known = found
            }
            try file.close()
            unlink(store.directory + "/journal")
        }
    }

    /// Never ends.
    private static func work(in directory: String) throws {
        let url = URL(filePath: directory + "/notes.sqlite")
        let journal = open(directory + "/journal", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        func acknowledge(_ line: String) { _ = write(journal, line + "\n", line.utf8.count + 1) }
        for turn in 0... {
            acknowledge("begin")
            let opened =
                turn % 2 == 0
                ? try StoreOpener.reset(at: url, content: NotesContent())
                : try StoreOpener.open(at: url, content: NotesContent())
            guard let file = opened.file else { continue }
            var count = try file.countNotes()
            acknowledge("\(file.identifier.uuidString) \(count)")
            for _ in 0..<5 {
                try file.addNotes(2)
                count += 2
                acknowledge("\(file.identifier.uuidString) \(count)")
            }
            try file.close()
            guard turn % 4 == 1 else { continue }
            // So that the next opening has something to heal.
            acknowledge("begin")
            try Data("not a database".utf8).write(to: url)
            let healed = try StoreOpener.open(at: url, content: NotesContent()).file
            if let healed { acknowledge("\(healed.identifier.uuidString) 0") }
            try healed?.close()
        }
    }

    /// What the killed process had acknowledged.
    private struct Journal {
        var store: String?
        var notes = 0

        init(in directory: String) throws {
            let data = FileManager.default.contents(atPath: directory + "/journal") ?? Data()
            for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
                let parts = line.split(separator: " ")
                if parts.count == 2, let count = Int(parts[1]) {
                    store = String(parts[0])
                    notes = count
                }
            }
        }
    }
}
