// SPDX-License-Identifier: MIT

import CacheStoreTestKit
import Testing

@testable import CacheStoreGraph

@Suite struct PermanentKeysTests {
    @Test(arguments: TestSeed.fixed(8, slow: 100))
    func `each temporary key has the permanent one it was given first`(seed: UInt64) {
        var generator = SeededRandomNumberGenerator(seed: seed)
        var keys = PermanentKeys()
        var expected: [Int64: Int64] = [:]
        for _ in 0..<60 {
            // Runs, as saves of several contexts give them, in any order and with overlaps.
            var temporary = -Int64.random(in: 1..<300, using: &generator)
            var permanent = Int64.random(in: 1..<10_000, using: &generator)
            for _ in 0..<Int.random(in: 1..<12, using: &generator) {
                keys.add(temporary: temporary, permanent: permanent)
                if expected[temporary] == nil { expected[temporary] = permanent }
                temporary -= generator.oneIn(5) ? 2 : 1
                permanent += generator.oneIn(5) ? 3 : 1
            }
        }
        for key in -400..<Int64(0) { #expect(keys[key] == expected[key], "seed \(seed)") }
        #expect(!keys.isEmpty)
    }
}
