// SPDX-License-Identifier: MIT
import CCacheStoreShims

/// What a connection knows about the checksums of its database.
package struct ChecksumStatistics: Sendable, Hashable {
    /// Who has written to the database, as far as its first page tells.
    package enum Writer: Sendable, Hashable {
        /// The database has no checksums.
        case unchecked
        /// All pages have their checksum: one that does not fit is damage.
        case sealed
        /// Another program has written to it, or moved the log into it, since it was sealed. Pages
        /// whose checksum does not fit are let through until ``Connection/sealPages()``.
        case anotherProgram
    }

    package var writer: Writer
    /// Whether checksums are compared.
    package var isVerifying: Bool

    /// Pages that were compared.
    package var verifiedPages: Int
    /// Pages of them that did not fit.
    package var failedPages: Int
    /// Pages that are of an older version of the file, in a scrub or among the failed ones: their
    /// checksum fits.
    package var stalePages: Int
    /// Pages in the log that were compared.
    package var verifiedLogPages: Int
    /// Pages of them that did not fit.
    package var failedLogPages: Int
    /// Reads that the system refused, of the database or its log.
    package var refusedReads: Int
    /// The number of the page that failed last.
    package var lastFailedPage: Int?

    /// Pages that another program moved out of our log, without a checksum. They have one again
    /// when they are written next.
    package var unstampedPages: Int
    /// Pages that did not fit, and were let through because another program has written.
    package var unsealedPages: Int
}

extension ChecksumStatistics {
    init(_ statistics: cachestore_checksum_statistics) {
        if statistics.is_active == 0 {
            writer = .unchecked
        } else {
            writer = statistics.is_sealed != 0 ? .sealed : .anotherProgram
        }
        isVerifying = statistics.verifies != 0
        verifiedPages = Int(clamping: statistics.verified)
        failedPages = Int(clamping: statistics.failed)
        stalePages = Int(clamping: statistics.stale)
        verifiedLogPages = Int(clamping: statistics.verified_in_log)
        failedLogPages = Int(clamping: statistics.failed_in_log)
        refusedReads = Int(clamping: statistics.unread)
        let page = Int(statistics.last_failed_page)
        lastFailedPage = page == 0 ? nil : page
        unstampedPages = Int(clamping: statistics.unstamped)
        unsealedPages = Int(clamping: statistics.unsealed)
    }
}
