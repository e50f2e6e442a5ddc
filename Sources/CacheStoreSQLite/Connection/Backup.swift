// SPDX-License-Identifier: MIT
import CCacheStoreSQLite

/// A copy of one database over another, page by page (https://sqlite.org/backup.html).
///
/// Both connections stay as they are until the backup is finished or gone.
package final class Backup {
    private var handle: OpaquePointer?
    private let source: Connection
    private let destination: Connection

    /// Starts a copy of the main database of a connection over that of another one.
    package init(from source: Connection, to destination: Connection) throws(SQLiteError) {
        try source.checkUsable()
        try destination.checkUsable()
        self.source = source
        self.destination = destination
        handle = sqlite3_backup_init(destination.handle, "main", source.handle, "main")
        guard handle != nil else {
            throw destination.state.lastError(sqlite3_errcode(destination.handle), sql: nil)
        }
    }

    deinit {
        if let handle, destination.state.isOfThisProcess { sqlite3_backup_finish(handle) }
    }

    /// Pages of the source, after the first step.
    package var pageCount: Int { Int(sqlite3_backup_pagecount(handle)) }

    /// Pages still to be copied, after the first step.
    package var remainingPages: Int { Int(sqlite3_backup_remaining(handle)) }

    /// Copies some pages, all with a negative number, and returns whether more are left.
    ///
    /// - Throws: `SQLITE_BUSY` and `SQLITE_LOCKED` when a lock is held; the step can be repeated.
    package func step(pages: Int = -1) throws(SQLiteError) -> Bool {
        try source.checkUsable()
        try destination.checkUsable()
        let result = sqlite3_backup_step(handle, Int32(clamping: pages))
        switch result {
        case SQLITE_OK: return true
        case SQLITE_DONE: return false
        default: throw SQLiteError(result: result)
        }
    }

    /// Ends the copy: for good after the last step, else the destination is rolled back.
    package func finish() throws(SQLiteError) {
        guard let handle else { return }
        self.handle = nil
        let result = sqlite3_backup_finish(handle)
        guard result == SQLITE_OK else { throw destination.state.lastError(result, sql: nil) }
    }
}

extension Connection {
    /// Copies the whole main database over that of another connection, as one transaction there.
    ///
    /// - Parameter shouldStop: asked after each 256 pages, with the share that is done.
    /// - Throws: `SQLITE_INTERRUPT` when told to stop; the destination is then as it was.
    package func copy(
        to destination: Connection, shouldStop: (Double) -> Bool = { _ in false }
    ) throws {
        let backup = try Backup(from: self, to: destination)
        while try backup.step(pages: 256) {
            let done = backup.pageCount - backup.remainingPages
            if shouldStop(Double(done) / Double(max(1, backup.pageCount))) {
                try backup.finish()
                throw SQLiteError(code: .SQLITE_INTERRUPT, message: "the copy was stopped")
            }
        }
        try backup.finish()
    }
}
