// SPDX-License-Identifier: MIT

import CacheStore
import CacheStoreTestKit
import Foundation

/// All tries, one kind of damage after the other.
@MainActor
struct Torture {
    private let settings: TortureSettings
    private let folder: URL

    init(_ settings: TortureSettings) {
        self.settings = settings
        // Syncing costs nothing in memory, and is not what is tried here.
        let memory = "/dev/shm"
        let parent =
            access(memory, W_OK) == 0
            ? URL(filePath: memory) : FileManager.default.temporaryDirectory
        folder = parent.appending(path: "cachestore-torture-\(getpid())")
    }

    /// - Returns: whether everything was found that harms, and healed.
    func run() throws -> Bool {
        defer { try? FileManager.default.removeItem(at: folder) }
        let sample = try Sample(in: folder.appending(path: "sample"), seed: settings.seed)
        var isSound = true
        for damage in Damage.allOfOneFile + [.olderPage] {
            let tally = try tally(of: damage, sample)
            tally.printLine()
            isSound = isSound && tally.isSound
        }
        if let corpus = settings.corpus {
            let tally = try self.tally(of: CorpusFile.all(in: corpus))
            tally.printLine()
            isSound = isSound && tally.isSound
        }
        let salvage = SalvageRounds(
            file: sample.file, folder: folder.appending(path: "salvage"), seed: settings.seed,
            rounds: settings.rounds)
        return try salvage.run() && isSound
    }

    private func tally(of damage: Damage, _ sample: Sample) throws -> Tally {
        var tally = Tally(name: damage.description, isLimit: damage == .olderPage)
        for round in 0..<settings.rounds {
            let seed = settings.seed &+ UInt64(round) &* 1_000_003
            var injury = ""
            var finding: Finding?
            for verification in [
                PersistentStoreDescription.Verification.always, .afterUncleanShutdown,
            ] {
                try withFolder { folder in
                    let file = folder.appending(path: "store.sqlite")
                    try FileManager.default.copyItem(at: sample.file, to: file)
                    // The same seed: the same damage both times.
                    var injector = CorruptionInjector(seed: seed)
                    let done =
                        try damage == .olderPage
                        ? injector.restoreOlderPage(in: file, from: sample.olderFile)
                        : injector.inject(damage, into: file)
                    injury = done.description
                    let result = Attempt(
                        file: file, verification: verification, expected: sample.content
                    ).run()
                    finding = finding?.and(result) ?? result
                }
            }
            if let finding { tally.add(finding, note: "\(injury), round \(round)") }
        }
        return tally
    }

    private func tally(of files: [CorpusFile]) throws -> Tally {
        var tally = Tally(name: "corpus")
        for file in files {
            for isMarked in [false, true] {
                try withFolder { folder in
                    let place = folder.appending(path: "store.sqlite")
                    try file.copy(to: place, markedAsOurs: isMarked)
                    let start = ContinuousClock.now
                    let finding = Attempt(
                        file: place, verification: .always, expected: nil
                    ).run()
                    let duration = ContinuousClock.now - start
                    tally.add(finding, note: "\(file.name), marked: \(isMarked)")
                    if duration > .seconds(1) {
                        StandardStreams.tell("\(file.name) took \(duration)")
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
