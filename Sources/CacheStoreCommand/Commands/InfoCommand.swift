// SPDX-License-Identifier: MIT

import CacheStoreHealing
import CacheStorePersistence
import CacheStoreSQLite
import Foundation

/// Says what a file is and what is in it. Checks nothing.
struct InfoCommand: FileCommand {
    var name: String { "info" }

    func run(on file: String) throws -> CommandResult {
        let examination = try FileExamination(at: file)
        defer { examination.close() }
        var facts = Facts()
        describe(examination, &facts)
        if let connection = examination.connection, examination.damage == nil {
            do {
                try describeContent(examination, connection, &facts)
            } catch let error as SQLiteError {
                guard [.damaged, .confirmFirst, .programming].contains(error.classification) else {
                    throw error
                }
                facts.unknown.append("what is in it: \(error.code)")
            }
        }
        var result: CommandResult
        switch examination.kind {
        case .missing:
            result = CommandResult("missing", .damaged)
            result.complaint = FileDescription.phrase(.missing)
        case .empty, .notADatabase: result = CommandResult("damaged", .damaged)
        case .newer: result = CommandResult("unknown", .unknown)
        case .store, .foreign, .emptyStore:
            result =
                facts.unknown.isEmpty
                ? CommandResult("ok", .healthy) : CommandResult("damaged", .damaged)
        }
        if let damage = examination.damage { facts.unknown.append("what is in it: \(damage.code)") }
        if !facts.unknown.isEmpty, result.exitCode == .healthy {
            result = CommandResult("damaged", .damaged)
        }
        result.fields = facts.fields + [JSONField("unknown", .strings(facts.unknown))]
        if examination.kind != .missing {
            result.lines = ["\(file): \(FileDescription.phrase(examination.kind))"]
            result.lines += facts.lines
            result.lines += facts.unknown.map { "  cannot tell      " + $0 }
        }
        return result
    }

    /// What is said, once for people and once for programs.
    private struct Facts {
        var lines: [String] = []
        var fields: [JSONField] = []
        var unknown: [String] = []

        mutating func say(_ label: String, _ text: String) {
            let padding = String(repeating: " ", count: max(1, 17 - label.count))
            lines.append("  " + label + padding + text)
        }
    }

    private func describe(_ examination: FileExamination, _ facts: inout Facts) {
        facts.fields.append(
            JSONField("kind", .string(FileDescription.word(examination.kind))))
        guard examination.kind != .missing else { return }
        facts.say("size", FileDescription.size(examination.size))
        facts.fields.append(JSONField("size", .integer(Int(examination.size))))
        facts.fields.append(JSONField("pageSize", .optional(examination.pageSize)))
        facts.fields.append(JSONField("inUse", .boolean(examination.isInUse)))
        facts.fields.append(
            JSONField("logSize", .optional(examination.logSize.map { Int($0) })))
        facts.fields.append(
            JSONField("journalSize", .optional(examination.journalSize.map { Int($0) })))
        if let pageSize = examination.pageSize {
            facts.say(
                "pages",
                "\(examination.size / Int64(pageSize)) of \(pageSize) bytes")
        }
        if let usesLog = examination.usesLog {
            facts.fields.append(
                JSONField("journalMode", .string(usesLog ? "wal" : "rollback")))
        }
        if let size = examination.logSize, size > 0 {
            facts.say("log", "\(FileDescription.size(size)), not moved into the file yet")
        }
        if let size = examination.journalSize, size > 0 {
            facts.say("journal", "\(FileDescription.size(size)), to be rolled back")
        }
        if examination.isInUse { facts.say("in use", "by another process") }
        if examination.kind == .foreign, let identifier = examination.applicationID {
            facts.fields.append(JSONField("applicationID", .integer(Int(identifier))))
            if identifier != 0 { facts.say("application ID", "\(identifier)") }
        }
    }

    private func describeContent(
        _ examination: FileExamination, _ connection: Connection, _ facts: inout Facts
    ) throws {
        if let statistics = try connection.checksumStatistics {
            let (word, phrase) =
                switch statistics.writer {
                case .sealed: ("sealed", "all pages have one")
                case .anotherProgram: ("another-program-wrote", "another program has written since")
                case .unchecked: ("none", "none")
                }
            facts.fields.append(JSONField("checksums", .string(word)))
            if examination.kind != .foreign { facts.say("checksums", phrase) }
        }
        guard let meta = examination.meta else {
            let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table'"
            let tables = try connection.prepare(sql: sql).first { Int($0.int64(at: 0)) } ?? 0
            facts.fields.append(JSONField("tables", .integer(tables)))
            if examination.kind == .foreign { facts.say("tables", "\(tables)") }
            return
        }
        let created = meta.createdAt.ISO8601Format()
        facts.say("identifier", meta.storeIdentifier.uuidString)
        facts.say("created", created)
        facts.say("closed cleanly", examination.isClean ? "yes" : "no")
        if examination.hasDamageMark { facts.say("damage", "was seen by a program that used it") }
        facts.say("model", meta.fingerprint)
        facts.fields += [
            JSONField("identifier", .string(meta.storeIdentifier.uuidString)),
            JSONField("format", .optional(examination.formatVersion.map { Int($0) })),
            JSONField("created", .string(created)),
            JSONField("closedCleanly", .boolean(examination.isClean)),
            JSONField("damageWasSeen", .boolean(examination.hasDamageMark)),
            JSONField("model", .string(meta.fingerprint)),
        ]
        guard let content = try StoredContent(examination) else {
            facts.unknown.append("its entities: the description of the model is gone")
            return
        }
        let counts = try content.objectCounts(in: connection)
        facts.fields.append(JSONField("entities", .counts(counts)))
        let width = (counts.keys.map(\.count).max() ?? 0) + 2
        var label = "objects"
        for (entity, count) in counts.sorted(by: { $0.key < $1.key }) {
            let padding = String(repeating: " ", count: width - entity.count)
            facts.say(label, entity + padding + "\(count)")
            label = ""
        }
    }
}
