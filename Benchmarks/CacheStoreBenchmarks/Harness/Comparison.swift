// SPDX-License-Identifier: MIT

import Foundation

/// One line of the result: what ours and the rival need for the same work.
struct Comparison: Sendable {
    /// What the numbers count.
    enum Unit: String, Sendable {
        case milliseconds = "ms"
        /// Microseconds a row, a look-up or a save.
        case microseconds = "µs"
        case kibibytes = "KiB"
        case readsPerSecond = "reads/s"
        case instructions
    }

    var name: String
    var ours: Double
    /// What the rival needs; `nil` where there is none.
    var raw: Double?
    var unit = Unit.milliseconds

    var ratio: Double? { raw.map { ours / $0 } }

    /// The line as it is printed.
    var line: String {
        [name, Self.format(ours), raw.map(Self.format) ?? "-", ratio.map(Self.format) ?? "-"]
            .joined(separator: "\t")
    }

    private static func format(_ number: Double) -> String {
        String(format: number < 10 ? "%.3f" : number < 10_000 ? "%.1f" : "%.0f", number)
    }
}

/// What one run of a task gave.
struct Outcome {
    /// One number for each thing that was measured.
    var values: [Double]
    /// A number that must be the same for every contestant.
    var checksum: UInt64 = 0

    init(values: [Double], checksum: UInt64) {
        self.values = values
        self.checksum = checksum
    }

    init(value: Double, checksum: UInt64 = 0) {
        self.init(values: [value], checksum: checksum)
    }

    init(_ duration: Duration, checksum: UInt64) {
        self.init(value: duration / .milliseconds(1), checksum: checksum)
    }
}

extension Comparison {
    /// Runs two contestants in turns, so that a busy moment of the machine hits both, and takes the
    /// medians. Who begins changes from round to round.
    ///
    /// - Parameter names: of the things that each run measures.
    /// - Throws: ``BenchmarkError`` if their checksums differ.
    @MainActor
    static func inTurns(
        _ names: [String], rounds: Int, unit: Unit = .milliseconds,
        ours: () throws -> Outcome, raw: () throws -> Outcome
    ) throws -> [Comparison] {
        var (ourRuns, rawRuns): ([Outcome], [Outcome]) = ([], [])
        for round in 0..<rounds {
            if round.isMultiple(of: 2) { ourRuns.append(try ours()) }
            rawRuns.append(try raw())
            if !round.isMultiple(of: 2) { ourRuns.append(try ours()) }
        }
        guard ourRuns.map(\.checksum) == rawRuns.map(\.checksum) else {
            throw BenchmarkError("\(names[0]): the contestants read different rows")
        }
        return names.enumerated().map { index, name in
            Comparison(
                name: name, ours: ourRuns.map { $0.values[index] }.median,
                raw: rawRuns.map { $0.values[index] }.median, unit: unit)
        }
    }

    /// The same with one thing that is measured.
    @MainActor
    static func inTurns(
        _ name: String, rounds: Int, unit: Unit = .milliseconds,
        ours: () throws -> Outcome, raw: () throws -> Outcome
    ) throws -> Comparison {
        try inTurns([name], rounds: rounds, unit: unit, ours: ours, raw: raw)[0]
    }
}
