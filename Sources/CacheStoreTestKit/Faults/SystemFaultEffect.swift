// SPDX-License-Identifier: MIT
import CCacheStoreFaults

/// What is done by a call that fails in a ``SystemFaultPlan``.
public struct SystemFaultEffect: Sendable, Hashable {
    private enum Value: Sendable {
        case fails, tears, isShort, kills, tearsAndKills
    }

    private let value: Value

    var effect: cachestore_call_effect {
        switch value {
        case .fails: CACHESTORE_CALL_FAILS
        case .tears: CACHESTORE_CALL_TEARS
        case .isShort: CACHESTORE_CALL_IS_SHORT
        case .kills: CACHESTORE_CALL_KILLS
        case .tearsAndKills: CACHESTORE_CALL_TEARS_AND_KILLS
        }
    }

    /// Nothing, and the call returns an error.
    public static let fails = Self(value: .fails)
    /// Of a write, the first half; and the call returns an error. Of others, nothing.
    public static let tears = Self(value: .tears)
    /// Of a write, the first half; and the call says so, as POSIX allows. Others succeed.
    public static let isShort = Self(value: .isShort)
    /// Nothing: the process is killed (`SIGKILL`).
    public static let kills = Self(value: .kills)
    /// Of a write, the first half; then the process is killed.
    public static let tearsAndKills = Self(value: .tearsAndKills)
}
