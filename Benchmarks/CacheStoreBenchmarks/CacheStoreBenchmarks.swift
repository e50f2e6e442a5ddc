// SPDX-License-Identifier: MIT

import Foundation

/// Times the store against the C interface of SQLite doing the same work.
///
/// Prints `task<TAB>ours<TAB>raw<TAB>ratio`, the median of five rounds, and nothing else on the
/// standard output. Times are in milliseconds, those of `growth` in microseconds; `concurrent-reads`
/// are reads a second, and `peak-memory` is in KiB. In the environment,
/// - `TASKS` names the tasks to run, all by default,
/// - `ROUNDS` and `ROWS` change the number of rounds and rows,
/// - `SECONDS` is how long each contestant reads in a round of `concurrent-reads`,
/// - `LONG=1` lets `growth` go to ten million rows,
/// - `BENCH_DIRECTORY` is the folder for the stores; those of 100 MB and 1 GB stay there, for the
///   next run,
/// - `CHART` is the file for a drawing of the results.
@main
@MainActor
struct CacheStoreBenchmarks {
    static func main() {
        do {
            if let command = ChildCommand(Array(CommandLine.arguments.dropFirst())) {
                return try command.run()
            }
            let settings = try Settings(ProcessInfo.processInfo.environment)
            if CommandLine.arguments.contains(CountedRun.argument) {
                return try CountedRun(in: settings.directory).run()
            }
            try Benchmark(settings).run()
        } catch {
            StandardStreams.tell("\(error)")
            exit(1)
        }
    }
}
