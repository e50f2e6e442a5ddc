// SPDX-License-Identifier: MIT

import Foundation

/// Times the opening of large stores that were closed cleanly. Making them is not timed.
@MainActor
struct OpeningRunner {
    /// How often a store is opened in each round: a single opening is too short to tell anything.
    private static let openingsPerRound = 5
    /// Long texts make a store large with few rows; these fill about two thirds of a page.
    private static let textLength = 2_600
    private static let rowsPerSave = 10_000

    let settings: Settings
    /// The folder of the run; the stores are beside it if they are to be kept.
    let folder: URL

    func run(_ task: BenchmarkTask) throws -> Comparison? {
        let megabytes = task == .openGigabyte ? 1_000 : 100
        guard try hasSpace(forMegabytes: megabytes * 3) else {
            StandardStreams.tell(
                "\(task.rawValue) is skipped: \(settings.directory.path) has less than "
                    + "\(megabytes * 3) MB free")
            return nil
        }
        let (ours, raw) = (OurContestant(), RawContestant())
        let ourStore = try largeStore(of: ours, "ours", megabytes: megabytes)
        let rawStore = try largeStore(of: raw, "raw", megabytes: megabytes)
        return try .inTurns(
            task.rawValue, rounds: settings.rounds * Self.openingsPerRound,
            ours: { try open(ourStore, by: ours) }, raw: { try open(rawStore, by: raw) })
    }

    private func open(_ store: URL, by contestant: any Contestant) throws -> Outcome {
        let duration = try measure {
            try contestant.open(in: store)
            _ = try contestant.readMetadata()
        }
        try contestant.close()
        return Outcome(duration, checksum: 0)
    }

    /// The store, made if it is not there from an earlier run.
    private func largeStore(
        of contestant: any Contestant, _ name: String, megabytes: Int
    ) throws -> URL {
        let parent = settings.keepsLargeStores ? settings.directory : folder
        let store = parent.appendingPathComponent("open-\(megabytes)mb-\(name)", isDirectory: true)
        let count = megabytes * 1_000_000 / 4_096
        if FileManager.default.fileExists(atPath: store.path) {
            // One that was left half made, or that this version cannot open as it is, is made anew.
            try contestant.open(in: store)
            let isWhole = try contestant.isWhole(rowCount: count)
            try contestant.close()
            if isWhole { return store }
            try FileManager.default.removeItem(at: store)
        }
        StandardStreams.tell("makes a store of \(megabytes) MB (\(name))")
        try contestant.open(in: store)
        let text = String(repeating: "x", count: Self.textLength)
        for first in stride(from: 0, to: count, by: Self.rowsPerSave) {
            var rows = SampleRow.make(count: min(Self.rowsPerSave, count - first), from: first)
            for index in rows.indices { rows[index].place = text }
            try contestant.insert(rows)
        }
        try contestant.close()
        return store
    }

    private func hasSpace(forMegabytes megabytes: Int) throws -> Bool {
        let attributes = try FileManager.default.attributesOfFileSystem(
            forPath: settings.directory.path)
        guard let free = attributes[.systemFreeSize] as? NSNumber else { return false }
        return free.int64Value >= Int64(megabytes) * 1_000_000
    }
}
