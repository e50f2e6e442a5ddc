// SPDX-License-Identifier: MIT
public import CCacheStoreSQLite

/// A prepared statement.
///
/// Used by one thread at a time, the one that has its connection. Parameters count from 1 and
/// columns from 0, as in SQLite. A statement that was stepped and not reset keeps its transaction
/// open: `run()` and `rows(_:)` reset it, a loop of one's own must.
// hot: lookup-string, fetch-read-all
@usableFromInline
package final class Statement {
    /// SQLite's handle, for loops that call SQLite themselves. Valid as long as the statement.
    @usableFromInline package let handle: OpaquePointer
    @usableFromInline let state: ConnectionState

    init(adopting handle: OpaquePointer, state: ConnectionState) {
        self.handle = handle
        self.state = state
    }

    deinit {
        // In a forked child the memory is a copy, but the file locks are the parent's business.
        if state.isOfThisProcess { sqlite3_finalize(handle) }
    }

    /// The text as it was prepared, without values.
    package var sql: String {
        sqlite3_sql(handle).map { String(cString: $0) } ?? ""
    }

    /// Whether the statement makes no direct change to the database.
    package var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

    /// Whether the statement was stepped and has neither ended nor been reset.
    package var isBusy: Bool { sqlite3_stmt_busy(handle) != 0 }

    package var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

    /// Runs to the next row, and returns whether there is one.
    @inlinable package func step() throws(SQLiteError) -> Bool {
        try state.check()
        let result = sqlite3_step(handle)
        if result == SQLITE_ROW { return true }
        if result == SQLITE_DONE { return false }
        throw failure(result)
    }

    /// Runs to the end, ignoring rows, and resets.
    @inlinable package func run() throws(SQLiteError) {
        defer { sqlite3_reset(handle) }
        while try step() {}
    }

    /// Binds values from the first parameter on, runs to the end and resets.
    package func run(_ bindings: [SQLBinding]) throws(SQLiteError) {
        try bind(bindings)
        try run()
    }

    /// Calls a closure for each row, and resets, also when the closure throws.
    @inlinable package func rows(_ body: (Statement) throws -> Void) throws {
        defer { sqlite3_reset(handle) }
        while try step() { try body(self) }
    }

    /// Returns what a closure makes of the first row, `nil` without rows, and resets.
    @inlinable package func first<T>(_ body: (Statement) throws -> T) throws -> T? {
        defer { sqlite3_reset(handle) }
        return try step() ? try body(self) : nil
    }

    /// Makes the statement ready to run again. The error of the last step was thrown by it already.
    @inlinable package func reset() {
        sqlite3_reset(handle)
    }

    /// Sets every parameter to NULL.
    @inlinable package func clearBindings() {
        sqlite3_clear_bindings(handle)
    }

    /// The error behind a result code that was not expected.
    @inline(never)
    @usableFromInline package func failure(_ result: Int32) -> SQLiteError {
        state.lastError(result, sql: sql)
    }
}
