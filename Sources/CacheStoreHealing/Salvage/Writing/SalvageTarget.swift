// SPDX-License-Identifier: MIT

import CCacheStoreSQLite
import CacheStoreSQLite
import Foundation

/// The new database that rows are taken over into.
final class SalvageTarget {
    /// How long SQLite may take for one definition, which comes from a file that may be anybody's.
    private static let timeForDefinition = Duration.seconds(1)

    let connection: Connection

    /// Creates an empty database like a damaged one. The file must not exist.
    init(at path: String, like image: DatabaseImage, isStore: Bool) throws {
        let hasChecksums = isStore || image.geometry.checksums != .none
        if hasChecksums { try ChecksumVFS.register() }
        connection = try Connection(.file(path), vfs: hasChecksums ? ChecksumVFS.name : nil)
        try connection.configure(.trustedSchema, false)
        try connection.configure(.foreignKeys, false)
        // Nobody needs the file before it is complete, and it is synced then.
        try connection.setPragma("synchronous", to: "OFF")
        let pageSize = isStore ? StoreFormat.pageSize : image.geometry.pageSize
        try connection.setPragma("page_size", to: .integer(Int64(pageSize)))
        try connection.setReservedBytes(
            hasChecksums ? StoreFormat.reservedBytes : image.geometry.reservedBytes)
        let encoding = TextEncoding(of: image.header)
        try connection.execute(sql: "PRAGMA encoding = '\(encoding.name)'")
        if hasChecksums || image.header?.hasPointerMap == true {
            let isFull = image.header.map { $0.hasPointerMap && !$0.isIncrementalVacuum } ?? false
            try connection.setPragma("auto_vacuum", to: isFull ? "FULL" : "INCREMENTAL")
        }
        _ = try connection.setPragma("journal_mode", to: "MEMORY")
        if let header = image.header {
            try connection.setPragma("application_id", to: .integer(Int64(header.applicationID)))
            try connection.setPragma("user_version", to: .integer(Int64(header.userVersion)))
        }
    }

    /// Runs a definition from the damaged database.
    ///
    /// - Returns: whether SQLite took it.
    func define(_ object: SchemaObject) throws -> Bool {
        guard let sql = object.sql, Self.isDefinition(sql) else { return false }
        do {
            try connection.withDeadline(.now + Self.timeForDefinition) {
                try connection.prepare(sql: sql).run()
            }
            return true
        } catch let error as SQLiteError {
            switch error.classification {
            case .programming, .constraint, .interrupted, .damaged: return false
            default: throw error
            }
        }
    }

    /// `sqlite_schema` has definitions of tables, indexes, views and triggers; a damaged or malicious
    /// one could have anything, as far as SQLite would run it.
    private static func isDefinition(_ sql: String) -> Bool {
        let words = sql.prefix(64).uppercased().split(whereSeparator: \.isWhitespace)
        guard words.count >= 2, words[0] == "CREATE" else { return false }
        return ["TABLE", "INDEX", "UNIQUE", "VIEW", "TRIGGER", "VIRTUAL"].contains(words[1])
    }

    func has(_ name: String) throws -> Bool {
        try connection.prepare(
            "SELECT 1 FROM sqlite_schema WHERE name = \(name) COLLATE NOCASE"
        ).first { _ in true } ?? false
    }

    /// Puts all of it onto the disk.
    func finish() throws {
        let path: String
        if case .file(let place) = connection.location { path = place } else { return }
        try connection.close()
        try FileTree.synchronize(path)
    }
}
