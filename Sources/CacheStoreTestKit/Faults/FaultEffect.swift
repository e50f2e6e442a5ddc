// SPDX-License-Identifier: MIT
import CCacheStoreFaults

/// What is done by an operation that fails in a ``FaultPlan``.
public struct FaultEffect: Sendable, Hashable {
    let value: cachestore_fault_kind

    /// Nothing, and the error is returned.
    public static let fails = Self(value: CACHESTORE_FAULT_FAILS)
    /// Of a write, a part; and the error is returned. Of others, nothing.
    public static let stopsHalfway = Self(value: CACHESTORE_FAULT_STOPS_HALFWAY)
    /// Of a write, a part; and it seems to have succeeded. Of others as ``pretends``.
    public static let tears = Self(value: CACHESTORE_FAULT_TEARS)
    /// Of a write, sync, truncation or removal, nothing; and it seems to have succeeded. Others
    /// succeed.
    public static let pretends = Self(value: CACHESTORE_FAULT_PRETENDS)
    /// Of a read, all, with one bit turned round. Others succeed.
    public static let flipsBit = Self(value: CACHESTORE_FAULT_FLIPS_BIT)

    /// Returns whether two stand for the same.
    public static func == (left: Self, right: Self) -> Bool {
        left.value.rawValue == right.value.rawValue
    }

    /// Feeds what makes it the same as another.
    public func hash(into hasher: inout Hasher) { hasher.combine(value.rawValue) }
}
