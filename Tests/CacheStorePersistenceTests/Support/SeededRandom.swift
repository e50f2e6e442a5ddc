// SPDX-License-Identifier: MIT

import Foundation

/// Random numbers that a seed determines (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Whether something that happens once in so many times happens.
    mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }

    /// The seeds to run: the one in `CACHESTORE_SEED` or `SEED`, else some fixed and some new ones.
    static var seeds: [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let text = environment["CACHESTORE_SEED"] ?? environment["SEED"],
            let seed = UInt64(text)
        {
            return [seed]
        }
        let isSlow = environment["CACHESTORE_SLOW_TESTS"] == "1"
        return [1, 2, 3] + (0..<(isSlow ? 60 : 3)).map { _ in UInt64.random(in: 0...UInt64.max) }
    }
}
