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

    /// The kinds of lines, in the order of ``Costs``.
    private static let kinds = ["insert", "lookup", "save"]

    private struct Costs {
        var values: [Double]
        var checksum: UInt64
    }

    let settings: Settings
    let folder: URL

    /// - Parameter report: called after each size, since the large ones take long.
    func run(_ report: (Comparison) -> Void) throws {
        let sizes = [10_000, 100_000, 1_000_000] + (settings.isLong ? [10_000_000] : [])
        let (ours, raw) = (OurContestant(), RawContestant())
        for size in sizes {
            // A large store is its own average.
            let rounds = size > 100_000 ? 1 : settings.rounds
            var (ourCosts, rawCosts): ([Costs], [Costs]) = ([], [])
            for _ in 0..<rounds {
                ourCosts.append(try costs(of: ours, size: size))
                rawCosts.append(try costs(of: raw, size: size))
            }
            guard ourCosts.map(\.checksum) == rawCosts.map(\.checksum) else {
                throw BenchmarkError("growth: the contestants read different rows")
            }
            for (index, kind) in Self.kinds.enumerated() {
                report(
                    Comparison(
                        name: "growth-\(kind)-\(size)",
                        ours: ourCosts.map { $0.values[index] }.median,
                        raw: rawCosts.map { $0.values[index] }.median, unit: .microseconds))
            }
        }
    }

    private func costs(of contestant: any Contestant, size: Int) throws -> Costs {
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
        return Costs(
            values: [
                insertion / .microseconds(1) / Double(size),
                lookup / .microseconds(1) / Double(Self.lookups), saves.median,
            ], checksum: checksum)
    }
}
