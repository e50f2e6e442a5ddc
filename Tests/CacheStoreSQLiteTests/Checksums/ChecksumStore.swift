// SPDX-License-Identifier: MIT
import Foundation

@testable import CacheStoreSQLite

/// A store with checksums, of about `rows` · 1 KB, and the exact text of what it holds.
struct ChecksumStore {
    let database: TemporaryDatabase

    init(
        rows: Int = 0, pageSize: Int = 4096, reservedBytes: Int? = ChecksumVFS.reservedBytes,
        journalMode: ConnectionSettings.JournalMode = .wal, vfs: String? = ChecksumVFS.name
    ) throws {
        try ChecksumVFS.register()
        database = try TemporaryDatabase()
        guard rows > 0 else { return }
        let connection = try Connection(.file(database.path), vfs: vfs)
        var settings = ConnectionSettings()
        settings.pageSize = pageSize
        settings.reservedBytes = reservedBytes
        settings.journalMode = journalMode
        try settings.apply(to: connection)
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, k TEXT, v TEXT, n)")
        try connection.execute("CREATE INDEX byKey ON t (k)")
        try Self.insert(1...rows, into: connection)
        if journalMode == .wal { try connection.checkpoint(.truncate) }
        try connection.close()
    }

    var url: URL { URL(filePath: database.path) }

    static func insert(_ rows: ClosedRange<Int>, into connection: Connection) throws {
        let payload = String(repeating: "some longer payload that no index has; ", count: 20)
        try connection.transaction { () throws in
            let insert = try connection.prepare(sql: "INSERT INTO t VALUES (?, ?, ?, ?)")
            for row in rows {
                try insert.run([
                    .integer(Int64(row)), .text("key-\(row * 7919 % 100_003)"),
                    .text("\(row) " + payload), .integer(Int64(row * row)),
                ])
            }
        }
    }

    /// Opens the store, with the settings of a writer.
    func connection(
        vfs: String? = ChecksumVFS.name, mode: Connection.Mode = .readWrite
    ) throws -> Connection {
        let connection = try Connection(.file(database.path), mode: mode, vfs: vfs)
        if mode == .readWrite { try ConnectionSettings().apply(to: connection) }
        return connection
    }

    /// Opens the store as any other program would, and changes something.
    func writeByAnotherProgram(_ sql: String) throws {
        let other = try Connection(.file(database.path), mode: .readWrite)
        try other.execute(sql: sql)
        try other.close()
    }

    /// Opens, reads everything in the order of the table and of the index, and closes.
    func content(vfs: String? = ChecksumVFS.name) throws -> [String] {
        let connection = try Connection(.file(database.path), mode: .readWrite, vfs: vfs)
        defer { try? connection.close() }
        return try Self.content(of: connection)
    }

    static func content(of connection: Connection) throws -> [String] {
        try [
            "SELECT group_concat(id || k || v || n, char(10)) FROM (SELECT * FROM t ORDER BY id)",
            "SELECT group_concat(k) FROM (SELECT k FROM t INDEXED BY byKey ORDER BY k)",
            "SELECT count(*) || ' ' || max(length(v)) FROM t",
        ].map { sql in
            try connection.prepare(sql: sql).first { $0.text(at: 0) ?? "NULL" } ?? "no row"
        }
    }

    /// What a crash would leave of the store now.
    func copyWithLog() throws -> ChecksumStore {
        let copy = try ChecksumStore()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: database.path + suffix, toPath: copy.database.path + suffix)
        }
        return copy
    }

    func bytes() throws -> Data { try Data(contentsOf: url) }

    /// The pages that differ, counted from 1, without the first one, which has the generation.
    static func differingPages(_ one: Data, _ other: Data, pageSize: Int = 4096) -> [Int] {
        (2...min(one.count, other.count) / pageSize).filter { number in
            let range = (number - 1) * pageSize..<number * pageSize
            return one[range] != other[range]
        }
    }
}
