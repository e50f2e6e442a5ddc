// SPDX-License-Identifier: MIT

import CacheStore
import CacheStoreTestKit
import Foundation

/// Lets each call of the system fail, one after the other, in every work.
@MainActor
struct FaultTorture {
    /// How a call fails.
    struct Kind: Sendable {
        let name: String
        var calls = SystemCalls.all
        var error = EIO
        var effect = SystemFaultEffect.fails
        var forEver = false
        /// Whether opening the store again meets a fault, too.
        var again = false
        /// How often at most, for each work; and in long runs only.
        var tries: Int?
    }

    static let kinds = [
        Kind(name: "EIO"),
        // SQLite tries locks of the log for ten seconds before it gives up.
        Kind(name: "EIO for ever", calls: .all.subtracting(.lock), forEver: true),
        Kind(name: "no locks", calls: .lock, error: ENOLCK, forEver: true, tries: 3),
        Kind(name: "EIO, and again when opened", again: true),
        Kind(name: "no space", calls: .needingSpace, error: ENOSPC, effect: .tears),
        Kind(
            name: "no space for ever", calls: .needingSpace, error: ENOSPC, effect: .tears,
            forEver: true),
        Kind(name: "short write", calls: .write, effect: .isShort),
        Kind(name: "no handles", calls: .open, error: EMFILE, forEver: true),
        Kind(
            name: "no permission", calls: [.open, .remove, .rename, .makeDirectory],
            error: EACCES),
        Kind(name: "interrupted", calls: [.open, .read, .write, .lock], error: EINTR),
    ]

    let settings: TortureSettings
    let folder: URL
    let templates: Templates
    /// Whether this process does nothing else, so that files which stay open can be counted.
    var isAlone = true

    /// - Parameter tries: for each work and kind; `nil` is each call.
    func run(
        works: [Work] = Work.allCases, kinds: [Kind] = Self.kinds, tries: Int?
    ) throws -> Tally {
        var tally = Tally(name: "fault at the n-th system call", mustAllWork: true)
        guard SystemFaultPlan.isAvailable else {
            StandardStreams.tell("system calls cannot fail in this build")
            return tally
        }
        var random = SeededRandomNumberGenerator(seed: settings.seed)
        for work in works {
            let calls = try callCount(of: work)
            for kind in kinds where tries == nil || kind.tries == nil {
                let wanted = [tries, kind.tries].compactMap { $0 }.min()
                let stride = wanted.map { max(1, calls / max(1, $0)) } ?? 1
                var call = Int.random(in: 0..<stride, using: &random)
                while try self.try(work, kind, call, &random, &tally) { call += stride }
            }
        }
        return tally
    }

    private func callCount(of work: Work) throws -> Int {
        try templates.copy(work, to: folder)
        let plan = try SystemFaultPlan(for: folder)
        try work.run(in: folder, Witness { _ in })
        return plan.callCount
    }

    /// - Returns: whether the work made so many calls.
    private func `try`(
        _ work: Work, _ kind: Kind, _ call: Int, _ random: inout SeededRandomNumberGenerator,
        _ tally: inout Tally
    ) throws -> Bool {
        Watchdog.shared.isAlive("\(work.rawValue), \(kind.name), call \(call)")
        try templates.copy(work, to: folder)
        let plan = try SystemFaultPlan(for: folder)
        let handles = Self.openHandles
        let start = ContinuousClock.now
        var lines: [String] = []
        var error: (any Error)?
        plan.failNext(
            kind.calls, after: call, with: kind.error, effect: kind.effect, forEver: kind.forEver)
        do { try work.run(in: folder, Witness { lines.append($0) }) } catch let failure {
            error = failure
        }
        plan.disarm()
        guard plan.faultCount > 0 else { return false }
        var place = plan.lastFault
        if kind.again {
            plan.failNext(
                kind.calls, after: Int.random(in: 0..<150, using: &random), with: kind.error)
            lines += openAgain(work)
            plan.disarm()
            place += ", then \(plan.lastFault)"
        }
        let duration = ContinuousClock.now - start
        var verdict = Aftermath(
            work: work, folder: folder, lines: lines, mayMissRows: work == .salvage
        ).judge()
        verdict.finding.isFound = error != nil || lines.contains("reset")
        if duration > .seconds(30) { verdict.complaints.append("took \(duration)") }
        let left = Self.openHandles - handles
        if isAlone && left > 0 { verdict.complaints.append("\(left) files stay open") }
        tally.add(
            verdict.finding,
            note: "\(work.rawValue), \(kind.name), call \(call), \(place); "
                + "work: \(error.map { "\($0)" } ?? "done"); \(lines)",
            complaints: verdict.complaints)
        return true
    }

    // What healing meets, when the disk still fails.
    private func openAgain(_ work: Work) -> [String] {
        var lines: [String] = []
        guard
            let store = try? ItemStore(
                in: folder, work.version, work.damagePolicy, verification: .always)
        else { return lines }
        if store.report.wasResetOrCreated { Witness { lines.append($0) }.wasReset(store.report) }
        if let content = try? store.content() {
            if work == .salvage {
                Witness { lines.append($0) }.compareRows(content, work.states[0])
            } else if !work.states.contains(content) {
                lines.append("wrong")
            }
        }
        try? store.close()
        return lines
    }

    private static var openHandles: Int {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).count
    }
}
