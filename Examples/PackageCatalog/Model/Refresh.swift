// SPDX-License-Identifier: MIT

import CacheStore
import Foundation

/// One reading of the lists into the cache.
///
/// Its number is stamped on every version that it sees. Once it is finished, versions with a lower
/// number are in no list any more; while it is not, nothing can be said about them.
final class Refresh: ManagedObject {
    @Attribute(.unique) var number: Int64
    @Attribute var startedAt: Date = Date()
    @Attribute var finishedAt: Date?
    /// The number of entries read so far.
    @Attribute var entryCount: Int64 = 0
    /// The lines and dependencies that made no sense.
    @Attribute var malformedCount: Int64 = 0
    /// The lists, each on a line of its own.
    @Attribute var lists: String = ""
    /// Whether what it did not see has been dropped.
    @Attribute var isSwept: Bool = false
}
