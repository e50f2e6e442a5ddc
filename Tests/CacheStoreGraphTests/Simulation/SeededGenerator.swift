// SPDX-License-Identifier: MIT

import Foundation

/// Random numbers that are the same for the same seed (SplitMix64).
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

    /// Whether an event of one in so many happens now.
    mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    /// The seeds of a random test: the one in `CACHESTORE_SEED`, or fixed ones and, with
    /// `CACHESTORE_SLOW_TESTS=1`, many more.
    static func seeds(_ count: Int, slow: Int) -> [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let text = environment["CACHESTORE_SEED"], let seed = UInt64(text) { return [seed] }
        return (1...(environment["CACHESTORE_SLOW_TESTS"] == "1" ? slow : count)).map { UInt64($0) }
    }
}
