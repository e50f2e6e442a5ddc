// SPDX-License-Identifier: MIT
import Synchronization

/// A number that stands for the text of a statement, so that finding the prepared statement hashes
/// an integer and not the text.
///
/// Make one per text and keep it; a key is never given out twice in a process.
@usableFromInline
package struct StatementKey: Sendable, Hashable {
    @usableFromInline let rawValue: UInt64

    private static let last = Atomic<UInt64>(0)

    package init() {
        rawValue = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
