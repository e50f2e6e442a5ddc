// SPDX-License-Identifier: MIT

import CacheStore
import CacheStoreTestKit
import Foundation

/// Damages stores that were closed, one kind of damage after the other.
@MainActor
struct DamageTorture {
    let settings: TortureSettings
    let folder: URL

    /// - Returns: whether enough was salvaged; the tallies tell of all else.
    func run(print: (Tally) -> Void) throws -> Bool {
        let sample = try Sample(in: folder.appending(path: "sample"), seed: settings.seed)
        for damage in Damage.allOfOneFile + [.olderPage] { print(try tally(of: damage, sample)) }
        let files = DamagedDatabases.all
        if !files.isEmpty { print(try tally(of: files)) }
        Watchdog.shared.isAlive("salvage", for: .seconds(600))
        return try SalvageRounds(
            file: sample.file, folder: folder.appending(path: "salvage"), seed: settings.seed,
            rounds: settings.rounds
        ).run()
    }

    private func tally(of damage: Damage, _ sample: Sample) throws -> Tally {
        var tally = Tally(name: damage.description)
        var (unused, unread, first) = (0, 0, 0)
        for round in 0..<settings.rounds {
            Watchdog.shared.isAlive("\(damage), round \(round)")
            let seed = settings.seed &+ UInt64(round) &* 1_000_003
            var injury: Injury?
            var finding: Finding?
            var isFoundByReadingThrough = false
            for verification in [
                PersistentStoreDescription.Verification.always, .afterUncleanShutdown,
            ] {
                try withFolder { folder in
                    let file = folder.appending(path: "store.sqlite")
                    try FileManager.default.copyItem(at: sample.file, to: file)
                    try FileManager.default.copyItem(
                        atPath: sample.file.path + "-sums", toPath: file.path + "-sums")
                    // The same seed: the same damage both times.
                    var injector = CorruptionInjector(seed: seed)
                    let done =
                        try damage == .olderPage
                        ? injector.restoreOlderPage(in: file, from: sample.olderFile)
                        : injector.inject(damage, into: file)
                    injury = done
                    let result = Attempt(
                        file: file, verification: verification, expected: sample.content
                    ).run()
                    if verification == .always { isFoundByReadingThrough = result.isFound }
                    finding = finding?.and(result) ?? result
                }
            }
            guard let finding, let injury else { continue }
            // An older first page has an older generation, and the sums are not believed: a backup
            // that was put in the place of the store looks the same.
            let isFirstPage = injury.damage == .olderPage && injury.offset == 0
            tally.add(finding, note: "\(injury), round \(round)", isLimit: isFirstPage)
            if isFirstPage {
                first += 1
            } else if !finding.isFound && !finding.isSilent && !finding.isLost {
                // Nothing was read wrongly; but was that luck?
                if isFoundByReadingThrough {
                    unread += 1
                } else if sample.isUnused(injury) {
                    unused += 1
                } else {
                    tally.complain("\(injury), round \(round): not found")
                }
            }
        }
        if first > 0 {
            StandardStreams.tell("\(damage): \(first) were the first page, which cannot be told")
        }
        if unread > 0 {
            StandardStreams.tell(
                "\(damage): \(unread) were in pages that fetching does not read, and were found "
                    + "when the store was read through")
        }
        if unused > 0 {
            StandardStreams.tell("\(damage): \(unused) were in free pages, which nothing reads")
        }
        return tally
    }

    private func tally(of files: [DamagedDatabases.Entry]) throws -> Tally {
        var tally = Tally(name: "corpus")
        for file in files {
            for isMarked in [false, true] {
                try withFolder { folder in
                    let place = folder.appending(path: "store.sqlite")
                    try file.copy(
                        to: place.path(percentEncoded: false), markedAsOurs: isMarked)
                    let start = (wall: ContinuousClock.now, own: clock())
                    let finding = Attempt(
                        file: place, verification: .always, expected: nil
                    ).run()
                    let duration = ContinuousClock.now - start.wall
                    let work = Double(clock() - start.own) / Double(CLOCKS_PER_SEC)
                    tally.add(finding, note: "\(file.name), marked: \(isMarked)")
                    // Others may need the processor too; a second is what this one may need.
                    if work > 1 || duration > .seconds(10) {
                        tally.complain("\(file.name) took \(duration), \(work) s of work")
                    }
                }
            }
        }
        return tally
    }

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let place = folder.appending(path: "try")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        try body(place)
    }
}
