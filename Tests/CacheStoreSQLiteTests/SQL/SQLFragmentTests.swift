// SPDX-License-Identifier: MIT
import Foundation
import Testing

@testable import CacheStoreSQLite

@Suite struct SQLFragmentTests {
    @Test func `interpolated values are bound and never part of the text`() {
        let name = "'; DROP TABLE t; --"
        let fragment: SQLFragment =
            "SELECT * FROM \(identifier: "t") WHERE a = \(name) AND b > \(3)"
        #expect(fragment.text == "SELECT * FROM \"t\" WHERE a = ? AND b > ?")
        #expect(fragment.bindings == [.text(name), .integer(3)])
    }

    @Test(arguments: [
        ("plain", "\"plain\""), ("a\"b", "\"a\"\"b\""), ("", "\"\""),
        ("a\"\u{301}b", "\"a\"\"\u{301}b\""),
    ])
    func `an identifier is quoted and its quotes doubled`(name: String, quoted: String) {
        #expect(SQLFragment.identifier(name).text == quoted)
        #expect(SQLFragment.quoted(name) == quoted)
    }

    @Test(arguments: ["a\"b", "a\"\u{301}b", "; DROP", "sélect", "a.b", "x y"])
    func `SQLite reads a quoted identifier back`(name: String) throws {
        let connection = try Connection(.memory)
        try connection.execute("CREATE TABLE \(identifier: name) (\(identifier: name))")
        let statement = try connection.statement(
            "SELECT name FROM sqlite_schema WHERE name = \(name)" as SQLFragment)
        #expect(try statement.first { $0.text(at: 0) } == name)
    }

    @Test func `fragments add up and join with their values in order`() {
        let conditions: [SQLFragment] = ["a = \(1)", "b = \(2)", "c IS NULL"]
        let joined = conditions.joined(separator: " AND ")
        let fragment = "SELECT 1 WHERE " + joined.parenthesized + " LIMIT \(3)"
        #expect(fragment.text == "SELECT 1 WHERE (a = ? AND b = ? AND c IS NULL) LIMIT ?")
        #expect(fragment.bindings == [1, 2, 3])
        #expect([SQLFragment]().joined(separator: ",").isEmpty)
    }

    @Test func `two requests of one shape have one text`() {
        func request(_ value: Int) -> SQLFragment { "SELECT \(value)" }
        #expect(request(1).text == request(2).text)
        #expect(request(1) != request(2))
    }

    @Test func `nil is bound as NULL`() {
        let missing: String? = nil
        #expect(("a = \(missing)" as SQLFragment).bindings == [.null])
    }
}
