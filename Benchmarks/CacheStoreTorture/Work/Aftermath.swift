// SPDX-License-Identifier: MIT

import CacheStore
import Foundation

/// Looks at what a work that ended somewhere has left.
@MainActor
struct Aftermath {
    let work: Work
    let folder: URL
    /// What the work has told its witness.
    let lines: [String]
    /// Whether rows may be missing, if that is told: pages that the system refuses to read cannot be
    /// salvaged.
    var mayMissRows = false

    /// What came of it: *healed* is a store that opens and works; *silent* what was read and never
    /// saved; *lost* what was acknowledged and is gone without a report.
    struct Verdict: Sendable {
        var finding = Finding()
        /// What is wrong, in words; empty where nothing is.
        var complaints: [String] = []
    }

    func judge() -> Verdict {
        var verdict = Verdict()
        if lines.contains("wrong") {
            verdict.finding.isSilent = true
            verdict.complaints.append("another content was read than was saved")
        }
        do {
            try judgeStore(&verdict)
            verdict.finding.isHealed = true
        } catch {
            verdict.complaints.append("does not work afterwards: \(error)")
        }
        if work == .setAside && !keepsForeignFile {
            verdict.finding.isLost = true
            verdict.complaints.append("the file of the other program is gone")
        }
        return verdict
    }

    private func judgeStore(_ verdict: inout Verdict) throws {
        let store = try ItemStore(
            in: folder, work.version, work.damagePolicy, verification: .always)
        var content: [Int: String]
        do {
            content = try store.content()
            compare(content, store.report, &verdict)
            // It is not only there, it works.
            let change = ItemChange(generation: 9, inserts: 9_000..<9_003)
            try store.save(change)
            content = change.applied(to: content)
        } catch {
            try? store.close()
            throw error
        }
        try store.close()
        let again = try ItemStore(
            in: folder, work.version, work.damagePolicy, verification: .always)
        defer { try? again.close() }
        guard try again.content() == content, again.report.outcome == .opened else {
            throw Torture.Failure(
                description: "the next opening: \(again.report.outcome), other content")
        }
    }

    private func compare(
        _ content: [Int: String], _ report: StoreOpenReport, _ verdict: inout Verdict
    ) {
        let states = work.states
        let reached =
            lines.compactMap { line in
                line.hasPrefix("state ") ? Int(line.dropFirst(6)) : nil
            }.max() ?? 0
        let isTold = report.wasResetOrCreated || lines.contains("reset")
        if mayMissRows, isTold, !content.isEmpty,
            content.allSatisfy({ states[0][$0.key] == $0.value })
        {
            return
        }
        if let state = (reached...reached + 1).first(where: {
            $0 < states.count && states[$0] == content
        }) {
            if work.losesContent && state > 0 && reached == 0 && !isTold {
                verdict.finding.isLost = true
                verdict.complaints.append("the content was given up, and nobody was told")
            }
        } else if content.isEmpty && report.wasResetOrCreated {
            if !work.losesContent || reached > 0 {
                verdict.complaints.append("a store that was sound was reset: \(report.cause)")
            }
        } else {
            let expected = states[reached]
            verdict.finding.isLost = expected.contains { content[$0.key] == nil }
            verdict.finding.isSilent =
                verdict.finding.isSilent
                || content.contains { number, text in
                    !states.contains { $0[number] == text }
                } || !verdict.finding.isLost
            verdict.complaints.append(
                "\(content.count) items instead of \(expected.count) at \(reached)")
        }
    }

    private var keepsForeignFile: Bool {
        let text = Data(Work.foreignText.utf8)
        guard let files = FileManager.default.enumerator(atPath: folder.path(percentEncoded: false))
        else { return false }
        for case let name as String in files {
            let file = folder.appending(path: name)
            if let data = try? Data(contentsOf: file), data.range(of: text) != nil { return true }
        }
        return false
    }
}
