// SPDX-License-Identifier: MIT

import Foundation

/// Runs `growth`: what a row, a look-up and a save cost in stores of very different sizes, in
/// microseconds.
@MainActor
struct GrowthRunner {
    private static let rowsPerSave = 10_000
    private static let lookups = 1_000
    private static let changesPerSave = 100
    private static let saves = 5

    /// The kinds of lines, in the order of ``costs(of:size:)``.
    private static let kinds = ["insert", "lookup", "save"]

    let settings: Settings
    let folder: URL

    /// - Parameter report: called after each size, since the large ones take long.
    func run(_ report: (Comparison) -> Void) throws {
        let sizes = [10_000, 100_000, 1_000_000] + (settings.isLong ? [10_000_000] : [])
        let (ours, raw) = (OurContestant(), RawContestant())
        for size in sizes {
            // A large store is its own average.
            let rounds = size > 100_000 ? 1 : settings.rounds
            let comparisons = try Comparison.inTurns(
                Self.kinds.map { "growth-\($0)-\(size)" }, rounds: rounds, unit: .microseconds,
                ours: { try costs(of: ours, size: size) }, raw: { try costs(of: raw, size: size) })
            for comparison in comparisons { report(comparison) }
        }
    }

    private func costs(of contestant: any Contestant, size: Int) throws -> Outcome {
        let store = folder.appendingPathComponent("growth", isDirectory: true)
        defer { try? FileManager.default.removeItem(at: store) }
        try contestant.open(in: store)
        var insertion = Duration.zero
        for first in stride(from: 0, to: size, by: Self.rowsPerSave) {
            let rows = SampleRow.make(count: min(Self.rowsPerSave, size - first), from: first)
            insertion += try measure { try contestant.insert(rows) }
        }
        // Opened anew, so that nothing is in a page cache only because it was just written.
        try contestant.close()
        try contestant.open(in: store)
        var random = SplitMix64(state: UInt64(size))
        func names(_ count: Int) -> [String] {
            (0..<count).map { _ in
                SampleRow.name(ofSerial: Int.random(in: 0..<size, using: &random))
            }
        }
        let searched = names(Self.lookups)
        var checksum: UInt64 = 0
        let lookup = try measure { checksum = try contestant.lookUp(searched) }
        var saves: [Double] = []
        for _ in 0..<Self.saves {
            try contestant.select(named: names(Self.changesPerSave))
            let duration = try measure { try contestant.updateSelection() }
            saves.append(duration / .microseconds(1))
        }
        try contestant.close()
        return Outcome(
            values: [
                insertion / .microseconds(1) / Double(size),
                lookup / .microseconds(1) / Double(Self.lookups), saves.median,
            ], checksum: checksum)
    }
}
