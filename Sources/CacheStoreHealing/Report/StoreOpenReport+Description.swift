// SPDX-License-Identifier: MIT

import Foundation

extension StoreOpenReport: CustomStringConvertible {
    /// The report for a person, one fact a line.
    public var description: String {
        var lines = ["Store \(outcome)" + (cause == .none ? "" : ": \(cause)")]
        func add(_ name: String, _ value: String?) {
            if let value { lines.append("  \(name): \(value)") }
        }
        add("file", url?.path(percentEncoded: false))
        add("store", identifiers)
        add("model", fingerprints)
        if wasUncleanShutdown { add("last session", "not closed") }
        if lostSaves > 0 { add("saves lost", "\(lostSaves) or more, the log was damaged") }
        if wasChangedByAnotherProgram { add("last writer", "another program") }
        if verification != .none { add("verification", verification.description) }
        for change in migrationChanges { add("migration", change) }
        add("rows kept", Self.list(rowsKept))
        add("rows doubtful", Self.list(rowsDoubtful))
        add("rows lost", Self.list(rowsLost))
        add("share as it was", salvageScore.map { "\(($0 * 1_000).rounded() / 10) %" })
        add("kept in", quarantine?.path(percentEncoded: false))
        add("error", underlyingError.map { String(describing: $0) })
        for step in steps {
            let milliseconds = step.duration / .milliseconds(1)
            let rounded = (milliseconds * 100).rounded() / 100
            add("step", "\(step.name) (\(rounded) ms)" + (step.detail.map { ": \($0)" } ?? ""))
        }
        return lines.joined(separator: "\n")
    }

    private static func list(_ rows: [String: Int]?) -> String? {
        guard let rows, !rows.isEmpty else { return nil }
        return rows.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            .joined(separator: ", ")
    }

    private var identifiers: String? {
        Self.transition(oldStoreIdentifier?.uuidString, storeIdentifier?.uuidString)
    }

    private var fingerprints: String? { Self.transition(oldFingerprint, newFingerprint) }

    private static func transition(_ old: String?, _ new: String?) -> String? {
        guard let old, old != new else { return new }
        return "\(old) → \(new ?? "none")"
    }
}
