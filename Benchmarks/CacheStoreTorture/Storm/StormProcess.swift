// SPDX-License-Identifier: MIT

import CacheStoreHealing
import CacheStoreSQLite
import CacheStoreTestKit
import Foundation

/// One of the processes of a storm.
///
/// It acknowledges, a line each: `made STORE`, when it was told that the store is new or has reset it;
/// `rows STORE N`, how many rows it has saved to a store; and `error …`, what should not have been.
struct StormProcess {
    enum Role: String, Sendable {
        /// Opens, saves, reads, resets, checkpoints and closes, as it comes.
        case everything
        /// Saves small rows, with a checkpoint after every few pages of the log.
        case writer
        /// Calls for checkpoints of every kind, without a pause.
        case checkpointer
    }

    private let crash: Crash
    private let role: Role
    private let deadline: ContinuousClock.Instant
    private var random: SeededRandomNumberGenerator

    private init(_ crash: Crash, _ role: Role, seconds: Int) {
        self.crash = crash
        self.role = role
        deadline = .now + .seconds(seconds)
        random = SeededRandomNumberGenerator(seed: crash.seed &+ UInt64(crash.number))
    }

    /// As the environment says.
    static func run(_ crash: Crash) throws {
        let environment = ProcessInfo.processInfo.environment
        try run(
            crash, environment["STORM_ROLE"].flatMap(Role.init) ?? .everything,
            seconds: environment["STORM_SECONDS"].flatMap { Int($0) } ?? 1)
    }

    static func run(_ crash: Crash, _ role: Role, seconds: Int) throws {
        var process = StormProcess(crash, role, seconds: seconds)
        while ContinuousClock.now < process.deadline { try process.session() }
    }

    private mutating func session() throws {
        var options = StoreOptions()
        options.busyTimeout = .seconds(30)
        options.quarantine.minimumInterval = .zero
        if role == .writer {
            options.checkpointThreshold = 4_096 * Int.random(in: 1...4, using: &random)
        } else {
            options.checkpointThreshold = 4_096 * Int.random(in: 1...200, using: &random)
        }
        let opened: OpenedStore
        do {
            opened = try StoreOpener.open(
                at: crash.folder.appending(path: "storm.sqlite"), content: StormContent(),
                options: options)
        } catch PersistentStoreError.Code.busy {
            return
        }
        guard let file = opened.file else { return }
        if opened.report.wasResetOrCreated { crash.acknowledge("made \(file.identifier)") }
        if opened.report.outcome == .reset {
            crash.acknowledge("error the store was healed: \(opened.report.cause)")
        }
        do {
            try use(file)
        } catch PersistentStoreError.Code.storeReplaced {
            // Another one has reset it: that is how one hears of it.
        } catch PersistentStoreError.Code.busy {
        } catch {
            crash.acknowledge("error \(error)".replacing("\n", with: " "))
        }
        try? file.close()
    }

    private mutating func use(_ file: StoreFile) throws {
        var saved = try file.lines(of: crash.number, upTo: .max).count
        // What an earlier session of this process has saved to the same store.
        var acknowledged = saved
        defer {
            if acknowledged > 0 { crash.acknowledge("rows \(file.identifier) \(acknowledged)") }
        }
        let actions = role == .everything ? Int.random(in: 1...60, using: &random) : .max
        for _ in 0..<actions {
            guard ContinuousClock.now < deadline else { break }
            switch (role, Int.random(in: 0..<100, using: &random)) {
            case (.checkpointer, _), (.everything, 0..<15):
                let modes = [Connection.CheckpointMode.passive, .full, .restart, .truncate]
                do {
                    try file.checkpoint(modes.randomElement(using: &random) ?? .passive)
                } catch PersistentStoreError.Code.busy {}
            case (.everything, 15..<30), (.writer, 0..<2):
                let found = try file.lines(of: crash.number, upTo: saved)
                if found.count != saved {
                    crash.acknowledge("error \(found.count) of \(saved) rows")
                }
                if !found.areWhole { crash.acknowledge("error a row is not as it was written") }
            case (.everything, 30) where Int.random(in: 0..<4, using: &random) == 0:
                let made = try file.reset(to: StormContent())
                crash.acknowledge("made \(made)")
                return
            default:
                let end = saved + Int.random(in: 1...4, using: &random)
                try file.addLines(saved..<end, process: crash.number)
                saved = end
                acknowledged = end
            }
        }
    }
}
