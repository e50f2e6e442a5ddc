// SPDX-License-Identifier: MIT

import CacheStoreTestKit
import Foundation

@testable import CacheStoreTorture

/// What a short run of the torture needs: a folder, the works' templates, and how long it may be.
@MainActor
final class ShortRun {
    let settings: TortureSettings
    let templates: Templates
    let runner: CrashRunner

    init() throws {
        let memory = URL(filePath: "/dev/shm")
        // Syncing costs nothing there, and is not what is tried.
        runner = try CrashRunner(in: access("/dev/shm", W_OK) == 0 ? memory : nil)
        settings = TortureSettings(seed: runner.seed)
        templates = try Templates(in: runner.folder.appending(path: "templates"))
    }

    nonisolated static let isSlow =
        ProcessInfo.processInfo.environment["CACHESTORE_SLOW_TESTS"] == "1"

    func faults(_ works: [Work], _ kinds: [FaultTorture.Kind], tries: Int?) throws -> Tally {
        var faults = FaultTorture(
            settings: settings, folder: runner.folder.appending(path: "try"), templates: templates)
        // Other tests run beside this one.
        faults.isAlone = false
        return try faults.run(works: works, kinds: kinds, tries: Self.isSlow ? nil : tries)
    }
}
