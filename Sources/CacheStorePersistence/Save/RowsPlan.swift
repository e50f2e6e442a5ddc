// SPDX-License-Identifier: MIT

import CacheStoreSQLite

/// The statements that write many rows at once, which they read from ``PackedRows``: the first
/// parameter of each.
///
/// One statement for many rows costs half of what as many statements cost, or less: SQLite opens the
/// table and its indexes once, and finds the next row near the last one.
final class RowsPlan: Sendable {
    struct Variant: Sendable {
        let sql: String
        let key = StatementKey()
    }

    /// An INSERT; or an UPDATE or DELETE that looks at all rows between two keys, the second and the
    /// third parameter.
    let main: Variant
    /// An UPDATE or DELETE that goes from key to key; an INSERT is the same as ``main``.
    let listed: Variant

    private init(main: String, listed: String? = nil) {
        self.main = Variant(sql: main)
        self.listed = listed.map { Variant(sql: $0) } ?? self.main
    }

    /// - Parameter cellCount: how many of the columns are cells: the last ones.
    static func insert(
        into table: String, columns: String, hasEntityColumn: Bool, cellCount: Int
    ) -> RowsPlan {
        var values = ["\"key\""]
        if hasEntityColumn { values.append("?2") }
        values += (0..<cellCount).map { "\"c\($0)\"" }
        // FAIL: the rows before one that is refused stay, so the others need not be written again
        // (https://sqlite.org/lang_conflict.html). It also spares SQLite the copies of pages that it
        // would undo a statement with.
        return RowsPlan(
            main: "INSERT OR FAIL INTO \(table) (\(columns), \"_version\") "
                + "SELECT \(values.joined(separator: ", ")), 1 FROM cachestore_row_source(?1)")
    }

    /// - Parameter statement: an UPDATE OR FAIL, or a DELETE, up to its condition.
    static func selecting(_ statement: String) -> RowsPlan {
        let taken = "cachestore_takes(?1, \"_id\", \"_version\")"
        return RowsPlan(
            main: "\(statement) WHERE \"_id\" BETWEEN ?2 AND ?3 AND \(taken)",
            listed: "\(statement) WHERE \"_id\" IN (SELECT \"key\" FROM cachestore_row_source(?1)) "
                + "AND \(taken)")
    }

    /// The value of the current row for an assignment.
    static func cell(_ index: Int) -> String { "cachestore_cell(?1, \"_id\", \(index))" }
}
