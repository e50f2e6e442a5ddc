// SPDX-License-Identifier: MIT

/// The pragmas and switches that a new connection gets.
package struct ConnectionSettings: Sendable, Hashable {
    package enum JournalMode: String, Sendable {
        case wal = "WAL"
        /// A rollback journal: for network file systems, where the log's shared memory cannot work.
        case delete = "DELETE"
    }

    package enum Synchronous: String, Sendable {
        /// After a power failure the last commits may be gone; the file is consistent.
        case normal = "NORMAL"
        /// Every commit is on the disk when it returns.
        case full = "FULL"
    }

    package var journalMode = JournalMode.wal
    package var synchronous = Synchronous.normal

    /// Page cache in KiB.
    package var cacheSizeInKiB = 65_536

    /// Log pages after which a commit checkpoints by itself; 0, the default, is never: checkpoints
    /// happen only under the lock that keeps other writers out.
    package var walAutocheckpoint = 0

    /// Whether the last connection to close empties and deletes the log.
    package var checkpointsOnClose = true

    /// To how many bytes the log, or a journal, is cut after use; negative is never.
    package var journalSizeLimit: Int64 = 64 << 20

    /// Refuses every change. Unlike a read-only connection it can still recover the log.
    package var isQueryOnly = false

    /// For new files: the size of a page.
    package var pageSize = 4096

    /// For new files: bytes at the end of each page that SQLite leaves alone.
    package var reservedBytes: Int?

    package var busyTimeout = Duration.seconds(5)

    package init() {}

    /// Settings for a reader beside the writer of these: no changes, and a quarter of the cache, so
    /// that the four readers of a pool have as much as the writer.
    package var forReader: Self {
        var settings = self
        settings.cacheSizeInKiB = max(2_048, cacheSizeInKiB / 4)
        settings.checkpointsOnClose = false
        settings.isQueryOnly = true
        return settings
    }
}

extension ConnectionSettings {
    /// Applies the settings. The first statements of a connection, so that what only a new file
    /// takes is set before its first page exists.
    ///
    /// - Returns: the journal mode that is in force, in lower case. `memory` for a database in
    ///   memory; `delete` where a WAL is not possible.
    /// - Throws: among others `SQLITE_NOTADB` and `SQLITE_BUSY`: reading the header is the first
    ///   thing that touches the file.
    @discardableResult
    package func apply(to connection: Connection) throws -> String {
        connection.busyTimeout = busyTimeout
        try applySwitches(to: connection)

        // A truncated file under a mapping is SIGBUS, which nothing can handle.
        if try connection.mappingLimit() != 0 { try connection.setPragma("mmap_size", to: 0) }
        // In one piece: each pragma on its own would cost twice as much.
        //
        // Without `cell_size_check`, a damaged cell is only found when it is used, or never. Debian
        // builds with SECURE_DELETE, which writes freed pages once more; FAST overwrites what is
        // freed on pages that are written anyway.
        try connection.execute(
            sql: """
                PRAGMA cache_size = \(-cacheSizeInKiB);
                PRAGMA temp_store = MEMORY;
                PRAGMA cell_size_check = ON;
                PRAGMA secure_delete = FAST
                """)

        var mode = ""
        if connection.isReadOnly || isQueryOnly {
            mode = try connection.pragma("journal_mode")?.text ?? ""
        } else {
            // Only an empty file takes these, but auto_vacuum writes to any: a transaction, and a
            // sync of the log, for nothing.
            if try connection.pragma("page_count")?.integer == 0 {
                try connection.setPragma("page_size", to: .integer(Int64(pageSize)))
                if let reservedBytes { try connection.setReservedBytes(reservedBytes) }
                try connection.setPragma("auto_vacuum", to: "INCREMENTAL")
            }
            mode =
                try connection.setPragma("journal_mode", to: .keyword(journalMode.rawValue))?
                .text ?? ""
        }
        connection.setAutocheckpoint(pages: walAutocheckpoint)
        var pragmas = """
            PRAGMA synchronous = \(synchronous.rawValue);
            PRAGMA journal_size_limit = \(journalSizeLimit)
            """
        if isQueryOnly { pragmas += "; PRAGMA query_only = ON" }
        try connection.execute(sql: pragmas)
        return mode
    }

    private func applySwitches(to connection: Connection) throws {
        // The advice for files that others may have made: https://sqlite.org/security.html.
        try connection.configure(.trustedSchema, false)
        try connection.configure(.defensive, true)
        // "name" in double quotes is then always an identifier, so that a misspelt column is an
        // error and not a text.
        try connection.configure(.doubleQuotedStringsInDML, false)
        try connection.configure(.doubleQuotedStringsInDDL, false)
        try connection.configure(.foreignKeys, false)
        try connection.configure(.noCheckpointOnClose, !checkpointsOnClose)
    }
}
