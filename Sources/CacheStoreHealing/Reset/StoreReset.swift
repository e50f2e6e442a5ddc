// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation

/// Makes a store file empty, whatever it has. Only under the store's exclusive lock, or under the
/// lock that keeps writers out.
///
/// In place, by SQLite's own means: the file stays the same file, so that whoever has it open (a
/// person's `sqlite3`, say) sees the new content instead of writing into one that nobody finds any
/// more. Where SQLite cannot do it (a disk that does not give a page back, no space), the files are
/// deleted, which frees their space: the database first, for SQLite discards a log or journal
/// without its database, but would replay it over a new one.
struct StoreReset {
    let paths: StorePaths
    let busyTimeout: Duration
    /// Whether others have the store open.
    var isShared = false
    /// Whether those others have a log.
    var usesLog = true

    /// - Returns: how it was done.
    /// - Throws: ``SQLiteError`` when another program holds a lock of SQLite's own on the file;
    ///   ``FileSystemError`` when the files could not even be deleted.
    func perform() throws -> String {
        let way = try empty()
        try Self.emptyBlobs(of: paths)
        return way
    }

    /// As ``perform()``, but leaves the external values.
    func empty() throws -> String {
        var way = "in place"
        do {
            try resetInPlace()
        } catch let error as SQLiteError {
            if error.classification == .busy { throw error }
            try removeFiles()
            way = "files deleted, for in place: \(error.code)"
        }
        return way
    }

    private func resetInPlace() throws {
        guard try FileTree.sizeIfThere(at: paths.main) != nil else { return }
        if isShared, usesLog { try makeFirstPageReadable() }
        try ChecksumVFS.register()
        let connection = try Connection(
            .file(paths.main), mode: .readWrite, vfs: ChecksumVFS.name, busyTimeout: busyTimeout)
        // A first page that does not fit would fail the reset itself.
        try connection.setsChecksumVerification(false)
        // Reading tells the connection that there is a log, as far as the header can be read. With
        // the switch on it would not look, and take the locks of a rollback journal, which a
        // connection that has the log open never gives away.
        try? connection.execute(sql: "SELECT count(*) FROM sqlite_schema")
        // https://sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfigresetdatabase
        try connection.configure(.resetDatabase, true)
        // VACUUM needs room for the new database, which is empty: not in a directory that may be
        // full or missing.
        try connection.execute(sql: "PRAGMA temp_store = MEMORY")
        try connection.setReservedBytes(StoreFormat.reservedBytes)
        try connection.execute(sql: "PRAGMA page_size = \(StoreFormat.pageSize)")
        try connection.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
        try connection.execute(sql: "VACUUM")
        try connection.configure(.resetDatabase, false)
        try connection.setsChecksumVerification(true)
        // Empties the log as well.
        do {
            try connection.sealPages()
        } catch let error as SQLiteError where isShared && error.classification == .busy {
            // Somebody still reads the old content. The file is sealed by the checkpoint that gets
            // the first page into it, and if not by that, at an opening.
            return try connection.close()
        }
        guard try connection.checksumStatistics?.writer == .sealed else {
            // SQLite never takes fewer reserved bytes than a header has, however wrong it is.
            throw SQLiteError(code: .SQLITE_CORRUPT, message: "the pages got no checksums")
        }
        try connection.close()
    }

    /// Puts an empty first page in the place of one that says nothing.
    ///
    /// Only from a first page does SQLite learn that there is a log. Without, it would want the locks
    /// of a rollback journal, which connections that have the log open never give away.
    func makeFirstPageReadable() throws {
        let file = try RawFile(updating: paths.main)
        let header = DatabaseHeader(try file.read(count: DatabaseHeader.length))
        guard header?.usesLog != true else { return }
        try file.write(DatabaseHeader.emptyFirstPage, at: 0)
        try file.synchronize()
    }

    private func removeFiles() throws {
        try FileTree.remove(paths.main)
        try Self.removeSideFiles(of: paths)
        FileTree.synchronizeDirectory(paths.directory)
    }

    /// Only where the database is gone or empty.
    static func removeSideFiles(of paths: StorePaths) throws {
        for path in [paths.journal, paths.log, paths.sharedMemory, paths.sums] {
            try FileTree.remove(path)
        }
    }

    /// The values belong to rows that are gone; the directory itself may be a mount point.
    static func emptyBlobs(of paths: StorePaths) throws {
        for name in FileTree.names(in: paths.blobs) {
            try FileTree.removeDirectory(paths.blobs + "/" + name)
        }
    }
}
