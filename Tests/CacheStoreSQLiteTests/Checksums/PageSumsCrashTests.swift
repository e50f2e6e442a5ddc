// SPDX-License-Identifier: MIT
import CacheStoreTestKit
import Foundation
import Testing

@testable import CacheStoreSQLite

/// Processes that are killed, calls that fail and disks that are full while sums are written: what is
/// left is never taken for damage.
@Suite struct PageSumsCrashTests {
    /// A runner in memory, where syncing costs nothing.
    private static func runner() throws -> CrashRunner {
        let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
        return try CrashRunner(in: access(memory.path, W_OK) == 0 ? memory : nil)
    }

    /// Changes a store in every way that writes pages into its file.
    private static func work(_ store: URL, _ random: inout SeededRandomNumberGenerator) throws {
        try ChecksumVFS.register()
        let path = store.path(percentEncoded: false)
        let isLogged = Bool.random(using: &random)
        let connection = try Connection(.file(path), mode: .readWrite, vfs: ChecksumVFS.name)
        var settings = ConnectionSettings()
        settings.journalMode = isLogged ? .wal : .delete
        try settings.apply(to: connection)
        let reader = try Connection(.file(path), mode: .readWrite, vfs: ChecksumVFS.name)
        for _ in 0..<6 {
            let (part, text) = (
                Int.random(in: 2..<9, using: &random), UInt32.random(in: 0...9_999, using: &random)
            )
            switch Int.random(in: 0..<7, using: &random) {
            case 0: try ChecksumStore.insert(Self.newRows(connection), into: connection)
            case 1: try connection.execute(sql: "DELETE FROM t WHERE id % \(part) = 1 AND id > 40")
            case 2:
                // Pages get into the file before the transaction ends, and are put back.
                try connection.execute(
                    sql: "PRAGMA cache_size = 5; BEGIN; UPDATE t SET k = k || 'r'; ROLLBACK")
            case 3:
                try connection.execute(sql: "PRAGMA incremental_vacuum; PRAGMA user_version = 4")
            default:
                try connection.execute(
                    sql: "UPDATE t SET k = '\(text)' || id, n = n + 1 WHERE id % \(part) = 0")
            }
            guard isLogged else { continue }
            // A reader lets a checkpoint do a part only.
            let isInTheWay = Bool.random(using: &random)
            if isInTheWay {
                try reader.execute(sql: "BEGIN")
                _ = try reader.statement(sql: "SELECT count(*) FROM t").first { $0.int64(at: 0) }
                try connection.execute(sql: "UPDATE t SET n = n + 2 WHERE id % 3 = 0")
            }
            try connection.checkpoint(.passive)
            if isInTheWay { try reader.execute(sql: "COMMIT") }
        }
        _ = try ChecksumStore.content(of: reader)
        try reader.close()
        try connection.close()
    }

    private static func newRows(_ connection: Connection) throws -> ClosedRange<Int> {
        let last = try connection.statement(sql: "SELECT max(id) FROM t").first { $0.int64(at: 0) }
        let first = Int(last ?? 0) + 1
        return first...first + 30
    }

    private func expectSound(_ path: String, _ comment: Comment) throws {
        try ChecksumVFS.register()
        // First as it is, then with all of the log in the file, then with sums of its own again.
        for round in 0..<3 {
            let connection = try Connection(.file(path), mode: .readWrite, vfs: ChecksumVFS.name)
            if round == 1 {
                try connection.execute(sql: "UPDATE t SET n = n + 1 WHERE id % 5 = 0")
                try connection.checkpoint(.full)
                try connection.resetPageCache()
            }
            #expect(try connection.integrityCheck().isOK, comment)
            _ = try ChecksumStore.content(of: connection)
            // Page by page: one that SQLite never wrote does not hide the others.
            let last = try connection.scrubPages(from: 1, count: 0).lastPage
            for number in 1...max(1, last) {
                _ = try connection.scrubPages(from: number, count: 1)
            }
            let statistics = try connection.checksumStatistics
            #expect(statistics?.failedPages == 0 && statistics?.stalePages == 0, comment)
            try connection.close()
        }
    }

    @Test func `a process that is killed anywhere leaves nothing that looks like damage`()
        async throws
    {
        let runner = try Self.runner()
        let sample = try ChecksumStore(rows: 120, pageSize: 512)
        let store = runner.folder.appending(path: "store.sqlite")
        for round in 0..<(TestSeed.areTestsSlow ? 300 : 15) {
            // Most rounds go on with what the one before has left.
            if round % 5 == 0 {
                for suffix in ["", "-wal", "-shm", "-journal", "-sums"] {
                    try? FileManager.default.removeItem(atPath: store.path + suffix)
                }
                try FileManager.default.copyItem(at: sample.url, to: store)
                try FileManager.default.copyItem(atPath: sample.sums, toPath: store.path + "-sums")
            }
            let crash = runner.nextCrash(.systemCalls(2_500))
            await #expect(processExitsWith: .signal(SIGKILL)) { [crash = crash as Crash] in
                crash.run { crash in
                    var random = SeededRandomNumberGenerator(
                        seed: crash.seed &+ UInt64(crash.number))
                    try Self.work(crash.folder.appending(path: "store.sqlite"), &random)
                }
            }
            try expectSound(store.path, "\(crash)")
        }
    }

    @Test(.enabled(if: SystemFaultPlan.isAvailable), arguments: [ENOSPC, EIO])
    func `whichever call fails, nothing looks like damage`(error: Int32) throws {
        let seed = TestSeed.make()
        let sample = try ChecksumStore(rows: 120, pageSize: 512)
        var random = SeededRandomNumberGenerator(seed: seed)
        for _ in 0..<(TestSeed.areTestsSlow ? 3_000 : 60) {
            let runner = try Self.runner()
            let store = runner.folder.appending(path: "store.sqlite")
            try FileManager.default.copyItem(at: sample.url, to: store)
            try FileManager.default.copyItem(atPath: sample.sums, toPath: store.path + "-sums")
            let plan = try SystemFaultPlan(for: runner.folder)
            let call = Int.random(in: 0..<2_500, using: &random)
            let effect: SystemFaultEffect =
                [.fails, .tears, .isShort].randomElement(
                    using: &random) ?? .fails
            plan.failNext(
                error == ENOSPC ? .needingSpace : .all, after: call / (error == ENOSPC ? 3 : 1),
                with: error, effect: effect, forEver: Bool.random(using: &random))
            let work = random.next()
            var workRandom = SeededRandomNumberGenerator(seed: work)
            try? Self.work(store, &workRandom)
            plan.disarm()
            try expectSound(store.path, "CACHESTORE_TEST_SEED=\(seed), call \(call), \(effect)")
        }
    }

    @Test func `beside other processes that checkpoint and read, nothing looks like damage`()
        async throws
    {
        let runner = try Self.runner()
        let sample = try ChecksumStore(rows: 200, pageSize: 512)
        let store = runner.folder.appending(path: "store.sqlite")
        try FileManager.default.copyItem(at: sample.url, to: store)
        let processes = (0..<3).map { _ in runner.process() }
        async let first: Void = runBesideOthers(processes[0])
        async let second: Void = runBesideOthers(processes[1])
        async let third: Void = runBesideOthers(processes[2])
        _ = await (first, second, third)
        #expect(runner.acknowledgements == ["sound", "sound", "sound"])
        try expectSound(store.path, "\(runner.seed)")
    }

    private func runBesideOthers(_ process: Crash) async {
        await #expect(processExitsWith: .success) { [process = process as Crash] in
            process.run { process in
                var random = SeededRandomNumberGenerator(
                    seed: process.seed &+ UInt64(process.number))
                try ChecksumVFS.register()
                let path = process.folder.appending(path: "store.sqlite").path
                let connection = try Connection(
                    .file(path), mode: .readWrite, vfs: ChecksumVFS.name,
                    busyTimeout: .seconds(60))
                // Few pages stay in memory: nearly all are read from the file, again and again.
                try connection.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA cache_size = 5")
                try connection.execute(sql: "PRAGMA wal_autocheckpoint = 0")
                for round in 0..<60 {
                    let part = Int.random(in: 2..<9, using: &random)
                    try connection.execute(
                        sql: """
                            BEGIN IMMEDIATE;
                            UPDATE t SET n = n + 1, k = '\(round)' || id WHERE id % \(part) = 0;
                            COMMIT
                            """)
                    if round % 3 == process.number % 3 { _ = try? connection.checkpoint(.passive) }
                    _ = try ChecksumStore.content(of: connection)
                }
                guard try connection.checksumStatistics?.failedPages == 0 else { _exit(3) }
                process.acknowledge("sound")
            }
        }
    }
}
