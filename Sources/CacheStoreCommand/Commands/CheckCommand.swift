// SPDX-License-Identifier: MIT

import CacheStoreHealing
import CacheStorePersistence
import CacheStoreSQLite

/// Checks a file, and changes nothing.
struct CheckCommand: FileCommand {
    let isDeep: Bool

    var name: String { "check" }

    func run(on file: String) throws -> CommandResult {
        let examination = try FileExamination(at: file)
        defer { examination.close() }
        var check = try examination.check(deep: isDeep)
        try checkContent(examination, &check)
        if !check.findings.isEmpty, examination.hasChanged {
            // A page that was just being written looks like a damaged one.
            check.unknown.append("The file was written while it was looked at; try again.")
            check.findings = []
        }
        return result(check, examination, file)
    }

    /// Checks what the store has against the description of its model.
    private func checkContent(_ examination: FileExamination, _ check: inout FileCheck) throws {
        guard let meta = examination.meta, let connection = examination.connection else { return }
        do {
            guard let content = try StoredContent(examination), content.fits(meta) else {
                check.add(
                    "model", "The description of the store's model is missing or does not fit.")
                return
            }
            guard try content.schemaIsIntact(in: connection) else {
                check.add("schema", "Tables or indexes of the store's model are missing.")
                return
            }
            // Of damaged pages nothing can be said that would make sense.
            guard isDeep, check.findings.isEmpty else { return }
            let graph = try connection.transaction(.deferred) {
                try content.checkGraph(in: connection, of: examination.paths)
            }
            for finding in graph.findings {
                let place = [finding.entity, finding.property].compactMap { $0 }
                check.add(
                    "graph", "\(place.joined(separator: ".")): \(finding.kind), \(finding.count).")
            }
        } catch let error as SQLiteError {
            switch error.classification {
            case .damaged, .confirmFirst:
                if check.findings.isEmpty {
                    check.add("unreadable", "The database cannot be read: \(error.code).")
                }
            case .programming:
                check.add("schema", "The tables are not those of the store's model.")
            default: throw error
            }
        }
    }

    private func result(
        _ check: FileCheck, _ examination: FileExamination, _ file: String
    ) -> CommandResult {
        var result: CommandResult
        if examination.kind == .missing {
            result = CommandResult("missing", .damaged)
            result.complaint = FileDescription.phrase(.missing)
        } else if !check.findings.isEmpty {
            result = CommandResult("damaged", .damaged)
        } else if !check.unknown.isEmpty {
            result = CommandResult("unknown", .unknown)
        } else {
            result = CommandResult("healthy", .healthy)
        }
        let pages = check.checkedPages.map {
            FileDescription.plural($0, "page", "pages") + " compared with their checksums"
        }
        if examination.kind != .missing {
            result.lines = [
                "\(file): \(result.name)"
                    + (result.exitCode == .healthy ? pages.map { ", " + $0 } ?? "" : "")
            ]
            result.lines += check.findings.map { "  \($0.code): \($0.message)" }
            result.lines += check.unknown.map { "  cannot tell: \($0)" }
            result.lines += check.notes.map { "  note: \($0)" }
        }
        let findings = check.findings.map { finding in
            JSONValue.object([
                JSONField("code", .string(finding.code)),
                JSONField("message", .string(finding.message)),
            ])
        }
        result.fields = [
            JSONField("kind", .string(FileDescription.word(examination.kind))),
            JSONField("deep", .boolean(isDeep)),
            JSONField("pagesChecked", .optional(check.checkedPages)),
            JSONField("pagesDamaged", .optional(check.failedPages)),
            JSONField("findings", .array(findings)),
            JSONField("unknown", .strings(check.unknown)),
            JSONField("notes", .strings(check.notes)),
        ]
        return result
    }
}
