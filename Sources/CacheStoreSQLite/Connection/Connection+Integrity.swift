// SPDX-License-Identifier: MIT

/// What a check of the database found.
package struct IntegrityCheckResult: Sendable, Hashable {
    /// The rows that SQLite gave. Anything but the single row "ok" is a finding, no row included.
    package let rows: [String]

    package var isOK: Bool { rows == ["ok"] }

    /// The findings, as SQLite words them.
    package var problems: [String] { isOK ? [] : rows }
}

extension Connection {
    /// Checks the structure of the database, without comparing indexes to their tables. O(file).
    ///
    /// - Throws: a damaged file may throw instead of giving rows; `SQLITE_INTERRUPT` when the
    ///   connection was interrupted or its progress handler said so.
    package func quickCheck(maximumProblems: Int = 100) throws -> IntegrityCheckResult {
        try check("quick_check", maximumProblems)
    }

    /// Checks the structure of the database, indexes included. O(file · log file).
    package func integrityCheck(maximumProblems: Int = 100) throws -> IntegrityCheckResult {
        try check("integrity_check", maximumProblems)
    }

    private func check(_ name: String, _ maximum: Int) throws -> IntegrityCheckResult {
        var rows: [String] = []
        try prepare(sql: "PRAGMA \(name)(\(max(1, maximum)))").rows { row in
            rows.append(row.text(at: 0) ?? "")
        }
        return IntegrityCheckResult(rows: rows)
    }
}
