// SPDX-License-Identifier: MIT

import Foundation

/// The seeds of the random tests of this package.
package enum TestSeed {
    /// The one that `CACHESTORE_TEST_SEED` names, to repeat a failure.
    package static var given: UInt64? {
        ProcessInfo.processInfo.environment["CACHESTORE_TEST_SEED"].flatMap { UInt64($0) }
    }

    /// Whether tests are to take longer: `CACHESTORE_SLOW_TESTS=1`.
    package static var areTestsSlow: Bool {
        ProcessInfo.processInfo.environment["CACHESTORE_SLOW_TESTS"] == "1"
    }

    /// The given one, or a new one, for the message of a failure.
    package static func make() -> UInt64 { given ?? .random(in: .min ... .max) }

    /// The given one, or fixed ones: so many, or of slow tests as many as are named for those.
    package static func fixed(_ count: Int, slow: Int) -> [UInt64] {
        if let given { return [given] }
        return (1...(areTestsSlow ? slow : count)).map { UInt64($0) }
    }
}

extension SeededRandomNumberGenerator {
    /// Whether something that happens once in so many times happens.
    package mutating func oneIn(_ count: Int) -> Bool {
        Int.random(in: 0..<count, using: &self) == 0
    }

    /// One of some elements, of which there is one.
    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }
}
