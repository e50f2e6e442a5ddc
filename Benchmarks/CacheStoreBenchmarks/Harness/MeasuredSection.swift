// SPDX-License-Identifier: MIT

// Scripts/bench-instructions tells callgrind to count within `countedInstructions`, and to write the
// count down after `measuredSection`: two functions, because it takes one order for each name. They
// must stay functions, which is why nothing of them may be optimised.

/// The work that counts.
@inline(never)
@_optimize(none)
func measuredSection(_ body: () throws -> Void) rethrows { try countedInstructions(body) }

@inline(never)
@_optimize(none)
private func countedInstructions(_ body: () throws -> Void) rethrows { try body() }

/// The time that the work takes.
func measure(_ body: () throws -> Void) rethrows -> Duration {
    try ContinuousClock().measure { try measuredSection(body) }
}
