// SPDX-License-Identifier: MIT

import Foundation

/// What the environment says about a run.
struct Settings: Sendable {
    /// How often each task is repeated; the median counts.
    var rounds = 5
    /// The rows of the tasks that work on one table.
    var rowCount = 100_000
    /// How long each contestant reads in a round of `concurrent-reads`.
    var seconds = 10.0
    /// Whether `growth` goes to ten million rows.
    var isLong = false
    var tasks = BenchmarkTask.allCases
    /// The folder for the stores.
    var directory = FileManager.default.temporaryDirectory
    /// Whether the folder was named, so that the large stores may stay there for the next run.
    var keepsLargeStores = false
    /// Where the drawing goes; none is made without.
    var chart: URL?

    init() {}

    init(_ environment: [String: String]) throws {
        if let text = environment["ROUNDS"] { rounds = max(1, try Self.number(text, "ROUNDS")) }
        if let text = environment["ROWS"] { rowCount = max(100, try Self.number(text, "ROWS")) }
        if let text = environment["SECONDS"] {
            seconds = Double(max(1, try Self.number(text, "SECONDS")))
        }
        isLong = environment["LONG"] == "1"
        if let text = environment["TASKS"], !text.isEmpty {
            let names = text.split { $0 == " " || $0 == "," }
            tasks = try names.map { name in
                guard let task = BenchmarkTask(rawValue: String(name)) else {
                    let known = BenchmarkTask.allCases.map(\.rawValue).joined(separator: ", ")
                    throw BenchmarkError("TASKS: \(name) is none of \(known)")
                }
                return task
            }
        }
        if let path = environment["BENCH_DIRECTORY"], !path.isEmpty {
            directory = URL(fileURLWithPath: path, isDirectory: true)
            keepsLargeStores = true
        }
        if let path = environment["CHART"], !path.isEmpty { chart = URL(fileURLWithPath: path) }
    }

    private static func number(_ text: String, _ name: String) throws -> Int {
        guard let number = Int(text) else { throw BenchmarkError("\(name) is not a number") }
        return number
    }
}
