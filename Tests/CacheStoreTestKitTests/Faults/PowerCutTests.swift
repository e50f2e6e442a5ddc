// SPDX-License-Identifier: MIT
import CacheStoreSQLite
import CacheStoreTestKit
import Foundation
import Testing

/// What is left after the power went at a random moment. 60 tries each, 600 with
/// `CACHESTORE_SLOW_TESTS=1`.
@Suite struct PowerCutTests {
    private static let isSlow = ProcessInfo.processInfo.environment["CACHESTORE_SLOW_TESTS"] == "1"
    private static let tries: UInt64 = isSlow ? 600 : 60

    private func open(_ path: String, _ mode: String, _ synchronous: String) throws -> Connection {
        try ChecksumVFS.register(name: "cachestore-over-faults", over: FaultPlan.vfsName)
        let connection = try Connection(.file(path), vfs: "cachestore-over-faults")
        try connection.setReservedBytes(ChecksumVFS.reservedBytes)
        try connection.execute(sql: "PRAGMA page_size = 512; PRAGMA wal_autocheckpoint = 0")
        try connection.execute(sql: "PRAGMA journal_mode = \(mode)")
        try connection.execute(sql: "PRAGMA synchronous = \(synchronous)")
        try connection.execute(sql: "CREATE TABLE IF NOT EXISTS t (x INTEGER PRIMARY KEY, y)")
        return connection
    }

    /// Saves rows until the power goes in the middle of something; returns the last one that was
    /// acknowledged.
    private func saveUntilDark(
        _ connection: Connection, _ plan: FaultPlan, _ random: inout SeededRandomNumberGenerator
    ) -> Int {
        var acknowledged = 0
        plan.failNext(.any, after: Int.random(in: 0..<400, using: &random), forEver: true)
        do {
            for row in 1...60 {
                let text = String(repeating: "x", count: Int.random(in: 1..<3_000, using: &random))
                try connection.execute("INSERT INTO t VALUES (\(row), \(text))")
                acknowledged = row
                if row % 9 == 0 { try connection.checkpointAll() }
            }
        } catch {}
        return acknowledged
    }

    private func lossesAfterPowerCuts(
        mode: String, synchronous: String, seed: UInt64, pretendsToSync: Bool = false
    ) throws -> (lost: Int, damaged: Int) {
        var lost = 0
        var damaged = 0
        for attempt in 0..<Self.tries {
            let folder = try TemporaryFolder()
            let plan = try FaultPlan(for: folder.url, seed: seed &+ attempt)
            var random = SeededRandomNumberGenerator(seed: seed &+ attempt)
            let path = folder.url.appending(path: "store.sqlite").path
            let connection = try open(path, mode, synchronous)
            plan.remembersUnsyncedWrites()
            if pretendsToSync {
                // The plan has room for one fault: this disk lies, and the power goes after the
                // last row.
                plan.failNext(.sync, effect: .pretends, forEver: true)
                for row in 1...20 { try connection.execute("INSERT INTO t VALUES (\(row), 'y')") }
            }
            let acknowledged = pretendsToSync ? 20 : saveUntilDark(connection, plan, &random)
            try plan.cutPower()
            try? connection.close()
            plan.restorePower()
            plan.disarm()
            do {
                let again = try open(path, mode, synchronous)
                if try !again.integrityCheck().isOK { damaged += 1 }
                let last =
                    try again.prepare(sql: "SELECT count(*), max(x) FROM t")
                    .first { ($0.int64(at: 0), $0.int64(at: 1)) } ?? (0, 0)
                // Rows are lost from the end only.
                if last.0 != last.1 { damaged += 1 }
                if last.0 < acknowledged { lost += 1 }
                try again.close()
            } catch {
                damaged += 1
            }
        }
        return (lost, damaged)
    }

    private let seed = TestSeed.make()

    @Test(arguments: ["WAL", "DELETE"])
    func `with synchronous FULL, every acknowledged save survives`(mode: String) throws {
        let (lost, damaged) = try lossesAfterPowerCuts(
            mode: mode, synchronous: "FULL", seed: seed)
        #expect(lost == 0, "CACHESTORE_TEST_SEED=\(seed)")
        #expect(damaged == 0, "CACHESTORE_TEST_SEED=\(seed)")
    }

    @Test func `with synchronous NORMAL, the store is sound, and lacks at most its end`() throws {
        let (lost, damaged) = try lossesAfterPowerCuts(
            mode: "WAL", synchronous: "NORMAL", seed: seed)
        #expect(damaged == 0, "CACHESTORE_TEST_SEED=\(seed)")
        // Else the power cut cuts nothing.
        #expect(lost > 0, "CACHESTORE_TEST_SEED=\(seed)")
    }

    @Test func `a disk that only pretends to sync loses saves`() throws {
        let (lost, _) = try lossesAfterPowerCuts(
            mode: "WAL", synchronous: "FULL", seed: seed, pretendsToSync: true)
        #expect(lost > 0, "CACHESTORE_TEST_SEED=\(seed)")
    }
}
