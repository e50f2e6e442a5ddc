// SPDX-License-Identifier: MIT
import CacheStoreTestKit
import Foundation
import Testing

@testable import CacheStoreSQLite

/// Pages that are still in the log.
@Suite struct ChecksumLogTests {
    private func storeWithLog() throws -> (ChecksumStore, Connection, [String]) {
        let store = try ChecksumStore(rows: 500)
        let connection = try store.connection()
        try connection.execute(sql: "UPDATE t SET n = n + 1, v = v || id")
        return (store, connection, try ChecksumStore.content(of: connection))
    }

    @Test func `pages in the log are compared`() throws {
        let (store, writer, expected) = try storeWithLog()
        let reader = try store.connection()
        #expect(try ChecksumStore.content(of: reader) == expected)
        let statistics = try #require(try reader.checksumStatistics)
        #expect(statistics.verifiedLogPages > 50)
        #expect(statistics.failedLogPages == 0)
        try writer.close()
    }

    @Test func `damage in the log is an error, and is not moved into the database`() throws {
        let (store, writer, expected) = try storeWithLog()
        let log = URL(filePath: store.database.path + "-wal")
        let size = try #require(
            try FileManager.default.attributesOfItem(atPath: log.path)[.size] as? UInt64)
        let seed = TestSeed.make()
        var injector = CorruptionInjector(seed: seed)
        let frames = (size - 32) / 4120
        let frame = UInt64(32) + (frames / 2) * 4120
        let injury = try injector.flipBit(in: log, range: frame + 24..<frame + 4120)

        let reader = try store.connection()
        let error = try sqliteError { _ = try ChecksumStore.content(of: reader) }
        #expect(error.code == .SQLITE_IOERR_DATA, "CACHESTORE_TEST_SEED=\(seed), \(injury)")
        #expect(try reader.checksumStatistics?.failedLogPages == 1)
        let failure = try sqliteError { _ = try writer.checkpoint(.truncate) }
        #expect(failure.code == .SQLITE_IOERR_DATA)
        _ = expected
    }

    @Test func `a transaction reads its own spilled pages, changed more than once`() throws {
        let store = try ChecksumStore(rows: 500)
        let connection = try store.connection()
        try connection.execute(sql: "PRAGMA cache_size = 5; BEGIN")
        for round in 0..<5 {
            try connection.execute(sql: "UPDATE t SET v = v || \(round), n = n + 1")
            if round == 2 {
                try connection.execute(
                    sql: "SAVEPOINT s; UPDATE t SET v = ''; ROLLBACK TO s; RELEASE s")
            }
        }
        let inside = try ChecksumStore.content(of: connection)
        try connection.execute(sql: "COMMIT")
        #expect(try ChecksumStore.content(of: connection) == inside)
        let reader = try store.connection()
        #expect(try ChecksumStore.content(of: reader) == inside)
        #expect(try reader.checksumStatistics?.failedLogPages == 0)
        #expect(try reader.checksumStatistics.map { $0.verifiedLogPages > 50 } == true)
        // And once more, after the headers of the frames were corrected.
        try connection.resetPageCache()
        #expect(try ChecksumStore.content(of: connection) == inside)
        #expect(try connection.checksumStatistics.map { $0.verifiedLogPages > 50 } == true)
    }

    @Test func `the log is recovered after a crash`() throws {
        let (store, writer, expected) = try storeWithLog()
        let copy = try store.copyWithLog()
        #expect(try copy.content() == expected)
        let connection = try copy.connection()
        #expect(try connection.integrityCheck().isOK)
        #expect(try connection.checksumStatistics?.writer == .sealed)
        #expect(try connection.checksumStatistics?.unstampedPages == 0)
        try writer.close()
    }

    @Test(arguments: [Connection.CheckpointMode.passive, .full, .restart, .truncate])
    func `every checkpoint stamps what it moves`(mode: Connection.CheckpointMode) throws {
        let (store, writer, expected) = try storeWithLog()
        #expect(try writer.checkpoint(mode).isComplete)
        // The database alone, as if the log had never been.
        let copy = try ChecksumStore()
        try FileManager.default.copyItem(
            atPath: store.database.path, toPath: copy.database.path)
        #expect(try copy.content() == expected)
        let connection = try copy.connection()
        #expect(try connection.integrityCheck().isOK)
        #expect(try connection.checksumStatistics?.unstampedPages == 0)
        try writer.close()
    }

    @Test func `damage of a frame that was read before is found when it is read again`() throws {
        let (store, writer, expected) = try storeWithLog()
        let reader = try store.connection()
        #expect(try ChecksumStore.content(of: reader) == expected)
        var injector = CorruptionInjector(seed: TestSeed.make())
        let log = URL(filePath: store.database.path + "-wal")
        _ = try injector.flipBit(in: log, range: 32 + 40 * 4120 + 24..<32 + 41 * 4120)
        try reader.resetPageCache()
        let error = try sqliteError { _ = try ChecksumStore.content(of: reader) }
        #expect(error.code == .SQLITE_IOERR_DATA)
        _ = writer
    }

    @Test(arguments: [512, 4096])
    func `a log that has begun again is read by who remembers the one before`(
        pageSize: Int
    ) throws {
        // With small pages, of more frames than are remembered.
        let store = try ChecksumStore(rows: 1_000, pageSize: pageSize)
        let writer = try store.connection()
        let reader = try store.connection()
        for round in 0..<4 {
            try writer.execute(sql: "UPDATE t SET n = n + 1, v = v || \(round)")
            let expected = try ChecksumStore.content(of: writer)
            for _ in 0..<2 {
                try reader.resetPageCache()
                #expect(try ChecksumStore.content(of: reader) == expected)
            }
            try writer.checkpoint(.restart)
        }
        let statistics = try #require(try reader.checksumStatistics)
        #expect(statistics.verifiedLogPages > 1_000)
        #expect(statistics.failedLogPages == 0)
    }

    @Test(.enabled(if: SystemFaultPlan.isAvailable))
    func `a frame is one read, and the one before it is read once`() throws {
        let store = try ChecksumStore(rows: 500)
        let plan = try SystemFaultPlan(for: URL(filePath: store.database.path + "-wal"))
        let writer = try store.connection()
        try writer.execute(sql: "UPDATE t SET n = n + 1 WHERE id % 5 = 0")
        let reader = try store.connection()
        func readsOfLog() throws -> (calls: Int, pages: Int) {
            plan.failNext(.read, after: .max)
            let before = (plan.callCount, try reader.checksumStatistics?.verifiedLogPages ?? 0)
            try reader.resetPageCache()
            _ = try ChecksumStore.content(of: reader)
            let pages = try reader.checksumStatistics?.verifiedLogPages ?? 0
            return (plan.callCount - before.0, pages - before.1)
        }
        let first = try readsOfLog()
        // They lie one behind the other, in the order in which they are read.
        #expect(first.pages > 50 && first.calls < first.pages + 10)
        let again = try readsOfLog()
        #expect(again.calls == again.pages)
    }
}
