// SPDX-License-Identifier: MIT
import CCacheStoreSQLite

extension Connection {
    package enum TransactionKind: String, Sendable {
        /// Locks nothing before the first statement; a read then sees one snapshot to the end.
        case deferred = "BEGIN DEFERRED"
        /// Takes the write lock at once, so that it cannot fail with `SQLITE_BUSY` half-way.
        case immediate = "BEGIN IMMEDIATE"
        case exclusive = "BEGIN EXCLUSIVE"
    }

    /// Runs a closure in a transaction: commits when it returns, rolls back when it throws.
    ///
    /// - Throws: what the closure throws; a ``SQLiteError`` when beginning or committing fails, and
    ///   `SQLITE_ABORT_ROLLBACK` when SQLite had rolled back by itself and the closure hid that.
    package func transaction<T>(
        _ kind: TransactionKind = .immediate, _ body: () throws -> T
    ) throws -> T {
        try statement(sql: kind.rawValue).run()
        let depth = savepointDepth
        defer { savepointDepth = depth }
        do {
            let value = try body()
            guard isInTransaction else {
                throw SQLiteError(
                    code: .SQLITE_ABORT_ROLLBACK,
                    message: "the transaction was rolled back before it could be committed")
            }
            try statement(sql: "COMMIT").run()
            return value
        } catch {
            rollBack()
            throw error
        }
    }

    /// Runs a closure in a savepoint, inside a transaction: undoes its changes when it throws.
    package func savepoint<T>(_ body: () throws -> T) throws -> T {
        savepointDepth += 1
        defer { savepointDepth -= 1 }
        let name = "cachestore_\(savepointDepth)"
        try statement(sql: "SAVEPOINT \(name)").run()
        do {
            let value = try body()
            try statement(sql: "RELEASE \(name)").run()
            return value
        } catch {
            // After an error that ended the whole transaction there is no savepoint to go back to.
            if isInTransaction {
                undo("ROLLBACK TO \(name)")
                undo("RELEASE \(name)")
            }
            throw error
        }
    }

    /// Rolls back if a transaction is open. A failure is recorded, not thrown: there is always an
    /// earlier error that says more.
    package func rollBack() {
        // https://sqlite.org/lang_transaction.html: FULL, IOERR, NOMEM, BUSY and INTERRUPT may have
        // rolled back already; a second ROLLBACK would only be another error.
        guard isInTransaction else { return }
        undo("ROLLBACK")
    }

    /// Ends what somebody left in the middle: statements that were stepped and not reset, and a
    /// transaction.
    ///
    /// Either shows as a transaction, if only one that reads: asking for that is cheaper than looking
    /// at each statement (https://sqlite.org/c3ref/txn_state.html).
    func endReading() {
        guard sqlite3_txn_state(state.handle, nil) != SQLITE_TXN_NONE || isInTransaction else {
            return
        }
        resetStatements()
        rollBack()
    }

    // Also on a poisoned connection: undoing releases locks and writes nothing new.
    private func undo(_ sql: String) {
        guard state.isOfThisProcess else { return }
        let result = sqlite3_exec(state.handle, sql, nil, nil, nil)
        if result != SQLITE_OK { lastRollbackError = state.lastError(result, sql: sql) }
    }
}
