// SPDX-License-Identifier: MIT

/// The work that counts. Its name is what `callgrind` is told to count within, so it must stay a
/// function of its own, which is why nothing of it may be optimised.
@inline(never)
@_optimize(none)
func measuredSection(_ body: () throws -> Void) rethrows { try body() }

/// The time that the work takes.
func measure(_ body: () throws -> Void) rethrows -> Duration {
    try ContinuousClock().measure { try measuredSection(body) }
}
