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
        if wasChangedByAnotherProgram { add("last writer", "another program") }
        if verification != .none { add("verification", verification.description) }
        for change in migrationChanges { add("migration", change) }
        if let rowsLost, !rowsLost.isEmpty {
            let sorted = rowsLost.sorted { $0.key < $1.key }
            add("rows lost", sorted.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
        }
        add("kept in", quarantine?.path(percentEncoded: false))
        add("error", underlyingError.map { String(describing: $0) })
        for step in steps {
            let milliseconds = step.duration / .milliseconds(1)
            let rounded = (milliseconds * 100).rounded() / 100
            add("step", "\(step.name) (\(rounded) ms)" + (step.detail.map { ": \($0)" } ?? ""))
        }
        return lines.joined(separator: "\n")
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
