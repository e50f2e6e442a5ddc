// SPDX-License-Identifier: MIT

import Foundation

/// A run for a tool that counts instructions within ``measuredSection(_:)``: one thread, small
/// sizes, the same in every run.
///
/// Each task is done twice by each contestant, the first time to set up what is set up at first use.
/// Prints a line for each section, in the order in which they run: the task, the contestant, and
/// whether it counts.
@MainActor
struct CountedRun {
    static let argument = "--counted-sections"
    private static let rowCount = 4_000
    private static let tasks: [BenchmarkTask] = [
        .insert, .fetchReadAll, .fetchReadOne, .lookupString, .lookupID, .update, .delete,
    ]

    let folder: URL

    init(in directory: URL) {
        folder = directory.appendingPathComponent(
            "cachestore-counted-\(UUID().uuidString)", isDirectory: true)
    }

    func run() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let runner = Runner(workload: Workload(rowCount: Self.rowCount), folder: folder)
        for (name, contestant) in contestants {
            let full = try runner.makeFullStore(by: contestant, named: name)
            for task in Self.tasks {
                try twice(task, name) {
                    _ = try runner.run(task, by: contestant, fullStore: full)
                }
            }
            try twice(.open, name) {
                try measuredSection {
                    try contestant.open(in: full)
                    _ = try contestant.readMetadata()
                }
                try contestant.close()
            }
        }
        let albums: [(String, any AlbumContestant)] = [("ours", OurAlbums()), ("raw", RawAlbums())]
        let walker = AlbumRunner(settings: Settings(), folder: folder)
        for (name, contestant) in albums {
            try walker.fill(contestant, with: SampleRow.make(count: Self.rowCount))
            try twice(.walkToMany, name) { _ = try walker.walk(contestant) }
        }
    }

    private var contestants: [(String, any Contestant)] {
        [("ours", OurContestant()), ("raw", RawContestant())]
    }

    private func twice(_ task: BenchmarkTask, _ name: String, _ body: () throws -> Void) throws {
        for kind in ["warm", "counts"] {
            try body()
            StandardStreams.printResult("\(task.rawValue)\t\(name)\t\(kind)")
        }
    }
}
