// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation

extension StoreMeta {
    /// What a database turned out to be, once SQLite could read it.
    enum Reading: Sendable, Hashable {
        case ours(StoreMeta)
        /// No tables, and nobody's mark.
        case empty
        case foreign
        case newer(version: Int32)
        /// It carries our mark, but not what belongs to it.
        case incomplete
    }

    private static let keys = (
        identifier: "store_identifier", fingerprint: "fingerprint", created: "created_at",
        count: "write_count", clean: "clean_mark", model: "model", format: "format_version",
        former: "former_identifiers"
    )

    /// How many former identities are kept; a log has rarely more than one of them.
    private static let longestLineage = 8

    /// The first value of the row with a copy of `sqlite_schema`, for when the original is damaged.
    static let schemaMark = "cachestore_schema"

    /// Creates the table and marks the file as ours. In a transaction.
    ///
    /// - Parameter lineage: the identities of what the file had before, the last one first.
    static func create(
        in connection: Connection, identifier: UUID, content: any StoreContent,
        replacing lineage: [UUID] = []
    ) throws {
        // Without rowids and small, so that all of it but the model's text is one page.
        try connection.execute(
            sql:
                """
                CREATE TABLE cachestore_meta (key TEXT PRIMARY KEY NOT NULL, value) WITHOUT ROWID;
                PRAGMA application_id = \(applicationID);
                PRAGMA user_version = \(formatVersion)
                """)
        let rows: [(String, SQLBinding)] = [
            (keys.format, .integer(Int64(formatVersion))),
            (keys.identifier, .text(identifier.uuidString)),
            (keys.fingerprint, .text(content.fingerprint)),
            (keys.created, .real(Date().timeIntervalSince1970)),
            (keys.count, .integer(1)),
            (keys.clean, .integer(0)),
            (keys.model, text(content.storedDescription)),
            (keys.former, formerIdentifiers(lineage)),
        ]
        for (key, value) in rows { try set(key, value, in: connection) }
    }

    private static func formerIdentifiers(_ lineage: [UUID]) -> SQLBinding {
        .text(lineage.prefix(longestLineage).map(\.uuidString).joined(separator: " "))
    }

    /// Reads the marks and the table.
    static func read(from connection: Connection) throws -> Reading {
        let application = try pragma("application_id", in: connection)
        if application != Int64(applicationID) {
            let tables = try connection.statement(sql: "SELECT count(*) FROM sqlite_schema")
                .first { $0.int64(at: 0) }
            return application == 0 && tables == 0 ? .empty : .foreign
        }
        let version = try pragma("user_version", in: connection)
        if version > Int64(formatVersion) { return .newer(version: Int32(clamping: version)) }
        return try readTable(from: connection).map { .ours($0) } ?? .incomplete
    }

    private static func readTable(from connection: Connection) throws -> StoreMeta? {
        var values: [String: SQLBinding] = [:]
        let sql = "SELECT key, value FROM cachestore_meta WHERE key <> 'model'"
        try connection.statement(sql: sql).rows { row in
            if let key = row.text(at: 0) { values[key] = row.value(at: 1) }
        }
        guard let identifier = values[keys.identifier]?.text.flatMap(UUID.init(uuidString:)),
            let fingerprint = values[keys.fingerprint]?.text,
            let count = values[keys.count]?.integer,
            let clean = values[keys.clean]?.integer
        else { return nil }
        var created = 0.0
        if case .real(let value)? = values[keys.created] { created = value }
        return StoreMeta(
            storeIdentifier: identifier, fingerprint: fingerprint,
            createdAt: Date(timeIntervalSince1970: created), writeCount: count, cleanMark: clean,
            formerIdentifiers: (values[keys.former]?.text ?? "").split(separator: " ")
                .compactMap { UUID(uuidString: String($0)) })
    }

    /// The model that the file was written for.
    static func readModel(from connection: Connection) throws -> Data? {
        try connection.statement(sql: "SELECT value FROM cachestore_meta WHERE key = 'model'")
            .first { $0.data(at: 0) }
            .flatMap { $0 }
    }

    /// Stores the current model. In a transaction.
    static func setModel(of content: any StoreContent, in connection: Connection) throws {
        try set(keys.fingerprint, .text(content.fingerprint), in: connection)
        try set(keys.model, text(content.storedDescription), in: connection)
    }

    /// Copies the schema into a table. In a transaction, after every change of the schema.
    ///
    /// A table of its own: SQLite reads the whole of a long row whenever it compares a key with it
    /// in a tree of keys, as that of this table is.
    static func copySchema(in connection: Connection) throws {
        try connection.execute(
            sql:
                """
                CREATE TABLE IF NOT EXISTS cachestore_schema
                    (mark TEXT NOT NULL, copy TEXT NOT NULL);
                DELETE FROM cachestore_schema
                """)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let copy = try encoder.encode(SchemaObject.all(in: connection))
        try connection.prepare(sql: "INSERT INTO cachestore_schema VALUES (?, ?)")
            .run([.text(schemaMark), text(copy)])
    }

    /// Makes sure that a salvaged store has the table, and returns the model of its rows, as far as
    /// that is known. In a transaction.
    static func modelOfSalvaged(in connection: Connection) throws -> Data? {
        try connection.execute(
            sql:
                """
                CREATE TABLE IF NOT EXISTS cachestore_meta (key TEXT PRIMARY KEY NOT NULL, value)
                    WITHOUT ROWID;
                PRAGMA application_id = \(applicationID);
                PRAGMA user_version = \(formatVersion)
                """)
        return try readModel(from: connection)
    }

    /// Completes the table of a salvaged store, under a new identity. In a transaction, after the
    /// rows were made to fit together.
    ///
    /// - Parameter lineage: the identities that the file is known to have had, the last one first.
    /// - Throws: ``Unmigratable`` where it is not known any more what the store has.
    static func restore(
        in connection: Connection, for content: any StoreContent, replacing lineage: [UUID]
    ) throws {
        func value(_ key: String) throws -> SQLBinding? {
            try connection.prepare("SELECT value FROM cachestore_meta WHERE key = \(key)")
                .first { $0.value(at: 0) }
        }
        let fingerprint = try value(keys.fingerprint)?.text ?? content.fingerprint
        let isCurrent = fingerprint == content.fingerprint
        if isCurrent {
            guard try content.schemaIsIntact(in: connection) else {
                throw Unmigratable(reason: "The tables are not those of the model.")
            }
            try set(keys.model, text(content.storedDescription), in: connection)
        } else if try value(keys.model)?.text == nil {
            throw Unmigratable(reason: "The store does not have its model any more.")
        }
        let count = try (value(keys.count)?.integer ?? 0) &+ 1
        var lineage = lineage
        if let old = try value(keys.identifier)?.text.flatMap(UUID.init(uuidString:)),
            !lineage.contains(old)
        {
            lineage.insert(old, at: 0)
        }
        let created = try value(keys.created) ?? .real(Date().timeIntervalSince1970)
        let rows: [(String, SQLBinding)] = [
            (keys.format, .integer(Int64(formatVersion))),
            (keys.identifier, .text(UUID().uuidString)),
            (keys.fingerprint, .text(fingerprint)), (keys.created, created),
            (keys.count, .integer(count)), (keys.clean, .integer(count)),
            (keys.former, formerIdentifiers(lineage)),
        ]
        for (key, value) in rows { try set(key, value, in: connection) }
    }

    private static let countWrite = StatementKey()

    /// Counts a write transaction: in it, so that the clean mark is gone with its first page.
    static func countWrite(in connection: Connection) throws {
        let statement = try connection.statement(countWrite) {
            "UPDATE cachestore_meta SET value = value + 1 WHERE key = 'write_count'"
        }
        try statement.run()
    }

    private static let identifierQuery = StatementKey()

    /// Returns whether the store is still the one that was opened.
    static func isStore(_ identifier: UUID, in connection: Connection) throws -> Bool {
        let statement = try connection.statement(identifierQuery) {
            "SELECT value FROM cachestore_meta WHERE key = 'store_identifier'"
        }
        let found = try statement.first { $0.text(at: 0) }.flatMap { $0 }
        return found == identifier.uuidString
    }

    /// Marks the store as cleanly closed. In a transaction.
    static func markClean(in connection: Connection) throws {
        try connection.execute(
            sql:
                """
                UPDATE cachestore_meta SET value =
                    (SELECT value FROM cachestore_meta WHERE key = 'write_count')
                WHERE key = 'clean_mark'
                """)
    }

    private static func pragma(_ name: String, in connection: Connection) throws -> Int64 {
        try connection.prepare(sql: "PRAGMA \(name)").first { $0.int64(at: 0) } ?? 0
    }

    private static func set(
        _ key: String, _ value: SQLBinding, in connection: Connection
    ) throws {
        try connection.statement(sql: "INSERT OR REPLACE INTO cachestore_meta VALUES (?, ?)")
            .run([.text(key), value])
    }

    private static func text(_ data: Data) -> SQLBinding {
        .text(String(decoding: data, as: UTF8.self))
    }
}
