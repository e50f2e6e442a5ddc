// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Synchronization

extension StoreFile {
    /// Whether the last session did not end cleanly, and the store has not been read through since.
    package var needsScrub: Bool {
        !mayMarkClean && !options.isReadOnly && !state.withLock { $0.isScrubbed }
    }

    var isClosedOrGivenUp: Bool {
        state.withLock { if case .open = $0.phase { false } else { true } }
    }

    /// Compares the checksums of some pages of the file. After the last one the store counts as read
    /// through, and a clean close will say so.
    ///
    /// A page whose checksum does not fit may be one that nothing reads: SQLite does not write those
    /// that it does not need. So then everything that is read is read through, which decides.
    ///
    /// - Returns: the page to go on with; `nil` when there is none.
    /// - Throws: as ``read(_:)``; `damaged` when a page is, and the store is given up then.
    func scrub(from first: Int, count: Int) throws -> Int? {
        let (next, isSealed): (Int?, Bool) = try translating {
            try pool.readWithoutTransaction(timeout: .zero) { connection in
                // Makes the connection look at the first page.
                _ = try connection.dataVersion()
                _ = try connection.statement(sql: "SELECT count(*) FROM sqlite_schema")
                    .first { $0.int64(at: 0) }
                // Where another program has written, a checksum that does not fit says nothing.
                guard try connection.checksumStatistics?.writer == .sealed else {
                    return (nil, false)
                }
                let found = try connection.scrubPages(from: first, count: count)
                guard found.failedPage == nil else {
                    try connection.resetPageCache()
                    guard try connection.quickCheck(maximumProblems: 1).isOK else {
                        throw SQLiteError(
                            code: .SQLITE_IOERR_DATA,
                            message: "the checksum of a page does not fit")
                    }
                    return (nil, true)
                }
                return (first + count > found.lastPage ? nil : first + count, true)
            }
        }
        if next == nil && isSealed { state.withLock { $0.isScrubbed = true } }
        return next
    }
}
