// SPDX-License-Identifier: MIT
import Foundation
import Testing

@testable import CacheStoreSQLite

@Suite struct ConnectionTests {
    let database: TemporaryDatabase

    init() throws {
        database = try TemporaryDatabase()
    }

    @Test func `changes and the last row ID are told`() throws {
        let connection = try database.connection()
        try connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2), (3)")
        #expect(connection.changes == 3)
        #expect(connection.lastInsertRowID == 3)
        try connection.execute("DELETE FROM t WHERE x > \(1)")
        #expect(connection.changes == 2)
    }

    @Test(arguments: ["file:x.sqlite", "a?b=c#d", "50%41", "späce d"])
    func `any file name opens exactly that file`(name: String) throws {
        let path = database.directory.appending(path: name).path
        let connection = try Connection(.file(path))
        try connection.execute("CREATE TABLE t (x)")
        try connection.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: database.directory.path)
        #expect(names == [name])
    }

    @Test(arguments: ["", "a\0b"])
    func `an empty path or one with a NUL is refused`(path: String) throws {
        let error = try sqliteError { _ = try Connection(.file(path)) }
        #expect(error.code == .SQLITE_CANTOPEN)
    }

    @Test func `readWrite does not create a file`() throws {
        let error = try sqliteError {
            try database.connection(.readWrite).execute("CREATE TABLE t (x)")
        }
        #expect(error.code.primary == .SQLITE_CANTOPEN)
        #expect(!FileManager.default.fileExists(atPath: database.path))
    }

    @Test(arguments: [Connection.Mode.readOnly, .immutable])
    func `a connection for reading cannot write`(mode: Connection.Mode) throws {
        try database.connection().execute("CREATE TABLE t (x)")
        let connection = try database.connection(mode)
        #expect(connection.isReadOnly)
        let error = try sqliteError { try connection.execute("INSERT INTO t VALUES (1)") }
        #expect(error.code.primary == .SQLITE_READONLY)
        #expect(error.classification == .permission)
    }

    @Test func `a lock of another connection is BUSY after the timeout, and not much later`() throws
    {
        let holder = try database.connection()
        try holder.execute("CREATE TABLE t (x); BEGIN IMMEDIATE")
        let connection = try database.connection(busyTimeout: .milliseconds(60))
        let start = ContinuousClock.now
        let error = try sqliteError { try connection.execute("INSERT INTO t VALUES (1)") }
        let waited = ContinuousClock.now - start
        #expect(error.code == .SQLITE_BUSY)
        #expect(error.classification == .busy)
        #expect(waited >= .milliseconds(60))
        #expect(waited < .seconds(4))
    }

    @Test func `an old snapshot that wants to write is BUSY_SNAPSHOT`() throws {
        let other = try database.connection()
        try other.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (x)")
        let connection = try database.connection()
        try connection.execute("BEGIN; SELECT * FROM t")
        try other.execute("INSERT INTO t VALUES (1)")
        let error = try sqliteError { try connection.execute("INSERT INTO t VALUES (2)") }
        #expect(error.code == .SQLITE_BUSY_SNAPSHOT)
        connection.rollBack()
    }

    @Test func `closing with a living statement is BUSY and keeps the connection open`() throws {
        let connection = try database.connection()
        var statement: Statement? = try connection.prepare("SELECT 1")
        let error = try sqliteError { try connection.close() }
        #expect(error.code == .SQLITE_BUSY)
        #expect(try statement?.step() == true)
        statement = nil
        try connection.close()
        try connection.close()
    }

    @Test func `a closed connection refuses every call`() throws {
        let connection = try database.connection()
        try connection.close()
        #expect(try sqliteError { try connection.execute("SELECT 1") }.code == .connectionClosed)
        #expect(
            try sqliteError { _ = try connection.statement("SELECT 1") }.code == .connectionClosed)
    }

    @Test func `a poisoned connection and its statements refuse every call`() throws {
        let connection = try database.connection()
        try connection.execute("CREATE TABLE t (x)")
        let statement = try connection.prepare("SELECT 1")
        connection.poison()
        #expect(connection.isPoisoned)
        #expect(try sqliteError { _ = try statement.step() }.code == .connectionPoisoned)
        #expect(
            try sqliteError { try connection.execute("SELECT 1") }.code == .connectionPoisoned)
        #expect(
            try sqliteError { _ = try connection.prepare("SELECT 1") }.code == .connectionPoisoned)
        #expect(
            try sqliteError { try connection.transaction {} }.code == .connectionPoisoned)
    }

    @Test func `poisoned in a transaction, a connection undoes it`() throws {
        let connection = try database.connection()
        try connection.execute("CREATE TABLE t (x)")
        let error = try sqliteError {
            try connection.transaction {
                try connection.execute("INSERT INTO t VALUES (1)")
                connection.poison()
            }
        }
        #expect(error.code == .connectionPoisoned)
        #expect(!connection.isInTransaction)
        let other = try database.connection()
        #expect(try other.prepare("SELECT count(*) FROM t").first { $0.int64(at: 0) } == 0)
    }

    @Test func `a statement that outlives its connection still works`() throws {
        var connection: Connection? = try database.connection()
        let statement = try #require(try connection?.prepare("SELECT 5"))
        connection = nil
        #expect(try statement.first { $0.int64(at: 0) } == 5)
    }

    @Test(arguments: ["DELETE FROM t\0 WHERE x = 1", "DELETE FROM t; \0"])
    func `a text with a NUL is not run up to it`(sql: String) throws {
        let connection = try database.connection()
        try connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)")
        #expect(try sqliteError { try connection.execute(sql: sql) }.code == .SQLITE_MISUSE)
        #expect(try connection.prepare("SELECT count(*) FROM t").first { $0.int64(at: 0) } == 2)
    }

    @Test func `a copy with a log can be read as immutable, without side files`() throws {
        let writer = try database.connection()
        try ConnectionSettings().apply(to: writer)
        try writer.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        try writer.close()
        let connection = try database.connection(.immutable)
        try ConnectionSettings().apply(to: connection)
        #expect(try connection.prepare("SELECT x FROM t").first { $0.int64(at: 0) } == 1)
        let names = try FileManager.default.contentsOfDirectory(atPath: database.directory.path)
        #expect(names == ["store.sqlite"])
    }

    @Test func `without free file descriptors it is resources, never damage`() async {
        // In a process of its own: the limit is for the whole process.
        await #expect(processExitsWith: .success) {
            let database = try TemporaryDatabase()
            let connection = try database.connection()
            var held: [Int32] = []
            while case let descriptor = open("/dev/null", O_RDONLY), descriptor >= 0 {
                held.append(descriptor)
                if held.count == 1 {
                    var limit = rlimit(rlim_cur: 64, rlim_max: 64)
                    #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
                }
            }
            let error = try sqliteError {
                try connection.execute("CREATE TABLE t (x)")
            }
            for descriptor in held { close(descriptor) }
            #expect(error.systemErrno == EMFILE)
            #expect(error.classification == .resources)
        }
    }
}
