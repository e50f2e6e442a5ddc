// SPDX-License-Identifier: MIT
import Foundation
import Testing

@testable import CacheStoreSQLite

@Suite struct ConnectionFunctionTests {
    let connection: Connection

    init() throws {
        connection = try Connection(.memory)
    }

    private func value(_ sql: SQLFragment) throws -> SQLBinding? {
        try connection.prepare(sql).first { $0.value(at: 0) }
    }

    @Test(
        arguments: [
            .null, .integer(-5), .real(2.5), .text(""), .text("ä\0b"), .blob(Data()),
            .blob(Data([1])),
        ] as [SQLBinding])
    func `a function gets its argument and gives its result unchanged`(value: SQLBinding) throws {
        try connection.registerFunction("same", argumentCount: 1) { $0.binding(at: 0) }
        #expect(try self.value("SELECT same(\(value))") == value)
    }

    @Test func `a function takes any number of arguments`() throws {
        try connection.registerFunction("how_many") { .integer(Int64($0.count)) }
        #expect(try value("SELECT how_many(1, 2, 3)") == 3)
        #expect(try value("SELECT how_many()") == 0)
    }

    @Test func `an error of a function ends the statement without telling data`() throws {
        struct Failure: Error { var secret = "secret" }
        try connection.registerFunction("fail") { _ in throw Failure() }
        try connection.registerFunction("refuse") { _ in
            throw SQLiteError(code: .SQLITE_CONSTRAINT_FUNCTION, message: "refused")
        }
        let error = try sqliteError { try connection.execute("SELECT fail()") }
        #expect(error.code == .SQLITE_ERROR)
        #expect(error.message.contains("Failure"))
        #expect(!error.message.contains("secret"))
        let refusal = try sqliteError { try connection.execute("SELECT refuse()") }
        #expect(refusal.code == .SQLITE_CONSTRAINT_FUNCTION)
        #expect(refusal.message == "refused")
    }

    @Test func `what a function captures is released with the connection`() throws {
        final class Token {}
        weak var released: Token?
        do {
            let token = Token()
            released = token
            let connection = try Connection(.memory)
            try connection.registerFunction("f") { _ in
                .integer(Int64(ObjectIdentifier(token).hashValue))
            }
            try connection.registerCollation("c") { _, _ in
                Int32(ObjectIdentifier(token).hashValue & 1)
            }
            try connection.close()
        }
        #expect(released == nil)
    }

    @Test func `a function with too long a name is refused and its closure released`() throws {
        final class Token {}
        weak var released: Token?
        do {
            let token = Token()
            released = token
            let name = String(repeating: "f", count: 300)
            let error = try sqliteError {
                try connection.registerFunction(name) { _ in
                    .integer(Int64(ObjectIdentifier(token).hashValue))
                }
            }
            #expect(error.code == .SQLITE_MISUSE)
        }
        #expect(released == nil)
    }

    @Test func `a collation orders texts, empty ones too`() throws {
        try connection.registerCollation("by_length") { left, right in
            Int32(left.count) - Int32(right.count)
        }
        var values: [String?] = []
        try connection.prepare(
            "SELECT column1 FROM (VALUES ('ccc'), (''), ('aa')) ORDER BY column1 COLLATE by_length"
        ).rows { values.append($0.text(at: 0)) }
        #expect(values == ["", "aa", "ccc"])
    }

    @Test func `a collation that is missing is an error`() throws {
        let error = try sqliteError {
            try connection.execute("SELECT 'a' = 'b' COLLATE nowhere")
        }
        #expect(error.code.primary == .SQLITE_ERROR)
    }
}
