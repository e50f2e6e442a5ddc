// SPDX-License-Identifier: MIT

package import Foundation

/// What a store file says about itself: the table `cachestore_meta`.
///
/// Every write transaction adds one to the write count; a clean close copies the count to the clean
/// mark. The store was closed cleanly when the two are equal, so the first write of a session clears
/// the mark by itself, in its own transaction. And since every transaction writes the page of the
/// table, a log that belongs to another store always brings its own identifier with it.
package struct StoreMeta: Sendable, Hashable {
    /// "CSto", in the header of the file.
    static let applicationID: Int32 = 0x4353_746F
    /// In the header of the file, as the user version.
    static let formatVersion: Int32 = 1

    package var storeIdentifier: UUID
    package var fingerprint: String
    package var createdAt: Date
    var writeCount: Int64
    var cleanMark: Int64
    /// The identities that the file had before, the last one first.
    ///
    /// A reset is a transaction, so that the log can have a later identity than the file under it.
    /// That is how such a log is told from one that belongs to another file.
    var formerIdentifiers: [UUID] = []

    /// Whether the last session closed the store, and nothing was written since.
    var isClean: Bool { writeCount == cleanMark }

    /// Whether nothing was ever written to the store, nor was it closed, since it was made.
    var isUnused: Bool { writeCount == 1 && cleanMark == 0 }

    /// The identity and the former ones, for a store that takes the place of this one.
    var lineage: [UUID] { [storeIdentifier] + formerIdentifiers }
}
