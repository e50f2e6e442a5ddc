// SPDX-License-Identifier: MIT

import Foundation

/// Runs the tasks that work on one table, and takes the times.
@MainActor
struct Runner {
    let workload: Workload
    /// The folder for all stores.
    let folder: URL

    /// Runs a task once on a store of its own.
    func run(
        _ task: BenchmarkTask, by contestant: any Contestant, fullStore: URL
    ) throws -> Outcome {
        let store = folder.appendingPathComponent("round", isDirectory: true)
        try? FileManager.default.removeItem(at: store)
        if task != .insert { try FileManager.default.copyItem(at: fullStore, to: store) }
        try contestant.open(in: store)
        let outcome = try time(task, by: contestant)
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

    private func time(_ task: BenchmarkTask, by contestant: any Contestant) throws -> Outcome {
        var checksum: UInt64 = 0
        var duration = Duration.zero
        switch task {
        case .insert:
            duration = try measure { try contestant.insert(workload.rows) }
            checksum = try contestant.fetchAndReadAll()
        case .fetchReadAll:
            duration = try measure { checksum = try contestant.fetchAndReadAll() }
        case .fetchReadOne:
            duration = try measure { checksum = try contestant.fetchAndReadOne() }
        case .lookupString:
            duration = try measure { checksum = try contestant.lookUp(workload.names) }
        case .lookupID:
            try contestant.rememberIDs()
            duration = try measure { checksum = try contestant.lookUpIDs(at: workload.positions) }
        case .update:
            try contestant.select(first: workload.changeCount)
            duration = try measure { try contestant.updateSelection() }
            checksum = try contestant.fetchAndReadAll()
        case .delete:
            try contestant.select(first: workload.changeCount)
            duration = try measure { try contestant.deleteSelection() }
            checksum = try contestant.fetchAndReadAll()
        default:
            throw BenchmarkError("\(task.rawValue) is not a task on the rows of the workload")
        }
        return Outcome(duration, checksum: checksum)
    }
}
