// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import CacheStoreTestKit
import Foundation
import Testing

@testable import CacheStoreHealing

/// Processes that are killed while they salvage. `CACHESTORE_TEST_SEED` repeats a run, as far as time
/// can be repeated; `CACHESTORE_SLOW_TESTS` makes it longer.
@Suite struct KilledSalvageTests {
    @Test func `whenever it is killed, the next opening has the rows`() async throws {
        let seed = TestSeed.make()
        let rounds = TestSeed.areTestsSlow ? 150 : 5
        var random = SeededRandomNumberGenerator(seed: seed)
        for round in 0..<rounds {
            let sample = try LibrarySample()
            try sample.zero(pages: [sample.pageCount / 2, 1])
            let delay = UInt32.random(in: 0..<500_000, using: &random)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = sample.store.path as String, delay = delay as UInt32] in
                Thread.detachNewThread {
                    usleep(delay)
                    kill(getpid(), SIGKILL)
                }
                while true { try Self.open(path).file?.close(clean: false) }
            }
            let note = Comment("seed \(seed), round \(round), \(delay) µs")
            let opened = try Self.open(sample.store.path)
            let file = try #require(opened.file, note)
            let rows = try file.read { try LibraryRows(of: $0) }
            #expect(sample.rows.altered(in: rows) == [], note)
            #expect(sample.rows.countSame(in: rows) > sample.rows.count * 97 / 100, note)
            #expect(!sample.store.exists(sample.store.paths.salvage), note)
            try file.close()
        }
    }

    private static func open(_ path: String) throws -> OpenedStore {
        var options = StoreOptions()
        options.onDamage = .salvage
        options.quarantine.maximumSets = 0
        options.verification = VerificationPolicy(.always, deadline: .seconds(60))
        return try StoreOpener.open(
            at: URL(filePath: path), content: LibraryContent(), options: options)
    }
}
