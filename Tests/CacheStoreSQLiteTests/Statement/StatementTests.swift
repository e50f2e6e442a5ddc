// SPDX-License-Identifier: MIT
import Foundation
import Testing

@testable import CacheStoreSQLite

@Suite struct StatementTests {
    let connection: Connection

    init() throws {
        connection = try Connection(.memory)
    }

    @Test(
        arguments: [
            .null, .integer(0), .integer(.min), .integer(.max), .real(-0.5), .real(1e300),
            .text(""),
            .text("naïve 🙂"), .text("a\0b"), .blob(Data()), .blob(Data([0, 255, 0])),
        ] as [SQLBinding])
    func `a value comes back as it was bound`(value: SQLBinding) throws {
        let statement = try connection.prepare("SELECT ?")
        try statement.bind([value])
        #expect(try statement.step())
        #expect(statement.value(at: 0) == value)
        #expect(try !statement.step())
    }

    @Test func `typed readers read by position`() throws {
        let statement = try connection.prepare("SELECT 7, 2.5, 'x', x'0102', NULL")
        #expect(try statement.step())
        #expect(statement.columnCount == 5)
        #expect(statement.int64(at: 0) == 7)
        #expect(statement.double(at: 1) == 2.5)
        #expect(statement.text(at: 2) == "x")
        #expect(statement.data(at: 3) == Data([1, 2]))
        #expect(statement.withBlob(at: 3) { $0.count } == 2)
        #expect(statement.isNull(at: 4))
        #expect(statement.text(at: 4) == nil)
        #expect(statement.data(at: 4) == nil)
        let types = (0..<5).map { statement.type(at: Int32($0)) }
        #expect(types == [.integer, .real, .text, .blob, .null])
    }

    @Test func `bytes and UTF-8 are bound from memory`() throws {
        let statement = try connection.prepare("SELECT ?, ?, ?")
        try statement.bind([1, 2, 3] as [UInt8], at: 1)
        let text = Array("copied".utf8)
        try text.withUnsafeBytes { try statement.bindTransient(utf8: $0, at: 2) }
        let value = try text.withUnsafeBytes { bytes in
            try statement.bindStatic(utf8: bytes, at: 3)
            return try statement.first { ($0.data(at: 0), $0.text(at: 1), $0.text(at: 2)) }
        }
        #expect(value?.0 == Data([1, 2, 3]))
        #expect(value?.1 == "copied")
        #expect(value?.2 == "copied")
    }

    @Test func `text that is no UTF-8 is repaired`() throws {
        let statement = try connection.prepare("SELECT CAST(x'61FF62' AS TEXT)")
        #expect(try statement.first { $0.text(at: 0) } == "a\u{FFFD}b")
    }

    @Test func `the number of values must be the number of parameters`() throws {
        let statement = try connection.prepare("SELECT ?, ?")
        let error = try sqliteError { try statement.bind([1]) }
        #expect(error.code == .SQLITE_RANGE)
    }

    @Test func `a parameter that does not exist is RANGE`() throws {
        let statement = try connection.prepare("SELECT ?")
        let error = try sqliteError { try statement.bind(1 as Int64, at: 2) }
        #expect(error.code == .SQLITE_RANGE)
    }

    @Test func `rows resets the statement when the closure throws`() throws {
        let statement = try connection.prepare("SELECT 1 UNION SELECT 2")
        #expect(throws: CancellationError.self) {
            try statement.rows { _ in throw CancellationError() }
        }
        #expect(!statement.isBusy)
        var values: [Int64] = []
        try statement.rows { values.append($0.int64(at: 0)) }
        #expect(values == [1, 2])
    }

    @Test func `cleared bindings are NULL`() throws {
        let statement = try connection.prepare("SELECT ?")
        try statement.bind(1 as Int64, at: 1)
        statement.clearBindings()
        #expect(try statement.first { $0.isNull(at: 0) } == true)
    }

    @Test func `text, kind and column names are told`() throws {
        try connection.execute("CREATE TABLE t (x)")
        #expect(try connection.prepare("SELECT x AS y FROM t").columnName(at: 0) == "y")
        #expect(try connection.prepare("SELECT x FROM t").isReadOnly)
        #expect(try !connection.prepare("DELETE FROM t").isReadOnly)
        #expect(try connection.prepare("DELETE FROM t").sql == "DELETE FROM t")
    }

    @Test(arguments: ["", "  ", "-- nothing"])
    func `a text without a statement is refused`(sql: String) throws {
        let error = try sqliteError { _ = try connection.prepare(sql: sql) }
        #expect(error.code == .SQLITE_MISUSE)
    }

    @Test func `a text with two statements is refused, a last semicolon is not`() throws {
        let error = try sqliteError { _ = try connection.prepare("SELECT 1; SELECT 2") }
        #expect(error.code == .SQLITE_MISUSE)
        _ = try connection.prepare("SELECT 1;\n")
    }

    @Test func `a syntax error names the statement`() throws {
        let error = try sqliteError { _ = try connection.prepare("SELEKT 1") }
        #expect(error.code == .SQLITE_ERROR)
        #expect(error.message.contains("syntax error"))
        #expect(error.sql == "SELEKT 1")
    }
}
