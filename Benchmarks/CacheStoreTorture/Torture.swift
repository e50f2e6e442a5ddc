// SPDX-License-Identifier: MIT

import CacheStoreTestKit
import Foundation

/// All that is done to stores, one part after the other.
@MainActor
struct Torture {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

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

    /// - Returns: whether everything was found that harms, healed, and nothing lost.
    func run() throws -> Bool {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var isSound = true
        func print(_ tally: Tally) {
            tally.printLine()
            isSound = isSound && tally.isSound
        }
        if settings.parts.contains(.damage) {
            let damage = DamageTorture(settings: settings, folder: folder)
            isSound = try damage.run(print: print) && isSound
        }
        if settings.parts.contains(.kills) || settings.parts.contains(.faults) {
            let templates = try Templates(in: folder.appending(path: "templates"))
            if settings.parts.contains(.kills) {
                print(
                    try KillTorture(settings: settings, parent: folder, templates: templates)
                        .run(rounds: settings.rounds))
            }
            if settings.parts.contains(.faults) {
                let place = folder.appending(path: "faults", directoryHint: .isDirectory)
                print(
                    try FaultTorture(settings: settings, folder: place, templates: templates)
                        .run(tries: settings.faultTries))
            }
        }
        if settings.parts.contains(.storms) {
            let storm = StormTorture(settings: settings, parent: folder)
            print(try storm.runOfEverything(seconds: settings.stormSeconds))
            print(try storm.runOfTheLog(seconds: settings.stormSeconds))
        }
        return isSound
    }

    /// What processes do that this program starts itself again for.
    static var processes: [String: (Crash) throws -> Void] {
        KillTorture.processes.merging(["storm": { try StormProcess.run($0) }]) { $1 }
    }
}
