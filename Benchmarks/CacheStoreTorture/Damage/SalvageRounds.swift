// SPDX-License-Identifier: MIT

import CacheStore
import CacheStoreTestKit
import Foundation

/// Damages some pages of a store, salvages it, and compares what is left with what there was.
///
/// Prints a line for each share of pages that are damaged: `salvage at 1 %`, the tries, then
/// - *identical*: the mean share of objects that are as they were saved, in percent. Judged where
///   there are enough rounds: at least 98 with 1 % of the pages damaged, and 90 with 5 %;
/// - *altered*: objects that are not, although they count as kept;
/// - *error*: the largest difference between the report's score and the share, in points.
///
/// An object is its own row: what a photograph refers to counts by the key, and what the album with
/// that key has is the album's.
@MainActor
struct SalvageRounds {
    /// A store that is whole and closed.
    let file: URL
    /// Where there is room for a damaged copy.
    let folder: URL
    let seed: UInt64
    let rounds: Int

    /// The shares of pages that are damaged, and of objects that are to be as they were.
    private static let shares: [(damaged: Double, bar: Double)] = [
        (0.002, 0.98), (0.01, 0.98), (0.05, 0.9),
    ]
    /// Fewer rounds differ too much: what is promised is the mean.
    private static let roundsToJudge = 100

    private struct Object: Hashable {
        var values: String
        var reference = ""
    }

    /// - Returns: whether nothing was altered among what was kept, and enough is as it was.
    func run() throws -> Bool {
        let before = try Self.objects(in: file, at: folder, damage: { _ in }).objects
        let size = try Data(contentsOf: file).count
        StandardStreams.tell("salvage: \(before.count) objects in \(size) bytes")
        StandardStreams.printResult("salvage\ttries\tidentical\taltered\terror")
        var isSound = true
        for (index, (share, bar)) in Self.shares.enumerated() {
            var random = SeededRandomNumberGenerator(seed: seed &+ UInt64(index) &* 7919)
            var outcome = Outcome()
            for _ in 0..<rounds {
                outcome.add(try round(before, damaging: share, &random))
            }
            let percent = "\((share * 1_000).rounded() / 10)"
            StandardStreams.printResult(
                "salvage at \(percent) %\t\(rounds)\t\(outcome.identical)\t"
                    + "\(outcome.altered)\t\(outcome.error)")
            StandardStreams.tell("salvage at \(percent) %: \(outcome.causes)")
            isSound = isSound && outcome.altered == 0
            if rounds >= Self.roundsToJudge, outcome.mean < bar {
                StandardStreams.tell("salvage at \(percent) %: less than \(bar * 100) % identical")
                isSound = false
            }
        }
        return isSound
    }

    private struct Result {
        /// The share of objects that are as they were.
        var identical = 0.0
        var altered = 0
        var score = 0.0
        var gone = 0
        var goneAlthoughShort = 0
        var withOtherReference = 0
        var withOtherValues = 0
    }

    private struct Outcome {
        private var sum = 0.0
        private var count = 0
        private(set) var altered = 0
        private var largestError = 0.0
        private var gone = 0
        private var goneAlthoughShort = 0
        private var withOtherReference = 0
        private var withOtherValues = 0

        mutating func add(_ result: Result) {
            sum += result.identical
            count += 1
            altered += result.altered
            largestError = max(largestError, abs(result.identical - result.score))
            gone += result.gone
            goneAlthoughShort += result.goneAlthoughShort
            withOtherReference += result.withOtherReference
            withOtherValues += result.withOtherValues
        }

        var mean: Double { count == 0 ? 0 : sum / Double(count) }
        var identical: String { Self.percent(mean) }
        /// What there is of objects that are not identical, on average of the tries.
        var causes: String {
            func mean(_ number: Int) -> String {
                String(format: "%.2f", Double(number) / Double(max(count, 1)))
            }
            return
                "\(mean(gone)) objects are gone, \(mean(goneAlthoughShort)) of them on one page; "
                + "\(mean(withOtherReference)) have another reference, "
                + "\(mean(withOtherValues)) other values"
        }
        var error: String { Self.percent(largestError) }

        private static func percent(_ value: Double) -> String {
            String(format: "%.2f", value * 100)
        }
    }

    private func round(
        _ before: [String: Object], damaging share: Double,
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
        for (key, object) in before where now[key] != object {
            if now[key] == nil {
                result.gone += 1
                if object.values.utf8.count < 3_000 { result.goneAlthoughShort += 1 }
            } else if now[key]?.values == object.values {
                result.withOtherReference += 1
            } else {
                result.withOtherValues += 1
            }
        }
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
    ) throws -> (report: StoreOpenReport, objects: [String: Object]) {
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
        var objects: [String: Object] = [:]
        for photo in try context.fetch(FetchRequest<Photo>()) {
            objects["photo \(photo.number)"] = Object(
                values: """
                    \(photo.name) \(photo.score) \(photo.takenAt.timeIntervalSince1970) \
                    \(photo.isFavourite) \(photo.thumbnail.base64EncodedString())
                    """,
                reference: photo.album?.objectID.uriRepresentation.lastPathComponent ?? "none")
        }
        for album in try context.fetch(FetchRequest<Album>()) {
            objects["album \(album.number)"] = Object(values: album.title)
        }
        return (report, objects)
    }
}
