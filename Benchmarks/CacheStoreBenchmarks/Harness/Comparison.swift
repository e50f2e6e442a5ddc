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
    var value: Double
    /// A number that must be the same for every contestant.
    var checksum: UInt64 = 0

    init(value: Double, checksum: UInt64 = 0) {
        self.value = value
        self.checksum = checksum
    }

    init(_ duration: Duration, checksum: UInt64) {
        self.init(value: duration / .milliseconds(1), checksum: checksum)
    }
}

extension Comparison {
    /// Runs two contestants in turns, so that a busy moment of the machine hits both, and takes the
    /// medians. Who begins changes from round to round.
    ///
    /// - Throws: ``BenchmarkError`` if their checksums differ.
    @MainActor
    static func inTurns(
        _ name: String, rounds: Int, unit: Unit = .milliseconds,
        ours: () throws -> Outcome, raw: () throws -> Outcome
    ) throws -> Comparison {
        var (ourValues, rawValues): ([Double], [Double]) = ([], [])
        for round in 0..<rounds {
            let first = try round.isMultiple(of: 2) ? ours() : raw()
            let second = try round.isMultiple(of: 2) ? raw() : ours()
            guard first.checksum == second.checksum else {
                throw BenchmarkError("\(name): the contestants read different rows")
            }
            ourValues.append(round.isMultiple(of: 2) ? first.value : second.value)
            rawValues.append(round.isMultiple(of: 2) ? second.value : first.value)
        }
        return Comparison(name: name, ours: ourValues.median, raw: rawValues.median, unit: unit)
    }
}
