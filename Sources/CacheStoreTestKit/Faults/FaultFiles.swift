// SPDX-License-Identifier: MIT
import CCacheStoreFaults

/// Which files of a database a ``FaultPlan`` means.
public struct FaultFiles: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The database itself.
    public static let database = Self(rawValue: Int(CACHESTORE_FAULT_DATABASE))
    /// The write-ahead log.
    public static let log = Self(rawValue: Int(CACHESTORE_FAULT_LOG))
    /// The rollback journal.
    public static let journal = Self(rawValue: Int(CACHESTORE_FAULT_JOURNAL))
    /// Everything else.
    public static let other = Self(rawValue: Int(CACHESTORE_FAULT_OTHER))
    /// All files.
    public static let all = Self(rawValue: Int(CACHESTORE_FAULT_ALL_FILES))
}
