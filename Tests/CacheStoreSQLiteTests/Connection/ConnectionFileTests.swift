// SPDX-License-Identifier: MIT
import Foundation
import Testing

@testable import CacheStoreSQLite

/// File controls, checkpoints, checks and the switches that act on the file.
@Suite struct ConnectionFileTests {
    let database: TemporaryDatabase

    init() throws {
        database = try TemporaryDatabase()
    }

    private func walConnection() throws -> Connection {
        let connection = try database.connection()
        try ConnectionSettings().apply(to: connection)
        try connection.execute("CREATE TABLE IF NOT EXISTS t (x)")
        return connection
    }

    @Test func `a file that was removed or replaced has moved`() throws {
        let connection = try walConnection()
        #expect(try !connection.hasMoved())
        let aside = database.path + ".aside"
        try FileManager.default.moveItem(atPath: database.path, toPath: aside)
        #expect(try connection.hasMoved())
        try Data().write(to: URL(filePath: database.path))
        #expect(try connection.hasMoved())
    }

    @Test func `a database in memory never moves`() throws {
        #expect(try !Connection(.memory).hasMoved())
    }

    @Test func `the data version changes with a commit of somebody else`() throws {
        let connection = try walConnection()
        let other = try database.connection()
        let before = try connection.dataVersion()
        #expect(try connection.dataVersion() == before)
        try other.execute("INSERT INTO t VALUES (1)")
        _ = try connection.prepare("SELECT count(*) FROM t").first { $0.int64(at: 0) }
        #expect(try connection.dataVersion() != before)
    }

    @Test func `the log can be told to persist, and a chunk size be set`() throws {
        let connection = try walConnection()
        #expect(try !connection.persistsWAL())
        try connection.setPersistsWAL(true)
        #expect(try connection.persistsWAL())
        try connection.setChunkSize(1 << 20)
        try connection.execute("INSERT INTO t VALUES (1)")
        try connection.checkpoint(.truncate)
        let size = try FileManager.default.attributesOfItem(atPath: database.path)[.size] as? Int
        #expect(size == 1 << 20)
    }

    @Test(arguments: [-1, 256])
    func `more bytes than a byte can count are not reserved`(count: Int) throws {
        let connection = try database.connection()
        #expect(try sqliteError { try connection.setReservedBytes(count) }.code == .SQLITE_RANGE)
    }

    @Test func `a checkpoint tells the frames it moved`() throws {
        let connection = try walConnection()
        let result = try connection.checkpoint(.passive)
        #expect(result.isComplete)
        #expect(try #require(result.logFrames) > 0)
        #expect(try connection.checkpoint(.truncate).logFrames == 0)
    }

    @Test func `a checkpoint behind a reader is BUSY or incomplete`() throws {
        let connection = try walConnection()
        connection.busyTimeout = .milliseconds(10)
        let reader = try database.connection()
        try reader.execute("BEGIN; SELECT * FROM t")
        try connection.execute("INSERT INTO t VALUES (1)")
        #expect(try !connection.checkpoint(.passive).isComplete)
        #expect(try sqliteError { try connection.checkpoint(.truncate) }.code == .SQLITE_BUSY)
    }

    @Test func `without a log a checkpoint has no frames`() throws {
        let connection = try database.connection()
        try connection.execute("CREATE TABLE t (x)")
        #expect(try connection.checkpoint(.full) == .init(logFrames: nil, checkpointedFrames: nil))
    }

    @Test func `a sound file passes both checks`() throws {
        let connection = try walConnection()
        #expect(try connection.quickCheck().isOK)
        #expect(try connection.integrityCheck().isOK)
    }

    @Test func `an index that misses rows fails the integrity check`() throws {
        let connection = try walConnection()
        try connection.execute("CREATE INDEX i ON t (x); INSERT INTO t VALUES (1), (2)")
        try connection.configure(.defensive, false)
        try connection.execute(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE INDEX i ON t (x) WHERE x > 5' WHERE name = 'i';
            """)
        try connection.close()
        let result = try database.connection().integrityCheck()
        #expect(!result.isOK)
        #expect(!result.problems.isEmpty)
    }

    @Test func `no row at all is no pass`() {
        #expect(!IntegrityCheckResult(rows: []).isOK)
        #expect(!IntegrityCheckResult(rows: ["ok", "row 1 missing"]).isOK)
        #expect(IntegrityCheckResult(rows: ["ok"]).problems == [])
    }

    @Test func `a damaged database is empty and sound after a reset in place`() throws {
        let writer = try database.connection()
        try writer.execute("CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(20000))")
        try writer.close()
        try database.overwrite(at: 100, with: [UInt8](repeating: 0xAB, count: 3000))
        let connection = try database.connection()
        #expect(throws: SQLiteError.self) { try connection.execute("SELECT * FROM t") }
        try connection.configure(.resetDatabase, true)
        #expect(try connection.isConfigured(.resetDatabase))
        try connection.execute("VACUUM")
        try connection.configure(.resetDatabase, false)
        #expect(try connection.integrityCheck().isOK)
        #expect(
            try connection.prepare("SELECT count(*) FROM sqlite_schema").first {
                $0.int64(at: 0)
            } == 0)
    }

    @Test func `the cache is forgotten on demand`() throws {
        let connection = try database.connection()
        try connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(2000))")
        try database.overwrite(at: 4096, with: [UInt8](repeating: 0xAB, count: 100))
        try connection.execute("SELECT * FROM t")
        try connection.resetPageCache()
        #expect(throws: SQLiteError.self) { try connection.execute("SELECT * FROM t") }
    }

    @Test func `a limit holds and is told`() throws {
        let connection = try database.connection()
        connection.setLimit(.parameters, to: 2)
        #expect(connection.limit(.parameters) == 2)
        #expect(throws: SQLiteError.self) { try connection.prepare("SELECT ?, ?, ?") }
    }

    @Test func `the library tells its version and options`() {
        #expect(SQLiteLibrary.versionNumber >= 3_040_000)
        #expect(SQLiteLibrary.version.hasPrefix("3."))
        #expect(SQLiteLibrary.compileOptions.contains { $0.hasPrefix("THREADSAFE=") })
    }
}
