// SPDX-License-Identifier: MIT

import Foundation

/// A generator of random numbers that gives the same ones for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// The seed of the random tests: that of `CACHESTORE_SEED`, or a new one, which is printed.
func testSeed(_ test: String = #function) -> UInt64 {
    let given = ProcessInfo.processInfo.environment["CACHESTORE_SEED"].flatMap { UInt64($0) }
    let seed = given ?? .random(in: .min ... .max)
    print("\(test): CACHESTORE_SEED=\(seed)")
    return seed
}
