// SPDX-License-Identifier: MIT

import CacheStoreTestKit
import Foundation

/// Kills processes in the middle of works: half of them at a call of the system, half at a time.
@MainActor
struct KillTorture {
    nonisolated static let works: [Work] = [
        .save, .reset, .migrate, .heal, .salvage, .cleanUp, .create, .recover,
    ]

    let settings: TortureSettings
    let parent: URL
    let templates: Templates

    func run(rounds: Int) throws -> Tally {
        var tally = Tally(name: "SIGKILL at random points", mustAllWork: true)
        let runner = try CrashRunner(seed: settings.seed, in: parent)
        var calls: [Work: Int] = [:]
        for round in 0..<rounds {
            let work = Self.works[round % Self.works.count]
            try templates.copy(work, to: runner.folder)
            if calls[work] == nil {
                let plan = try? SystemFaultPlan(for: runner.folder)
                try work.run(in: runner.folder, Witness { _ in })
                calls[work] = plan?.callCount ?? 500
                try templates.copy(work, to: runner.folder)
            }
            let isAtCall = round / Self.works.count % 2 == 0
            let crash = runner.nextCrash(
                isAtCall ? .systemCalls(calls[work] ?? 1) : .time(.milliseconds(120)))
            Watchdog.shared.isAlive("\(work.rawValue), \(crash)")
            let process = try runner.start(work.rawValue, in: crash)
            let ending = process.wait()
            var verdict = Aftermath(
                work: work, folder: runner.folder, lines: crash.acknowledgements
            ).judge()
            verdict.finding.isFound = ending == .signal(SIGKILL)
            if ending != .signal(SIGKILL) { verdict.complaints.append("ended by \(ending)") }
            tally.add(
                verdict.finding, note: "\(work.rawValue), \(crash)",
                complaints: verdict.complaints)
        }
        return tally
    }

    /// What the processes do, by name.
    static var processes: [String: (Crash) throws -> Void] {
        var processes: [String: (Crash) throws -> Void] = [:]
        for work in Work.allCases {
            processes[work.rawValue] = { crash in
                try work.run(in: crash.folder, Witness { crash.acknowledge($0) })
            }
        }
        return processes
    }
}
