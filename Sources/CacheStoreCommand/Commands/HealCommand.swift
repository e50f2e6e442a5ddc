// SPDX-License-Identifier: MIT

import CacheStoreHealing
import CacheStorePersistence
import CacheStoreSQLite
import Foundation

/// Makes a store usable again, without the program it belongs to.
struct HealCommand: FileCommand {
    var name: String { "heal" }

    private static let busyTimeout = Duration.seconds(5)

    func run(on file: String) throws -> CommandResult {
        let examination = try FileExamination(at: file)
        let (kind, paths) = (examination.kind, examination.paths)
        switch kind {
        case .missing:
            examination.close()
            var result = CommandResult("missing", .damaged)
            result.complaint = FileDescription.phrase(.missing)
            return result
        case .empty, .notADatabase:
            examination.close()
            return refusal(.unknown, "nothing says that it is a store, so it is not touched")
        case .foreign:
            examination.close()
            return refusal(.usage, "not a store of CacheStore, so it is not touched")
        case .newer:
            examination.close()
            return refusal(.unknown, "a store in a later format, so it is not touched")
        case .emptyStore, .store: break
        }
        let content = try readableContent(of: examination)
        let damage = try Self.damage(in: examination)
        examination.close()
        if kind == .emptyStore, damage == nil { return healthy(file, []) }
        guard damage == nil, let content else {
            return try empty(file, paths, because: damage ?? "the description of its model is gone")
        }
        return try open(content, file, paths)
    }

    private func refusal(_ code: ExitCode, _ reason: String) -> CommandResult {
        var result = CommandResult("refused", code)
        result.complaint = reason
        return result
    }

    private func healthy(_ file: String, _ repairs: [String]) -> CommandResult {
        var result = CommandResult(repairs.isEmpty ? "healthy" : "healed", .healthy)
        result.lines =
            ["\(file): " + (repairs.isEmpty ? "healthy, nothing to do" : "healed")]
            + repairs.map { "  " + $0 }
        result.fields = [JSONField("repairs", .strings(repairs))]
        return result
    }

    private func readableContent(of examination: FileExamination) throws -> StoredContent? {
        do {
            guard let meta = examination.meta, let content = try StoredContent(examination),
                content.fits(meta)
            else { return nil }
            return content
        } catch let error as SQLiteError {
            switch error.classification {
            case .damaged, .confirmFirst, .programming: return nil
            default: throw error
            }
        }
    }

    /// The first thing that speaks against using the store; what the graph has is repaired.
    private static func damage(in examination: FileExamination) throws -> String? {
        let check = try examination.check(deep: true)
        if let unknown = check.unknown.first {
            throw PersistentStoreError(.unavailable, unknown, path: examination.paths.main)
        }
        // A log that breaks off is as SQLite leaves it after a crash: the rest can be used.
        if let finding = check.findings.first(where: { $0.code != "log" }) {
            return finding.message
        }
        guard let meta = examination.meta, let connection = examination.connection,
            let content = try StoredContent(examination), content.fits(meta)
        else { return nil }
        do {
            return try content.schemaIsIntact(in: connection)
                ? nil : "Tables or indexes of the store's model are missing."
        } catch let error as SQLiteError where error.classification == .programming {
            return "The tables are not those of the store's model."
        }
    }

    /// Empties the store: its objects are given up, as its program would do it at its next opening.
    private func empty(
        _ file: String, _ paths: StorePaths, because reason: String
    ) throws -> CommandResult {
        let emptied = try StoreHealer.empty(paths, busyTimeout: Self.busyTimeout) {
            let again = try FileExamination(at: paths.main)
            defer { again.close() }
            return try Self.damage(in: again) != nil || readableContent(of: again) == nil
        }
        guard let emptied else {
            var result = CommandResult("unknown", .unknown)
            result.complaint = "damage was found once and not again; try again"
            return result
        }
        var repairs = [
            "Reset: \(reason)",
            "The store is empty now; its program makes its tables when it opens it, and is told.",
        ]
        if let place = emptied.quarantine {
            repairs.append("The damaged files are kept in \(place.path(percentEncoded: false))")
            repairs.append("What can be read of them is still to be had by: cachestore salvage")
        } else if let note = emptied.note {
            repairs.append("The damaged files were not kept: \(note).")
        }
        var result = healthy(file, repairs)
        result.fields += [
            JSONField("reset", .boolean(true)),
            JSONField("objectsLost", .boolean(true)),
            JSONField(
                "quarantine", .optional(emptied.quarantine?.path(percentEncoded: false))),
        ]
        return result
    }

    private func open(
        _ content: StoredContent, _ file: String, _ paths: StorePaths
    ) throws -> CommandResult {
        let (report, graph) = try content.open(at: paths, busyTimeout: Self.busyTimeout)
        if report.outcome != .opened {
            // Damaged since it was looked at, and made anew; its program would not be told.
            _ = try StoreHealer.empty(paths, busyTimeout: Self.busyTimeout) { true }
        }
        var repairs: [String] = []
        if report.outcome != .opened { repairs.append("Reset: \(report.cause).") }
        if report.wasChangedByAnotherProgram {
            repairs.append("Another program had written to it; its pages have checksums again.")
        }
        for finding in graph.findings where finding.repairedCount > 0 {
            let place = [finding.entity, finding.property].compactMap { $0 }
            repairs.append(
                (place.isEmpty ? "" : place.joined(separator: ".") + ": ")
                    + "\(finding.kind), \(finding.repairedCount) repaired")
        }
        var result = healthy(file, repairs)
        result.fields += [
            JSONField("reset", .boolean(report.outcome != .opened)),
            JSONField("objectsLost", .boolean(report.outcome != .opened)),
            JSONField("quarantine", .null),
        ]
        guard graph.unrepairedCount > 0 else { return result }
        result.name = "damaged"
        result.exitCode = .damaged
        for finding in graph.findings where finding.count > finding.repairedCount {
            let place = [finding.entity, finding.property].compactMap { $0 }
            result.lines.append(
                "  left: \(place.joined(separator: ".")): \(finding.kind), "
                    + "\(finding.count - finding.repairedCount)")
        }
        return result
    }
}
