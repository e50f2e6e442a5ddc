// SPDX-License-Identifier: MIT
import CCacheStoreShims

/// The checksums of pages, of a connection that was opened through ``ChecksumVFS``.
extension Connection {
    /// What this connection has compared so far, `nil` where it is not on the VFS. The first
    /// statement makes the connection read who wrote the file last.
    package var checksumStatistics: ChecksumStatistics? {
        get throws(SQLiteError) {
            var statistics = cachestore_checksum_statistics()
            let operation = Int32(CACHESTORE_FCNTL_STATISTICS)
            guard try fileControl(operation, &statistics) else { return nil }
            return ChecksumStatistics(statistics)
        }
    }

    /// Switches the comparing of checksums on or off for this connection: off is for the reset of
    /// a damaged file, or for a look at what is left of it. They are written all the same.
    ///
    /// Pages that are in memory are not read again: ``resetPageCache()``.
    ///
    /// - Returns: whether it was on; `false` where the connection is not on the VFS.
    @discardableResult
    package func setsChecksumVerification(_ isOn: Bool) throws(SQLiteError) -> Bool {
        var value: Int32 = isOn ? 1 : 0
        return try fileControl(Int32(CACHESTORE_FCNTL_VERIFY), &value) && value != 0
    }

    /// What comparing some pages of the file gave.
    package struct PageScrub: Sendable, Hashable {
        /// The last page of the database; 0 where there is nothing to compare.
        package var lastPage: Int
        /// The first page that does not fit. It may be one that SQLite has never written, since
        /// nothing reads it.
        package var failedPage: Int?
    }

    /// Compares the checksums of some pages of the file, past SQLite and its cache: O(count).
    package func scrubPages(from first: Int, count: Int) throws(SQLiteError) -> PageScrub {
        var scrub = cachestore_page_scrub()
        scrub.first = UInt32(clamping: first)
        scrub.count = UInt32(clamping: count)
        _ = try fileControl(Int32(CACHESTORE_FCNTL_SCRUB), &scrub)
        return PageScrub(
            lastPage: Int(scrub.last_page),
            failedPage: scrub.failed_page == 0 ? nil : Int(scrub.failed_page))
    }

    /// Gives each page of a database that another program has written to its checksum, and makes
    /// the database vouch for them again. Nothing where it does. O(file).
    ///
    /// What the pages hold is taken as it is: check it first (``integrityCheck(maximumProblems:)``).
    /// The caller holds the lock that keeps other writers of ours out; no reader may be in the way.
    ///
    /// - Throws: `SQLITE_BUSY` when somebody reads an old snapshot, or writes.
    package func sealPages() throws {
        // The first page in the log would bring back the header that another program wrote.
        let log = try checkpoint(.truncate)
        guard log.isComplete else {
            throw SQLiteError(code: .SQLITE_BUSY, message: "the log could not be emptied")
        }
        // Nobody else writes the file while this transaction has the lock: with an empty log there
        // is nothing to be moved into it.
        try execute(sql: "BEGIN EXCLUSIVE")
        let result = Result { () throws(SQLiteError) in
            var unused: Int32 = 0
            _ = try fileControl(Int32(CACHESTORE_FCNTL_SEAL), &unused)
        }
        try execute(sql: "COMMIT")
        try result.get()
        try resetPageCache()
    }
}
