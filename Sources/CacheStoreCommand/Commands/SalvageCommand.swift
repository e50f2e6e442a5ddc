// SPDX-License-Identifier: MIT

import CacheStoreHealing
import Foundation

/// Takes what is left of a damaged database over into a new file.
struct SalvageCommand: FileCommand {
    let output: String

    var name: String { "salvage" }

    func run(on file: String) throws -> CommandResult {
        let examination = try FileExamination(at: file)
        let (kind, isInUse) = (examination.kind, examination.isInUse)
        let path = examination.paths.main
        examination.close()
        guard kind != .missing else {
            var result = CommandResult("missing", .damaged)
            result.complaint = FileDescription.phrase(.missing)
            return result
        }
        guard !isInUse else {
            throw PersistentStoreError(
                .busy, "The file is in use; what is written to it meanwhile would look damaged.")
        }
        let new = URL(filePath: output, directoryHint: .notDirectory).path(percentEncoded: false)
        let report = try DatabaseSalvage().run(from: path, to: new)
        var notes = report.notes
        if !report.schemaWasComplete {
            notes.append("The definitions of the tables could not be read to the last.")
        }
        return result(report, notes, file)
    }

    private func result(
        _ report: SalvageReport, _ notes: [String], _ file: String
    ) -> CommandResult {
        let total = report.total
        var result = CommandResult("salvaged", .healthy)
        let percent = (report.score * 1000).rounded(.down) / 10
        result.lines = ["\(file): about \(percent) % of the rows are in \(output)"]
        if report.damagedPages > 0 {
            result.lines.append(
                "  \(report.damagedPages) of "
                    + FileDescription.plural(report.pageCount, "page", "pages") + " damaged")
        }
        let width = (report.tables.keys.map(\.count).max() ?? 0) + 2
        for (table, rows) in report.tables.sorted(by: { $0.key < $1.key }) {
            let padding = String(repeating: " ", count: width - table.count)
            var parts: [String] = []
            if rows.kept > 0 || rows.doubtful == 0 { parts.append("\(rows.kept) kept") }
            if rows.doubtful > 0 { parts.append("\(rows.doubtful) taken over without proof") }
            if rows.lost > 0 { parts.append("about \(rows.lost) lost") }
            result.lines.append("  \(table)\(padding)" + parts.joined(separator: ", "))
        }
        if report.unassignedRows > 0 {
            result.lines.append("  \(report.unassignedRows) rows of unknown tables")
        }
        result.lines += notes.map { "  note: \($0)" }
        let tables = report.tables.sorted { $0.key < $1.key }.map { table, rows in
            JSONField(
                table,
                .object([
                    JSONField("kept", .integer(rows.kept)),
                    JSONField("doubtful", .integer(rows.doubtful)),
                    JSONField("lost", .integer(rows.lost)),
                ]))
        }
        result.fields = [
            JSONField("output", .string(output)), JSONField("kept", .integer(total.kept)),
            JSONField("doubtful", .integer(total.doubtful)),
            JSONField("lost", .integer(total.lost)),
            JSONField("unassigned", .integer(report.unassignedRows)),
            JSONField("permille", .integer(Int((report.score * 1000).rounded(.down)))),
            JSONField("pages", .integer(report.pageCount)),
            JSONField("pagesDamaged", .integer(report.damagedPages)),
            JSONField("tables", .object(tables)), JSONField("notes", .strings(notes)),
        ]
        return result
    }
}
