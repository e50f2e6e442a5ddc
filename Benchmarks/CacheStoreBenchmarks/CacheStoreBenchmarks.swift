// SPDX-License-Identifier: MIT

import Foundation

/// Times the store against the C interface of SQLite doing the same work.
///
/// Prints `task<TAB>ours<TAB>raw<TAB>ratio`, the times in milliseconds, each the median of five
/// rounds. `ROUNDS`, `ROWS` and `BENCH_DIRECTORY` in the environment change the number of rounds,
/// the number of rows and the folder for the stores.
@main
@MainActor
struct CacheStoreBenchmarks {
    static func main() {
        do {
            try run()
        } catch {
            tell("CacheStoreBenchmarks: \(error)")
            exit(1)
        }
    }

    private static func run() throws {
        let environment = ProcessInfo.processInfo.environment
        let rounds = max(1, environment["ROUNDS"].flatMap { Int($0) } ?? 5)
        let rowCount = max(10, environment["ROWS"].flatMap { Int($0) } ?? 100_000)
        let parent =
            environment["BENCH_DIRECTORY"].map { URL(fileURLWithPath: $0, isDirectory: true) }
            ?? FileManager.default.temporaryDirectory
        let runner = Runner(
            workload: Workload(rowCount: rowCount),
            folder: parent.appendingPathComponent("cachestore-bench-\(UUID().uuidString)"))
        defer { runner.removeAll() }

        let raw = RawContestant()
        let rawStore = try runner.makeFullStore(by: raw, named: "raw")
        let ours = OurContestant()
        let ourStore = try runner.makeFullStore(by: ours, named: "ours")
        print("task\tours\traw\tratio")
        for task in BenchmarkTask.allCases {
            var (ourTimes, rawTimes): ([Double], [Double]) = ([], [])
            // In turns, so that a busy moment of the machine hits both.
            for _ in 0..<rounds {
                let our = try runner.run(task, by: ours, fullStore: ourStore)
                let rival = try runner.run(task, by: raw, fullStore: rawStore)
                guard our.checksum == rival.checksum else {
                    throw BenchmarkError("\(task.rawValue): the contestants read different rows")
                }
                ourTimes.append(our.milliseconds)
                rawTimes.append(rival.milliseconds)
            }
            let (our, rival) = (ourTimes.median, rawTimes.median)
            print("\(task.rawValue)\t\(format(our))\t\(format(rival))\t\(format(our / rival))")
        }
    }

    private static func format(_ number: Double) -> String {
        String(format: number < 10 ? "%.3f" : "%.1f", number)
    }

    private static func tell(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }
}
