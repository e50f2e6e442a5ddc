// SPDX-License-Identifier: MIT

import CacheStoreTestKit
import Foundation
import Testing

@testable import CacheStoreTorture

/// Some of the calls of the system fail, in every work; all of them with `CACHESTORE_SLOW_TESTS=1`.
@Suite(.enabled(if: SystemFaultPlan.isAvailable)) @MainActor
struct FaultTortureTests {
    private let run: ShortRun

    init() throws { run = try ShortRun() }

    @Test func `whatever call fails, the store opens, and nothing saved is lost or wrong`() throws {
        let tally = try run.faults(Work.allCases, FaultTorture.kinds, tries: 3)
        #expect(tally.isSound, "CACHESTORE_TEST_SEED=\(run.settings.seed)")
    }

    @Test(arguments: [Work.recover, .migrate])
    func `a page that the system refuses to read is not damage`(work: Work) throws {
        let tally = try run.faults(
            [work], [FaultTorture.Kind(name: "reads", calls: .read)], tries: 60)
        #expect(tally.isSound, "CACHESTORE_TEST_SEED=\(run.settings.seed)")
    }

    @Test(arguments: [Work.setAside, .reset, .salvage])
    func `a file that cannot be looked at is not taken for missing`(work: Work) throws {
        let tally = try run.faults(
            [work], [FaultTorture.Kind(name: "looks", calls: .look)], tries: 60)
        #expect(tally.isSound, "CACHESTORE_TEST_SEED=\(run.settings.seed)")
    }
}
