// SPDX-License-Identifier: MIT
import CCacheStoreSQLite
import Synchronization

/// A connection to one database.
///
/// SQLite's own mutex is off (`SQLITE_OPEN_NOMUTEX`): whoever has the connection uses it alone, as
/// the pool guarantees. Only ``poison()`` and the interrupt handle may be used from other threads.
@usableFromInline
package final class Connection {
    /// Where the database is.
    package enum Location: Sendable, Hashable {
        case file(String)
        /// In memory, private to the connection.
        case memory
    }

    package enum Mode: Sendable, Hashable {
        case readWriteCreate
        case readWrite
        case readOnly
        /// Reads without locks and without looking at side files: only for a file that nobody
        /// changes, like a quarantined copy (https://sqlite.org/uri.html#uriimmutable).
        case immutable
    }

    package let location: Location
    package let mode: Mode
    @usableFromInline let state: ConnectionState
    let cache: StatementCache

    /// The last failure of a rollback, which the error that caused the rollback hides.
    package internal(set) var lastRollbackError: SQLiteError?
    /// What the connection's user keeps with it.
    // Owned, freed in deinit. Behind a pointer, because other modules look at it for each row they
    // fetch, and the run-time check of exclusive access would cost more than what it is for.
    package let notes: UnsafeMutablePointer<Notes>

    package struct Notes {
        /// The ``Connection/dataVersion()`` at which the user last made sure of something in the
        /// file; as long as it is the same, nothing has been committed since.
        package var verifiedDataVersion: UInt32?
        /// Whether the user has registered its functions and collations.
        package var hasFunctions = false
        /// Memory that a function of the user works on; the function frees it.
        package var attachment: UnsafeMutableRawPointer?
    }

    /// Whether statements can read rows from memory; see ``Connection/readsRows()``.
    var hasRowSource = false
    @exclusivity(unchecked) var savepointDepth = 0

    /// Opens a database. SQLite reads nothing of the file before the first statement.
    package init(
        _ location: Location, mode: Mode = .readWriteCreate, vfs: String? = nil,
        busyTimeout: Duration = .seconds(5), statementCacheCapacity: Int = 128
    ) throws(SQLiteError) {
        var handle: OpaquePointer?
        let flags = mode.flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let name = try location.uri(mode: mode)
        let result = sqlite3_open_v2(name, &handle, flags, vfs)
        guard result == SQLITE_OK, let handle else {
            let error = SQLiteError(result: result, on: handle, sql: nil)
            sqlite3_close(handle)
            throw error
        }
        self.location = location
        self.mode = mode
        state = ConnectionState(adopting: handle, busyTimeout: busyTimeout)
        cache = StatementCache(capacity: statementCacheCapacity)
        notes = .allocate(capacity: 1)
        notes.initialize(to: Notes())
        state.busy.install(on: handle)
    }

    deinit { notes.deallocate() }

    /// SQLite's handle, for code that calls SQLite itself. Valid until ``close()``.
    package var handle: OpaquePointer { state.handle }

    /// Interrupts this connection from any thread.
    package var interruptHandle: InterruptHandle { state.interruptHandle }

    /// How long a statement waits for a lock before it fails with `SQLITE_BUSY`.
    package var busyTimeout: Duration {
        get { state.busy.timeout }
        set { state.busy.timeout = newValue }
    }

    // MARK: Ending

    /// Finalises the cached statements and closes.
    ///
    /// - Throws: `SQLITE_BUSY` when a statement or a backup is still alive; the connection stays open.
    package func close() throws(SQLiteError) {
        cache.removeAll()
        try state.close()
    }

    /// Makes every later call on the connection and its statements throw. Any thread may call it.
    package func poison() { state.poison() }

    package var isPoisoned: Bool {
        state.status.load(ordering: .relaxed) == ConnectionState.Status.poisoned
    }

    /// Throws when the connection is poisoned, closed, or inherited from a parent process.
    package func checkUsable() throws(SQLiteError) { try state.check() }

    // MARK: Statements

    // A `String` always has a label: were the two overloads told apart by type alone, an
    // interpolated literal would be a String, and its values part of the text.

    /// Runs one or more statements, ignoring rows. Never put data into the text.
    package func execute(sql: String) throws(SQLiteError) {
        try state.check()
        // C would see the text up to the NUL only, and run that.
        guard !sql.utf8.contains(0) else {
            throw SQLiteError(code: .SQLITE_MISUSE, message: "the text contains a NUL", sql: sql)
        }
        let result = sqlite3_exec(state.handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw state.lastError(result, sql: sql) }
    }

    /// Runs a fragment, ignoring rows: one statement from the cache where it binds values, else one
    /// or more statements.
    package func execute(_ fragment: SQLFragment) throws(SQLiteError) {
        let bindings = fragment.bindings
        if bindings.isEmpty {
            try execute(sql: fragment.text)
        } else {
            try statement(sql: fragment.text).run(bindings)
        }
    }

    /// Prepares one statement, outside the cache.
    package func prepare(sql: String) throws(SQLiteError) -> Statement {
        try prepare(sql, flags: 0)
    }

    /// Prepares one statement, outside the cache, and binds the values of the fragment, if any.
    package func prepare(_ fragment: SQLFragment) throws(SQLiteError) -> Statement {
        let statement = try prepare(sql: fragment.text)
        let bindings = fragment.bindings
        if !bindings.isEmpty { try statement.bind(bindings) }
        return statement
    }

    func prepare(_ sql: String, flags: Int32) throws(SQLiteError) -> Statement {
        try state.check()
        var sql = sql
        var prepared: OpaquePointer?
        var hasTail = false
        let result = sql.withUTF8 { utf8 in
            guard let start = utf8.baseAddress else { return SQLITE_OK }
            return start.withMemoryRebound(to: CChar.self, capacity: utf8.count) { start in
                var tail: UnsafePointer<CChar>?
                let result = sqlite3_prepare_v3(
                    state.handle, start, Int32(clamping: utf8.count), UInt32(flags), &prepared,
                    &tail)
                if let tail {
                    let rest = UnsafeBufferPointer(
                        start: tail, count: utf8.count - (tail - start))
                    // Spaces and semicolons may follow; comments too, but nobody writes them there.
                    hasTail = rest.contains { !" \n\t\r;\0".utf8.contains(UInt8(bitPattern: $0)) }
                }
                return result
            }
        }
        guard result == SQLITE_OK else { throw state.lastError(result, sql: sql) }
        guard let prepared else {
            throw SQLiteError(code: .SQLITE_MISUSE, message: "the text has no statement", sql: sql)
        }
        let statement = Statement(adopting: prepared, state: state)
        guard !hasTail else {
            throw SQLiteError(
                code: .SQLITE_MISUSE, message: "the text has more than one statement", sql: sql)
        }
        return statement
    }

    // MARK: What happened

    /// Rows that the last INSERT, UPDATE or DELETE changed, triggers excluded.
    package var changes: Int64 { sqlite3_changes64(state.handle) }

    /// Rows changed since the connection was opened.
    package var totalChanges: Int64 { sqlite3_total_changes64(state.handle) }

    package var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(state.handle) }

    /// Whether a transaction is open. SQLite ends one by itself after some errors.
    package var isInTransaction: Bool { sqlite3_get_autocommit(state.handle) == 0 }

    /// Whether the main database cannot be written through this connection.
    package var isReadOnly: Bool { sqlite3_db_readonly(state.handle, "main") == 1 }
}
