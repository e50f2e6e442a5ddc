// SPDX-License-Identifier: MIT

import Foundation

/// Times the store against the C interface of SQLite doing the same work.
///
/// Prints `task<TAB>ours<TAB>raw<TAB>ratio`, the median of five rounds, and nothing else on the
/// standard output. Times are in milliseconds. In the environment,
/// - `TASKS` names the tasks to run, all by default,
/// - `ROUNDS` and `ROWS` change the number of rounds and rows,
/// - `BENCH_DIRECTORY` is the folder for the stores.
@main
@MainActor
struct CacheStoreBenchmarks {
    static func main() {
        do {
            let settings = try Settings(ProcessInfo.processInfo.environment)
            try Benchmark(settings).run()
        } catch {
            StandardStreams.tell("\(error)")
            exit(1)
        }
    }
}
