// SPDX-License-Identifier: MIT

import Foundation

/// Runs the tasks and takes the times.
@MainActor
struct Runner {
    /// What one run of a task gave.
    struct Outcome {
        var milliseconds: Double
        /// A number that must be the same for every contestant.
        var checksum: UInt64
    }

    let workload: Workload
    /// The folder for all stores; removed by ``removeAll()``.
    let folder: URL

    /// Runs a task once on a store of its own.
    func run(
        _ task: BenchmarkTask, by contestant: any Contestant, fullStore: URL
    ) throws -> Outcome {
        let store = folder.appendingPathComponent("round", isDirectory: true)
        try? FileManager.default.removeItem(at: store)
        if task.needsRows { try FileManager.default.copyItem(at: fullStore, to: store) }
        if task != .open { try contestant.open(in: store) }
        let outcome = try time(task, by: contestant, store)
        try contestant.close()
        return outcome
    }

    /// Makes the store that the tasks start from.
    func makeFullStore(by contestant: any Contestant, named name: String) throws -> URL {
        let store = folder.appendingPathComponent(name, isDirectory: true)
        try contestant.open(in: store)
        try contestant.insert(workload.rows)
        try contestant.close()
        return store
    }

    func removeAll() { try? FileManager.default.removeItem(at: folder) }

    private func time(
        _ task: BenchmarkTask, by contestant: any Contestant, _ store: URL
    ) throws -> Outcome {
        let clock = ContinuousClock()
        var checksum: UInt64 = 0
        var duration = Duration.zero
        switch task {
        case .insert:
            duration = try clock.measure { try contestant.insert(workload.rows) }
            checksum = try contestant.fetchAndReadAll()
        case .fetchReadAll:
            duration = try clock.measure { checksum = try contestant.fetchAndReadAll() }
        case .lookupString:
            duration = try clock.measure { checksum = try contestant.lookUp(workload.names) }
        case .update:
            try contestant.select(first: workload.changeCount)
            duration = try clock.measure { try contestant.updateSelection() }
            checksum = try contestant.fetchAndReadAll()
        case .delete:
            try contestant.select(first: workload.changeCount)
            duration = try clock.measure { try contestant.deleteSelection() }
            checksum = try contestant.fetchAndReadAll()
        case .open:
            duration = try clock.measure {
                try contestant.open(in: store)
                _ = try contestant.readMetadata()
            }
        }
        return Outcome(milliseconds: duration / .milliseconds(1), checksum: checksum)
    }
}
