// SPDX-License-Identifier: MIT
import Testing

@testable import CacheStoreSQLite

@Suite struct ConnectionSchemaTests {
    let database: TemporaryDatabase
    let connection: Connection

    init() throws {
        database = try TemporaryDatabase()
        connection = try database.connection()
        try connection.execute(
            sql: """
                CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, "two words");
                CREATE TABLE keys (oid TEXT, id INTEGER PRIMARY KEY);
                CREATE VIEW v AS SELECT name FROM t
                """)
    }

    @Test func `tables are known, views and what is not there are not`() throws {
        #expect(try connection.hasTable("t"))
        #expect(try !connection.hasTable("v"))
        #expect(try !connection.hasTable("u"))
        #expect(try !connection.hasTable(""))
    }

    @Test func `all columns have to be there`() throws {
        #expect(try connection.hasColumns(["id", "two words", "name"], in: "t"))
        #expect(try !connection.hasColumns(["id", "other"], in: "t"))
        #expect(try !connection.hasColumns(["name"], in: "v"))
        #expect(try !connection.hasColumns(["id"], in: "u"))
    }

    @Test(arguments: ["rowid", "oid", "_rowid_", "OID"])
    func `a name of the row's key is a column only where there is such a column`(
        name: String
    ) throws {
        #expect(try !connection.hasColumns([name], in: "t"))
        #expect(try connection.hasColumns(["oid"], in: "keys"))
    }

    @Test func `behind the first statement of a transaction the answer is as of that`() throws {
        let other = try database.connection()
        #expect(try connection.hasTable("t"))
        try other.execute(sql: "DROP VIEW v; ALTER TABLE t DROP COLUMN name; CREATE TABLE u (x)")
        try connection.transaction(.deferred) {
            _ = try connection.prepare(sql: "SELECT name FROM sqlite_schema").first { _ in 0 }
            #expect(try connection.hasTable("u"))
            #expect(try !connection.hasColumns(["name"], in: "t"))
        }
    }
}
