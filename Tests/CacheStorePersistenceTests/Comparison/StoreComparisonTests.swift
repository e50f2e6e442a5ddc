// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import CacheStoreTestKit
import Testing

@testable import CacheStorePersistence

/// Random operations, done with every kind of store and with the in-memory one.
///
/// A failing run prints its seed; `CACHESTORE_TEST_SEED` runs that one again,
/// `CACHESTORE_SLOW_TESTS=1` runs many more.
@Suite struct StoreComparisonTests {
    /// Some that are always the same, and some new ones.
    private static let seeds =
        TestSeed.given.map { [$0] }
        ?? [1, 2, 3] + (0..<(TestSeed.areTestsSlow ? 60 : 3)).map { _ in TestSeed.make() }

    @Test(arguments: StoreKind.allCases, seeds)
    func `random operations have the same outcome as in memory`(
        _ kind: StoreKind, _ seed: UInt64
    ) throws {
        let model = try ContractModel.make()
        let fixture = try StoreFixture(kind, model: model)
        var comparison = StoreComparison(
            InMemoryStore(model: model), fixture.store, seed: seed)
        let difference = try comparison.firstDifference(steps: 300)
        #expect(difference == nil, "CACHESTORE_TEST_SEED=\(seed)")
    }

    @Test(arguments: FaultyStore.Fault.allCases)
    func `a faulty store is noticed`(_ fault: FaultyStore.Fault) throws {
        let model = try ContractModel.make()
        for seed in 1...5 as ClosedRange<UInt64> {
            var comparison = StoreComparison(
                InMemoryStore(model: model), FaultyStore(fault, model: model), seed: seed)
            if try comparison.firstDifference(steps: 300) != nil { return }
        }
        Issue.record("the stores seemed equal")
    }

    @Test func `most random saves go through`() throws {
        let model = try ContractModel.make()
        let store = InMemoryStore(model: model)
        var comparison = StoreComparison(InMemoryStore(model: model), store, seed: 7)
        _ = try comparison.firstDifference(steps: 300)
        let person = try model.requiredEntity(named: "Person")
        #expect(try store.count(matching: StoreQuery(entity: person)) > 20)
    }
}
