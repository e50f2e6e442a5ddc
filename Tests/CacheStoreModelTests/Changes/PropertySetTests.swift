// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreTestKit
import Testing

@Suite struct PropertySetTests {
    @Test(arguments: [10, 64, 65, 128, 300])
    func `a property set is a set of integers`(limit: Int) {
        let seed = TestSeed.make()
        var generator = SeededRandomNumberGenerator(seed: seed)
        var set = PropertySet()
        var expected: Set<Int> = []
        for _ in 0..<2000 {
            let index = Int.random(in: 0..<limit, using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0..<3:
                set.insert(index)
                expected.insert(index)
            case 3..<6:
                set.remove(index)
                expected.remove(index)
            case 6:
                let others = (0..<3).map { _ in Int.random(in: 0..<limit, using: &generator) }
                set.formUnion(PropertySet(others))
                expected.formUnion(others)
            default:
                set = PropertySet(set.indexes)
            }
            #expect(set.contains(index) == expected.contains(index), "seed \(seed)")
            #expect(set.isEmpty == expected.isEmpty, "seed \(seed)")
        }
        #expect(set.indexes == expected.sorted(), "seed \(seed)")
        #expect(set == PropertySet(expected), "seed \(seed)")
    }

    @Test func `sets are equal whatever was in them before`() {
        var wide = PropertySet([1, 200])
        wide.remove(200)
        #expect(wide == PropertySet([1]))
        #expect(PropertySet([1]) == wide)
        #expect(wide.hashValue == PropertySet([1]).hashValue)
        #expect(wide != PropertySet([1, 200]))
        #expect(!wide.contains(10_000))
    }
}
