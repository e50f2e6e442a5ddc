// SPDX-License-Identifier: MIT

import CacheStoreHealing
import CacheStoreSQLite
import CacheStoreTestKit
import Foundation

/// Many processes at once on one store; afterwards every acknowledged row is looked for.
struct StormTorture {
    let settings: TortureSettings
    let parent: URL

    /// Eight processes that do everything.
    func runOfEverything(seconds: Int) throws -> Tally {
        try run(
            "8-process storm", Array(repeating: .everything, count: 8), seconds: seconds)
    }

    /// What loses commits on SQLite 3.7.0 to 3.51.2, where the log is left to its own checkpoints
    /// (https://sqlite.org/wal.html#walresetbug).
    func runOfTheLog(seconds: Int) throws -> Tally {
        try run(
            "storm on the log", [.writer, .writer, .writer, .checkpointer, .checkpointer],
            seconds: seconds)
    }

    private func run(
        _ name: String, _ roles: [StormProcess.Role], seconds: Int
    ) throws -> Tally {
        var tally = Tally(name: name, mustAllWork: true)
        let runner = try CrashRunner(seed: settings.seed, in: parent)
        let processes = try roles.map { role in
            var process = runner.process()
            process.timeLimit = .seconds(seconds + 100)
            return try runner.start(
                "storm", in: process,
                environment: ["STORM_ROLE": role.rawValue, "STORM_SECONDS": "\(seconds)"])
        }
        for process in processes {
            Watchdog.shared.isAlive(name, for: .seconds(seconds + 120))
            let ending = process.wait()
            if ending != .status(0) {
                tally.complain("a process of the storm ended by \(ending)")
            }
        }
        try Self.judge(runner, &tally)
        return tally
    }

    /// Looks for what the processes have acknowledged.
    static func judge(_ runner: CrashRunner, _ tally: inout Tally) throws {
        var made: Set<String> = []
        /// By store and process: how many rows were acknowledged.
        var rows: [String: [Int: Int]] = [:]
        for (process, lines) in runner.acknowledgementsByProcess {
            for line in lines {
                let words = line.split(separator: " ", maxSplits: 2).map(String.init)
                switch (words.first, words.count) {
                case ("made", 2): made.insert(words[1])
                case ("rows", 3):
                    let before = rows[words[1]]?[process] ?? 0
                    rows[words[1], default: [:]][process] = max(before, Int(words[2]) ?? 0)
                default: tally.complain("process \(process): \(line)")
                }
            }
        }
        for store in rows.keys where !made.contains(store) {
            tally.complain("nobody was told that the store \(store) is new")
        }
        var options = StoreOptions()
        options.verification = VerificationPolicy(.always, deadline: .seconds(120))
        let opened = try StoreOpener.open(
            at: runner.folder.appending(path: "storm.sqlite"), content: StormContent(),
            options: options)
        guard let file = opened.file, opened.report.outcome == .opened else {
            return tally.complain("opening afterwards: \(opened.report)")
        }
        defer { try? file.close() }
        let check = try file.read { try $0.integrityCheck(maximumProblems: 5) }
        if !check.isOK { tally.complain("integrity check: \(check)") }
        var missing = 0
        var wrong = 0
        for (process, acknowledged) in rows["\(file.identifier)"] ?? [:] {
            let found = try file.lines(of: process, upTo: acknowledged)
            missing += acknowledged - found.count
            if !found.areWhole { wrong += 1 }
        }
        let total = rows.values.reduce(0) { $0 + $1.values.reduce(0, +) }
        tally.count(tries: total, healed: total, silent: wrong, lost: missing)
        StandardStreams.tell(
            "\(tally.name): \(total) rows acknowledged, \(made.count) stores, "
                + "\(rows["\(file.identifier)"]?.values.reduce(0, +) ?? 0) rows in the last one")
    }
}
