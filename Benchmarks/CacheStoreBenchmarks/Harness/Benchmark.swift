// SPDX-License-Identifier: MIT

import Foundation

/// One run over the chosen tasks.
@MainActor
final class Benchmark {
    private struct FullStores {
        let ours: URL
        let raw: URL
    }

    private let settings: Settings
    /// The folder for all stores of the run; removed at the end.
    private let folder: URL
    private let ours = OurContestant()
    private let raw = RawContestant()
    private lazy var runner = Runner(
        workload: Workload(rowCount: settings.rowCount), folder: folder)
    private var madeStores: FullStores?
    private var results: [Comparison] = []

    init(_ settings: Settings) {
        self.settings = settings
        folder = settings.directory.appendingPathComponent(
            "cachestore-bench-\(UUID().uuidString)", isDirectory: true)
    }

    func run() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for task in settings.tasks { try run(task) }
        guard let chart = settings.chart else { return }
        if settings.tasks == BenchmarkTask.allCases {
            try BenchmarkChart(results: results).write(to: chart)
        } else {
            StandardStreams.tell("nothing is drawn, since not all tasks were run")
        }
    }

    private func report(_ comparison: Comparison) {
        StandardStreams.printResult(comparison.line)
        results.append(comparison)
    }

    /// The stores that have the rows of the workload, made when they are first needed.
    private func fullStores() throws -> FullStores {
        if let madeStores { return madeStores }
        let stores = FullStores(
            ours: try runner.makeFullStore(by: ours, named: "ours"),
            raw: try runner.makeFullStore(by: raw, named: "raw"))
        madeStores = stores
        return stores
    }

    private func run(_ task: BenchmarkTask) throws {
        switch task {
        case .insert, .fetchReadAll, .fetchReadOne, .lookupString, .lookupID, .update, .delete:
            let stores = try fullStores()
            report(
                try .inTurns(
                    task.rawValue, rounds: settings.rounds,
                    ours: { try runner.run(task, by: ours, fullStore: stores.ours) },
                    raw: { try runner.run(task, by: raw, fullStore: stores.raw) }))
        case .walkToMany:
            report(try AlbumRunner(settings: settings, folder: folder).run())
        case .open, .openGigabyte:
            try OpeningRunner(settings: settings, folder: folder).run(task).map(report)
        case .concurrentReads:
            let stores = try fullStores()
            report(
                try ConcurrentReadsRunner(settings: settings, folder: folder).run(
                    ours: stores.ours, raw: stores.raw))
        case .peakMemory:
            let stores = try fullStores()
            report(
                try PeakMemory.run(
                    rounds: settings.rounds, ours: stores.ours, raw: stores.raw))
        case .autosave:
            report(try AutosaveAtTheEnd.run(settings: settings, folder: folder))
        case .growth:
            try GrowthRunner(settings: settings, folder: folder).run(report)
        case .checksums:
            try ChecksumRunner(settings: settings, folder: folder).run(report)
        }
    }
}
