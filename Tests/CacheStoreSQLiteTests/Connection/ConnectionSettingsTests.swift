// SPDX-License-Identifier: MIT
import Testing

@testable import CacheStoreSQLite

@Suite struct ConnectionSettingsTests {
    let database: TemporaryDatabase

    init() throws {
        database = try TemporaryDatabase()
    }

    @Test(
        arguments: [
            ("journal_mode", .text("wal")), ("synchronous", .integer(1)),
            ("mmap_size", .integer(0)),
            ("cache_size", .integer(-65_536)), ("wal_autocheckpoint", .integer(0)),
            ("foreign_keys", .integer(0)), ("temp_store", .integer(2)),
            ("cell_size_check", .integer(1)), ("trusted_schema", .integer(0)),
            ("auto_vacuum", .integer(2)), ("page_size", .integer(4096)),
            ("journal_size_limit", .integer(64 << 20)), ("query_only", .integer(0)),
        ] as [(String, SQLBinding)])
    func `a pragma has its default`(name: String, value: SQLBinding) throws {
        let connection = try database.connection()
        #expect(try ConnectionSettings().apply(to: connection) == "wal")
        #expect(try connection.pragma(name) == value)
    }

    @Test func `what only a new file takes is still there in the next connection`() throws {
        var settings = ConnectionSettings()
        settings.pageSize = 8192
        settings.reservedBytes = 16
        let writer = try database.connection()
        try settings.apply(to: writer)
        try writer.execute("CREATE TABLE t (x)")
        try writer.close()
        let connection = try database.connection()
        #expect(try connection.pragma("page_size") == 8192)
        #expect(try connection.pragma("auto_vacuum") == 2)
        #expect(try connection.reservedBytes() == 16)
    }

    @Test func `the rollback journal can be asked for`() throws {
        var settings = ConnectionSettings()
        settings.journalMode = .delete
        settings.synchronous = .full
        let connection = try database.connection()
        #expect(try settings.apply(to: connection) == "delete")
        #expect(try connection.pragma("synchronous") == 2)
    }

    @Test func `a reader's settings refuse changes and keep a smaller cache`() throws {
        try database.connection().execute("CREATE TABLE t (x)")
        let connection = try database.connection(.readWrite)
        try ConnectionSettings().forReader.apply(to: connection)
        #expect(try connection.pragma("cache_size") == -16_384)
        let error = try sqliteError { try connection.execute("INSERT INTO t VALUES (1)") }
        #expect(error.code == .SQLITE_READONLY)
    }

    @Test func `they apply to a connection that is read-only`() throws {
        let writer = try database.connection()
        try ConnectionSettings().apply(to: writer)
        try writer.execute("CREATE TABLE t (x)")
        let connection = try database.connection(.readOnly)
        #expect(try ConnectionSettings().apply(to: connection) == "wal")
    }

    @Test func `a misspelt column in double quotes is an error`() throws {
        let connection = try database.connection()
        try ConnectionSettings().apply(to: connection)
        let error = try sqliteError { try connection.execute("SELECT \"misspelt\"") }
        #expect(error.code == .SQLITE_ERROR)
    }

    @Test(arguments: ["x; DROP TABLE t", "", "a b", "ä"])
    func `a pragma takes words only`(text: String) throws {
        let connection = try database.connection()
        #expect(try sqliteError { _ = try connection.pragma(text) }.code == .SQLITE_MISUSE)
        let error = try sqliteError {
            try connection.setPragma("user_version", to: .keyword(text))
        }
        #expect(error.code == .SQLITE_MISUSE)
    }

    @Test func `an unknown pragma has no value`() throws {
        #expect(try database.connection().pragma("no_such_pragma") == nil)
    }
}
