// SPDX-License-Identifier: MIT
import CacheStoreSQLite
import CacheStoreTestKit
import Foundation
import Testing

@Suite struct FaultPlanTests {
    let folder: TemporaryFolder
    let plan: FaultPlan

    init() throws {
        folder = try TemporaryFolder()
        plan = try FaultPlan(for: folder.url)
    }

    private var path: String { folder.url.appending(path: "store.sqlite").path }

    private func open(_ journalMode: String = "WAL") throws -> Connection {
        let connection = try Connection(.file(path), vfs: FaultPlan.vfsName)
        try connection.execute(sql: "PRAGMA journal_mode = \(journalMode)")
        try connection.execute(sql: "CREATE TABLE IF NOT EXISTS t (x)")
        return connection
    }

    private func rows(_ connection: Connection) throws -> Int64? {
        try connection.prepare(sql: "SELECT count(*) FROM t").first { $0.int64(at: 0) }
    }

    @Test func `one write fails, once, with the code that was asked for`() throws {
        let connection = try open()
        plan.failNext(.write, after: 1, with: 13, in: .log)
        #expect {
            try connection.execute(sql: "INSERT INTO t VALUES (1)")
        } throws: { SQLiteError.ResultCode.SQLITE_FULL ~= $0 }
        #expect(plan.faultCount == 1)
        try connection.execute(sql: "INSERT INTO t VALUES (2)")
        #expect(try rows(connection) == 1)
        #expect(plan.faultCount == 1)
    }

    @Test func `a fault for ever lasts until it is disarmed`() throws {
        let connection = try open()
        plan.failNext(.sync, forEver: true)
        for _ in 1...3 {
            #expect {
                try connection.checkpointAll()
            } throws: { SQLiteError.ResultCode.SQLITE_IOERR ~= $0 }
            try? connection.execute(sql: "INSERT INTO t VALUES (1)")
        }
        #expect(plan.faultCount >= 3)
        plan.disarm()
        try connection.checkpointAll()
    }

    @Test(arguments: FaultOperation.allKinds)
    func `every operation can fail, and the store is sound afterwards`(
        operation: FaultOperation
    ) throws {
        for journalMode in ["WAL", "DELETE"] {
            var attempts = 0
            while attempts < 200 {
                let faults = plan.faultCount
                plan.failNext(operation, after: attempts)
                do {
                    let connection = try open(journalMode)
                    try connection.execute(sql: "INSERT INTO t VALUES (1); DELETE FROM t")
                    try connection.close()
                } catch {}
                plan.disarm()
                if plan.faultCount == faults { break }
                let connection = try open(journalMode)
                #expect(try connection.integrityCheck().isOK, "\(operation) \(attempts)")
                try connection.close()
                attempts += 1
            }
            #expect(attempts < 200)
        }
        #expect(plan.faultCount > 0)
        #expect(plan.count(of: operation) > 0)
    }

    @Test func `a write that stops halfway, or is torn, is in the file up to some byte`() throws {
        let connection = try open("DELETE")
        let before = try Data(contentsOf: URL(filePath: path))
        for effect in [FaultEffect.stopsHalfway, .tears] {
            plan.failNext(.write, after: 1, effect: effect, in: .database)
            let failed: Void? = try? connection.execute(
                sql: "INSERT INTO t VALUES (zeroblob(90000))")
            #expect((failed == nil) == (effect == .stopsHalfway))
            #expect(plan.faultCount > 0)
        }
        #expect(try Data(contentsOf: URL(filePath: path)) != before)
        #expect(plan.faultCount == 2)
    }

    @Test func `a flipped bit is read as data without checksums, and is an error with them`() throws
    {
        let checked = "cachestore-over-faults"
        try ChecksumVFS.register(name: checked, over: FaultPlan.vfsName)
        let connection = try Connection(.file(path), vfs: checked)
        try connection.setReservedBytes(ChecksumVFS.reservedBytes)
        try connection.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE t (x)")
        try connection.execute(sql: "INSERT INTO t VALUES (zeroblob(30000))")
        try connection.checkpointAll()
        try connection.resetPageCache()
        plan.failNext(.read, after: 3, effect: .flipsBit, in: .database)
        let query = try connection.prepare(sql: "SELECT x FROM t")
        #expect {
            _ = try query.first { $0.data(at: 0) }
        } throws: { SQLiteError.ResultCode.SQLITE_IOERR_DATA ~= $0 }
        try connection.resetPageCache()
        #expect(try query.first { $0.data(at: 0) } == Data(count: 30_000))
        plan.failNext(.read, after: 3, effect: .flipsBit, in: .database)
        try connection.setsChecksumVerification(false)
        try connection.resetPageCache()
        #expect(try query.first { $0.data(at: 0) } != Data(count: 30_000))
        #expect(plan.faultCount == 2)
    }

    @Test func `files elsewhere are untouched, and so are all when the plan ends`() throws {
        let other = try TemporaryFolder()
        plan.failNext(.any, forEver: true)
        let path = other.url.appending(path: "store.sqlite").path
        let elsewhere = try Connection(.file(path), vfs: FaultPlan.vfsName)
        try elsewhere.execute(sql: "CREATE TABLE t (x)")

        var second: FaultPlan? = try FaultPlan(for: other.url)
        let connection = try Connection(.file(path), vfs: FaultPlan.vfsName)
        second?.failNext(.any, forEver: true)
        #expect(throws: SQLiteError.self) { try connection.execute(sql: "SELECT * FROM t") }
        second = nil
        try connection.execute(sql: "INSERT INTO t VALUES (1)")
    }
}
