// SPDX-License-Identifier: MIT
import CCacheStoreSQLite

/// What tables there are, asked of the schema that SQLite has in memory
/// (https://sqlite.org/c3ref/table_column_metadata.html).
///
/// Costs no statement; after the first one of a transaction the answer is as of that transaction.
extension Connection {
    /// Returns whether there is such a table. A view is none.
    package func hasTable(_ table: String) throws(SQLiteError) -> Bool {
        try knows(table, nil)
    }

    /// Returns whether there is such a table, with these columns.
    package func hasColumns(_ columns: [String], in table: String) throws -> Bool {
        for column in columns {
            guard try knows(table, column) else { return false }
            // SQLite takes these for the key of the row where there is no such column.
            if ["rowid", "oid", "_rowid_"].contains(column.lowercased()),
                try !hasColumn(column, in: table)
            {
                return false
            }
        }
        return true
    }

    private func knows(_ table: String, _ column: String?) throws(SQLiteError) -> Bool {
        try state.check()
        let result = sqlite3_table_column_metadata(
            state.handle, "main", table, column, nil, nil, nil, nil, nil)
        if result == SQLITE_ERROR { return false }
        guard result == SQLITE_OK else { throw state.lastError(result, sql: nil) }
        return true
    }

    private func hasColumn(_ column: String, in table: String) throws -> Bool {
        try prepare("SELECT 1 FROM pragma_table_info(\(table)) WHERE name = \(column)")
            .first { _ in true } ?? false
    }
}
