// SPDX-License-Identifier: MIT

import CacheStore
import CacheStoreTestKit
import Foundation

/// Damages some pages of a store, salvages it, and compares what is left with what there was.
///
/// Prints a line for each share of pages that are damaged: `salvage at 1 %`, the tries, then
/// - *identical*: the mean share of objects that are as they were saved, in percent. Not judged: the
///   albums are on few pages, and each photograph of a lost album has another reference, none;
/// - *altered*: objects that are not, although they count as kept;
/// - *error*: the largest difference between the report's score and the share, in points.
@MainActor
struct SalvageRounds {
    /// A store that is whole and closed.
    let file: URL
    /// Where there is room for a damaged copy.
    let folder: URL
    let seed: UInt64
    let rounds: Int

    /// The shares of pages that are damaged.
    private static let shares = [0.002, 0.01, 0.05]

    /// - Returns: whether nothing was altered among what was kept.
    func run() throws -> Bool {
        let before = try Self.objects(in: file, at: folder, damage: { _ in }).objects
        StandardStreams.printResult("salvage\ttries\tidentical\taltered\terror")
        var isSound = true
        for (index, share) in Self.shares.enumerated() {
            var random = SeededRandomNumberGenerator(seed: seed &+ UInt64(index) &* 7919)
            var outcome = Outcome()
            for _ in 0..<rounds {
                outcome.add(try round(before, damaging: share, &random))
            }
            let percent = "\((share * 1_000).rounded() / 10)"
            StandardStreams.printResult(
                "salvage at \(percent) %\t\(rounds)\t\(outcome.identical)\t"
                    + "\(outcome.altered)\t\(outcome.error)")
            isSound = isSound && outcome.altered == 0
        }
        return isSound
    }

    private struct Result {
        /// The share of objects that are as they were.
        var identical = 0.0
        var altered = 0
        var score = 0.0
    }

    private struct Outcome {
        private var sum = 0.0
        private var count = 0
        private(set) var altered = 0
        private var largestError = 0.0

        mutating func add(_ result: Result) {
            sum += result.identical
            count += 1
            altered += result.altered
            largestError = max(largestError, abs(result.identical - result.score))
        }

        var mean: Double { count == 0 ? 0 : sum / Double(count) }
        var identical: String { Self.percent(mean) }
        var error: String { Self.percent(largestError) }

        private static func percent(_ value: Double) -> String {
            String(format: "%.2f", value * 100)
        }
    }

    private func round(
        _ before: [String: String], damaging share: Double,
        _ random: inout SeededRandomNumberGenerator
    ) throws -> Result {
        let (report, now) = try Self.objects(in: file, at: folder) { data in
            let pages = data.count / 4096
            let damaged = Array(0..<pages).shuffled(using: &random)
                .prefix(max(1, Int((Double(pages) * share).rounded())))
            for page in damaged {
                let start = page * 4096 + Int.random(in: 0...4032, using: &random)
                for byte in start..<start + 64 {
                    data[byte] ^= UInt8.random(in: 1...255, using: &random)
                }
            }
        }
        let same = before.count { now[$0.key] == $0.value }
        var result = Result(identical: Double(same) / Double(before.count))
        if report.outcome == .salvaged {
            // What there is beyond the same ones is doubtful, and has to say so.
            let kept = (report.rowsKept ?? [:]).values.reduce(0, +)
            result.altered = max(0, kept - same)
            result.score = report.salvageScore ?? 0
        } else {
            // Only free pages were damaged, or nothing could be made of the file.
            result.score = report.wasResetOrCreated ? 0 : 1
            result.altered = report.wasResetOrCreated ? 0 : before.count - same
        }
        return result
    }

    /// Opens a damaged copy of a store, and gives each object as a text of its own row.
    private static func objects(
        in file: URL, at folder: URL, damage: (inout Data) -> Void
    ) throws -> (report: StoreOpenReport, objects: [String: String]) {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let place = folder.appending(path: "store.sqlite")
        var data = try Data(contentsOf: file)
        damage(&data)
        try data.write(to: place)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: Album.model)
        var description = PersistentStoreDescription(url: place)
        description.damagePolicy = .salvage
        description.verification = .always
        description.verificationDeadline = .seconds(60)
        description.quarantinedSets = 0
        let report = try coordinator.addPersistentStore(description)
        defer { try? coordinator.removePersistentStore() }
        let context = try ManagedObjectContext(coordinator: coordinator)
        var objects: [String: String] = [:]
        for photo in try context.fetch(FetchRequest<Photo>()) {
            objects["photo \(photo.number)"] = """
                \(photo.name) \(photo.score) \(photo.takenAt.timeIntervalSince1970) \
                \(photo.isFavourite) \(photo.thumbnail.base64EncodedString()) \
                \(photo.album?.number ?? -1)
                """
        }
        for album in try context.fetch(FetchRequest<Album>()) {
            objects["album \(album.number)"] = album.title
        }
        return (report, objects)
    }
}
