// SPDX-License-Identifier: MIT

import Foundation

/// One run over the chosen tasks.
@MainActor
struct Benchmark {
    let settings: Settings
    /// The folder for all stores of the run; removed at the end.
    private let folder: URL
    private let ours = OurContestant()
    private let raw = RawContestant()

    init(_ settings: Settings) {
        self.settings = settings
        folder = settings.directory.appendingPathComponent(
            "cachestore-bench-\(UUID().uuidString)", isDirectory: true)
    }

    func run() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try runOnWorkload(settings.tasks.filter(\.usesWorkload))
        for task in settings.tasks where !task.usesWorkload {
            for comparison in try run(task) { report(comparison) }
        }
    }

    private func report(_ comparison: Comparison) {
        StandardStreams.printResult(comparison.line)
    }

    private func runOnWorkload(_ tasks: [BenchmarkTask]) throws {
        guard !tasks.isEmpty else { return }
        let runner = Runner(workload: Workload(rowCount: settings.rowCount), folder: folder)
        let ourStore = try runner.makeFullStore(by: ours, named: "ours")
        let rawStore = try runner.makeFullStore(by: raw, named: "raw")
        for task in tasks {
            report(
                try .inTurns(
                    task.rawValue, rounds: settings.rounds,
                    ours: { try runner.run(task, by: ours, fullStore: ourStore) },
                    raw: { try runner.run(task, by: raw, fullStore: rawStore) }))
        }
    }

    private func run(_ task: BenchmarkTask) throws -> [Comparison] {
        switch task {
        case .walkToMany: [try AlbumRunner(settings: settings, folder: folder).run()]
        case .open, .openGigabyte:
            try OpeningRunner(settings: settings, folder: folder).run(task)
        default: []
        }
    }
}
