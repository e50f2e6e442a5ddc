// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation

/// A row of `sqlite_schema` (https://sqlite.org/schematab.html).
package struct SchemaObject: Sendable, Hashable, Codable {
    package let type: String
    package let name: String
    package let table: String
    /// 0 for views, triggers and virtual tables.
    package let root: Int
    package let sql: String?

    package init(type: String, name: String, table: String, root: Int, sql: String?) {
        self.type = type
        self.name = name
        self.table = table
        self.root = root
        self.sql = sql
    }

    var isTable: Bool { type == "table" }
    /// Whether SQLite makes it without being told.
    var isInternal: Bool { name.lowercased().hasPrefix("sqlite_") }

    init?(_ record: Record, _ encoding: TextEncoding) {
        guard record.fields.count == 5,
            let type = record.text(0, encoding),
            ["table", "index", "view", "trigger"].contains(type),
            let name = record.text(1, encoding), let table = record.text(2, encoding),
            record.isNull(3) || record.integer(3) != nil,
            record.isNull(4) || record.text(4, encoding) != nil
        else { return nil }
        let root = record.integer(3) ?? 0
        self.init(
            type: type, name: name, table: table,
            root: root > 0 && root <= Int64(Int32.max) ? Int(root) : 0,
            sql: record.text(4, encoding))
    }

    /// The schema of a database that SQLite can read.
    static func all(in connection: Connection) throws -> [SchemaObject] {
        var all: [SchemaObject] = []
        let sql = "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema ORDER BY rowid"
        try connection.prepare(sql: sql).rows { row in
            guard let type = row.text(at: 0), let name = row.text(at: 1),
                let table = row.text(at: 2)
            else { return }
            all.append(
                SchemaObject(
                    type: type, name: name, table: table, root: Int(row.int64(at: 3)),
                    sql: row.text(at: 4)))
        }
        return all
    }
}
