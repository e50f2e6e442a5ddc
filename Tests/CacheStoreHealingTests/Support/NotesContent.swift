// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation

@testable import CacheStoreHealing

/// A content of one table, in versions that can and cannot be migrated.
struct NotesContent: StoreContent {
    /// Version 2 adds a column; version 9 cannot be reached.
    var version = 1

    var fingerprint: String { "notes-\(version)" }
    var storedDescription: Data { Data(#"{"version":\#(version)}"#.utf8) }

    func createSchema(in connection: Connection) throws {
        try connection.execute(
            sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
        if version >= 2 { try connection.execute(sql: "ALTER TABLE note ADD COLUMN color TEXT") }
    }

    func schemaIsIntact(in connection: Connection) throws -> Bool {
        var columns: [String] = []
        try connection.statement(sql: "SELECT name FROM pragma_table_info('note')").rows { row in
            columns.append(row.text(at: 0) ?? "")
        }
        return columns == (version >= 2 ? ["id", "text", "color"] : ["id", "text"])
    }

    func migrate(in connection: Connection, from stored: Data) throws -> MigrationSummary {
        guard version == 2, String(decoding: stored, as: UTF8.self) == #"{"version":1}"# else {
            throw Unmigratable(reason: "no way from there to version \(version)")
        }
        try connection.execute(sql: "ALTER TABLE note ADD COLUMN color TEXT")
        return MigrationSummary(changes: ["color added to note"])
    }
}
