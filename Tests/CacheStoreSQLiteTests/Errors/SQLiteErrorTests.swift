// SPDX-License-Identifier: MIT
import CCacheStoreSQLite
import Foundation
import Testing

@testable import CacheStoreSQLite

@Suite struct SQLiteErrorTests {
    typealias Code = SQLiteError.ResultCode

    @Test func `a primary code matches its extended forms, not the other way round`() {
        #expect(Code.SQLITE_IOERR ~= Code.SQLITE_IOERR_READ)
        #expect(Code.SQLITE_IOERR_READ ~= Code.SQLITE_IOERR_READ)
        #expect(!(Code.SQLITE_IOERR_READ ~= Code.SQLITE_IOERR))
        #expect(!(Code.SQLITE_BUSY ~= Code.SQLITE_IOERR_READ))
    }

    @Test func `a code catches errors by pattern`() {
        do {
            throw SQLiteError(code: .SQLITE_CONSTRAINT_UNIQUE, message: "")
        } catch Code.SQLITE_CONSTRAINT {
            // expected
        } catch {
            Issue.record(error)
        }
    }

    @Test func `the description names code, message and statement`() {
        let error = SQLiteError(
            code: .SQLITE_FULL, message: "database or disk is full", sql: "INSERT INTO t VALUES (?)"
        )
        #expect(
            error.description == "SQLITE_FULL (13): database or disk is full"
                + " – while executing `INSERT INTO t VALUES (?)`")
    }

    @Test func `a long statement is shortened in the description`() {
        let error = SQLiteError(
            code: .SQLITE_ERROR, message: "m", sql: String(repeating: "x", count: 10_000))
        #expect(error.description.count < 600)
        #expect(error.description.contains("…"))
    }

    @Test func `every name stands for the number that SQLite gives it`() {
        let pairs: [(Code, Int32)] = [
            (.SQLITE_BUSY, SQLITE_BUSY), (.SQLITE_NOTADB, SQLITE_NOTADB),
            (.SQLITE_BUSY_SNAPSHOT, SQLITE_BUSY | 2 << 8),
            (.SQLITE_CONSTRAINT_UNIQUE, SQLITE_CONSTRAINT | 8 << 8),
            (.SQLITE_IOERR_CORRUPTFS, SQLITE_IOERR | 33 << 8),
        ]
        for (code, number) in pairs { #expect(code.rawValue == number) }
        // A number that were given twice would lose a name.
        #expect(Code.names.count == Set(Code.names.values).count)
        #expect(Code.names[.SQLITE_READONLY_DBMOVED] == "SQLITE_READONLY_DBMOVED")
    }

    @Test(
        arguments: [
            (Code.SQLITE_CORRUPT, 0, SQLiteError.Classification.damaged),
            (.SQLITE_CORRUPT_INDEX, 0, .damaged),
            (.SQLITE_NOTADB, 0, .damaged),
            (.SQLITE_IOERR_DATA, 0, .damaged),
            (.SQLITE_IOERR_CORRUPTFS, 0, .damaged),
            (.SQLITE_IOERR_SHORT_READ, 0, .confirmFirst),
            (.SQLITE_BUSY, 0, .busy),
            (.SQLITE_BUSY_SNAPSHOT, 0, .busy),
            (.SQLITE_LOCKED, 0, .busy),
            (.SQLITE_PROTOCOL, 0, .busy),
            (.SQLITE_FULL, 0, .noSpace),
            (.SQLITE_IOERR_WRITE, ENOSPC, .noSpace),
            (.SQLITE_IOERR_WRITE, EDQUOT, .noSpace),
            (.SQLITE_READONLY, 0, .permission),
            (.SQLITE_READONLY_DIRECTORY, 0, .permission),
            (.SQLITE_READONLY_DBMOVED, 0, .unavailable),
            (.SQLITE_PERM, 0, .permission),
            (.SQLITE_CANTOPEN, EACCES, .permission),
            (.SQLITE_CANTOPEN, EROFS, .permission),
            (.SQLITE_CANTOPEN, EMFILE, .resources),
            (.SQLITE_CANTOPEN, ENOENT, .unavailable),
            (.SQLITE_CANTOPEN_ISDIR, EISDIR, .unavailable),
            (.SQLITE_NOMEM, 0, .resources),
            (.SQLITE_IOERR_NOMEM, 0, .resources),
            (.SQLITE_IOERR, EIO, .unavailable),
            (.SQLITE_IOERR_FSYNC, EIO, .unavailable),
            (.SQLITE_ERROR, 0, .programming),
            (.SQLITE_MISUSE, 0, .programming),
            (.SQLITE_CONSTRAINT_UNIQUE, 0, .constraint),
            (.SQLITE_INTERRUPT, 0, .interrupted),
            (.SQLITE_ABORT_ROLLBACK, 0, .interrupted),
            (.connectionPoisoned, 0, .revoked),
            (.connectionForked, 0, .revoked),
        ] as [(Code, Int32, SQLiteError.Classification)])
    func `an error is classified by its code and errno`(
        code: Code, systemErrno: Int32, expected: SQLiteError.Classification
    ) {
        let error = SQLiteError(code: code, message: "", systemErrno: systemErrno)
        #expect(error.classification == expected)
    }

    @Test func `a damaged page is CORRUPT, with the statement that met it`() throws {
        let database = try TemporaryDatabase()
        let writer = try database.connection()
        try writer.execute("CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(2000))")
        try writer.close()
        try database.overwrite(at: 4096, with: [UInt8](repeating: 0xAB, count: 100))
        let connection = try database.connection()
        let error = try sqliteError { try connection.execute("SELECT * FROM t") }
        #expect(error.code.primary == .SQLITE_CORRUPT)
        #expect(error.sql == "SELECT * FROM t")
        #expect(error.classification == .damaged)
    }

    @Test func `a file that is no database is NOTADB`() throws {
        let database = try TemporaryDatabase()
        try Data(repeating: 0x41, count: 8192).write(to: URL(filePath: database.path))
        let connection = try database.connection()
        let error = try sqliteError { try connection.execute("SELECT * FROM sqlite_schema") }
        #expect(error.code == .SQLITE_NOTADB)
    }

    @Test func `a database at its page limit is FULL`() throws {
        let database = try TemporaryDatabase()
        let connection = try database.connection()
        try connection.execute("CREATE TABLE t (x); PRAGMA max_page_count = 4")
        let error = try sqliteError {
            try connection.execute("INSERT INTO t VALUES (randomblob(100000))")
        }
        #expect(error.code == .SQLITE_FULL)
        #expect(error.classification == .noSpace)
    }

    @Test func `bytes in the schema that are no UTF-8 are replaced in the message`() throws {
        let database = try TemporaryDatabase()
        let writer = try database.connection()
        try writer.execute("CREATE TABLE tabQQle (x)")
        try writer.close()
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: database.path)))
        for index in bytes.indices.dropLast()
        where bytes[index] == 0x51 && bytes[index + 1] == 0x51 {
            bytes[index] = 0xFF
            bytes[index + 1] = 0xFE
        }
        // A statement broken on purpose after the name, so that SQLite quotes the text.
        let text = Array("(x)".utf8)
        let start = try #require(
            bytes.indices.dropLast(2).last { Array(bytes[$0..<$0 + 3]) == text })
        bytes[start + 2] = UInt8(ascii: "(")
        try Data(bytes).write(to: URL(filePath: database.path))
        let connection = try database.connection()
        let error = try sqliteError { try connection.execute("SELECT * FROM sqlite_schema") }
        #expect(error.code.primary == .SQLITE_CORRUPT)
        #expect(error.message.contains("\u{FFFD}"))
    }

    @Test func `bound values are not part of an error`() throws {
        let connection = try Connection(.memory)
        try connection.execute("CREATE TABLE t (x UNIQUE)")
        try connection.execute("INSERT INTO t VALUES (\("secret"))")
        let error = try sqliteError {
            try connection.execute("INSERT INTO t VALUES (\("secret"))")
        }
        #expect(error.code == .SQLITE_CONSTRAINT_UNIQUE)
        #expect(!"\(error)".contains("secret"))
    }

    @Test func `opening in a missing directory says ENOENT`() throws {
        let database = try TemporaryDatabase()
        let path = database.directory.appending(path: "missing/store.sqlite").path
        let error = try sqliteError { _ = try Connection(.file(path)) }
        #expect(error.code.primary == .SQLITE_CANTOPEN)
        #expect(error.systemErrno == ENOENT)
        #expect(error.classification == .unavailable)
    }
}
