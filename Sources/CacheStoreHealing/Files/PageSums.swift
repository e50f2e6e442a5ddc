// SPDX-License-Identifier: MIT

import CCacheStoreShims
import Foundation

/// Which version of each page a database should have, as its side file says
/// (Documentation/Decisions/0009-page-sums.md). For readers without SQLite; nobody writes meanwhile.
struct PageSums: Sendable, Hashable {
    // 0 for a page that nothing is known of.
    private let sums: [UInt32]

    /// - Parameters:
    ///   - path: the database.
    ///   - header: its first bytes.
    /// - Returns: `nil` where nothing is known: there is no side file, or it is of another state.
    init?(of path: String, header: [UInt8]) {
        guard header.count >= 100 else { return nil }
        var count: UInt32 = 0
        guard
            let sums = cachestore_read_page_sums(
                StorePaths(main: path).sums, header, &count)
        else { return nil }
        defer { free(sums) }
        self.sums = Array(UnsafeBufferPointer(start: sums, count: Int(count)))
    }

    /// Whether a page, whose checksum fits, is that of an older version of the file.
    func isStale(checksum: UInt64, number: Int) -> Bool {
        // With an older first page, nothing would be known of any.
        guard number > 1, number <= sums.count, sums[number - 1] != 0 else { return false }
        return sums[number - 1] != cachestore_page_sum(checksum)
    }
}
