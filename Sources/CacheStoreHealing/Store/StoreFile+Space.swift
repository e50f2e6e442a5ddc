// SPDX-License-Identifier: MIT

import CacheStoreProcess
import CacheStoreSQLite
import Foundation

/// Staying able to delete when the disk is full.
///
/// A commit writes pages to the log only; a checkpoint copies them into the database, which has to
/// grow for new ones. On a full disk it cannot, so the log can never start again, and as a deletion
/// writes to the log as well, not even that is possible: the store is stuck. So where the disk is
/// nearly full, the database grows before the commit: a checkpoint is then always possible, the log's
/// space is free again for what comes next, and a deletion needs no other.
extension StoreFile {
    /// With more than this free nothing is done: the log is far from being that large.
    private static let plenty: Int64 = 256 << 20

    /// At the end of a write transaction: sees to it that what it writes will fit into the file.
    ///
    /// Where the transaction is rolled back afterwards, the file is longer than what it has, until the
    /// next checkpoint cuts it: the first page says how many pages count.
    ///
    /// - Throws: `SQLITE_FULL`.
    func growForCheckpoint(_ connection: Connection) throws {
        guard scarceSpace != nil,
            let pages = try connection.pragma("page_count")?.integer
        else { return }
        let size = pages * Int64(StoreFormat.pageSize)
        guard let now = FileTree.size(at: paths.main), now < size else { return }
        do throws(SQLiteError) {
            try connection.grow(to: size)
        } catch {
            // SQLite makes a general error of writing of it.
            if error.code != .SQLITE_IOERR_WRITE { throw error }
            throw SQLiteError(code: .SQLITE_FULL, message: "database or disk is full")
        }
    }

    /// Whether the log has more than a quarter of what is free: then it is not left to grow on.
    var logIsLargeForTheDisk: Bool {
        let bytes = Int64(logSize.pageCount) * Int64(StoreFormat.pageSize)
        guard bytes > 0, let free = scarceSpace else { return false }
        return bytes > free / 4
    }

    /// What is free for the store, where that is little: on its disk, or up to the limit of this
    /// process for the size of a file. Two system calls.
    private var scarceSpace: Int64? {
        if usesRollbackJournal { return nil }
        let free = FreeSpace(at: paths.directory)?.available ?? .max
        let room = FileSizeLimit.current ?? .max
        let least = min(free, room)
        return least < Self.plenty ? least : nil
    }

    /// After a write that found the disk full: gives back what can be given back.
    func makeRoom() {
        Quarantine(paths: paths, policy: options.quarantine).dropSetsIfDiskIsShort()
        // Not cut: its space is what a deletion can be sure of.
        _ = try? withWriter { connection in
            let result = try connection.checkpoint(.passive)
            logSize.didCheckpoint(result)
        }
    }
}
