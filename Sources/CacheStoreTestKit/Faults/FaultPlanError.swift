// SPDX-License-Identifier: MIT

/// Why a ``FaultPlan`` could not do what it was told.
public struct FaultPlanError: Error, Sendable, Hashable {
    /// SQLite's result code.
    public let resultCode: Int32
}
