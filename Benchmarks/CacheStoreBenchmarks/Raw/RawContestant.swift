// SPDX-License-Identifier: MIT

import CCacheStoreSQLite
import Foundation

/// The rival: Swift structs straight over the C interface of SQLite, as fast as it goes.
@MainActor
final class RawContestant: Contestant {
    private var connection: OpaquePointer?
    private var lookup: RawStatement?
    private var selection: [Int64] = []

    private static let columns =
        "serial, width, height, rating, views, name, owner, place, score, takenAt"

    func open(in folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appendingPathComponent("raw.sqlite").path
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        connection = opened
        guard code == SQLITE_OK else { throw BenchmarkError("\(path) cannot be opened") }
        try execute(
            """
            PRAGMA page_size = 4096;
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = NORMAL;
            PRAGMA cache_size = -65536;
            PRAGMA wal_autocheckpoint = 0;
            CREATE TABLE IF NOT EXISTS metadata (version INTEGER NOT NULL);
            """)
        guard try !RawStatement(openConnection(), "SELECT 1 FROM metadata").step() else { return }
        try execute(
            """
            CREATE TABLE photo (
                id INTEGER PRIMARY KEY, serial INTEGER, width INTEGER, height INTEGER,
                rating INTEGER, views INTEGER, name TEXT, owner TEXT, place TEXT,
                score REAL, takenAt REAL);
            CREATE INDEX photo_name ON photo (name);
            INSERT INTO metadata VALUES (1);
            """)
    }

    func close() throws {
        lookup = nil
        selection = []
        let closing = try openConnection()
        try execute("PRAGMA wal_checkpoint(TRUNCATE)")
        guard sqlite3_close(closing) == SQLITE_OK else {
            throw BenchmarkError("a statement is still in use")
        }
        connection = nil
    }

    func readMetadata() throws -> UInt64 {
        let statement = try RawStatement(openConnection(), "SELECT version FROM metadata")
        guard try statement.step() else { throw BenchmarkError("the metadata is missing") }
        return UInt64(bitPattern: statement.integer(0))
    }

    func insert(_ rows: [SampleRow]) throws {
        try execute("BEGIN IMMEDIATE")
        let statement = try RawStatement(
            openConnection(),
            "INSERT INTO photo (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        for row in rows {
            var row = row
            statement.bind(row.serial, at: 1)
            statement.bind(row.width, at: 2)
            statement.bind(row.height, at: 3)
            statement.bind(row.rating, at: 4)
            statement.bind(row.views, at: 5)
            statement.bind(row.score, at: 9)
            statement.bind(row.takenAt.timeIntervalSince1970, at: 10)
            var (owner, place) = (row.owner, row.place)
            try row.name.withUTF8 { name in
                try owner.withUTF8 { owner in
                    try place.withUTF8 { place in
                        statement.bind(name, at: 6)
                        statement.bind(owner, at: 7)
                        statement.bind(place, at: 8)
                        _ = try statement.step()
                        statement.reset()
                    }
                }
            }
        }
        try execute("COMMIT")
    }

    func fetchAndReadAll() throws -> UInt64 {
        let statement = try RawStatement(openConnection(), "SELECT \(Self.columns) FROM photo")
        var rows: [SampleRow] = []
        while try statement.step() { rows.append(Self.row(of: statement)) }
        return rows.reduce(0) { $0 &+ $1.checksum }
    }

    func lookUp(_ names: [String]) throws -> UInt64 {
        let statement =
            try lookup
            ?? RawStatement(openConnection(), "SELECT \(Self.columns) FROM photo WHERE name = ?")
        lookup = statement
        var sum: UInt64 = 0
        for name in names {
            var name = name
            try name.withUTF8 { text in
                statement.bind(text, at: 1)
                guard try statement.step() else { throw BenchmarkError("a row is missing") }
                sum &+= Self.row(of: statement).checksum
                statement.reset()
            }
        }
        return sum
    }

    func select(first count: Int) throws {
        let statement = try RawStatement(
            openConnection(), "SELECT id, rating FROM photo ORDER BY serial LIMIT ?")
        statement.bind(Int64(count), at: 1)
        selection = []
        while try statement.step() { selection.append(statement.integer(0)) }
    }

    func updateSelection() throws {
        try changeSelection("UPDATE photo SET rating = rating + 1 WHERE id = ?")
    }

    func deleteSelection() throws {
        try changeSelection("DELETE FROM photo WHERE id = ?")
    }

    private func changeSelection(_ sql: String) throws {
        try execute("BEGIN IMMEDIATE")
        let statement = try RawStatement(openConnection(), sql)
        for id in selection {
            statement.bind(id, at: 1)
            _ = try statement.step()
            statement.reset()
        }
        try execute("COMMIT")
    }

    private static func row(of statement: RawStatement) -> SampleRow {
        SampleRow(
            serial: statement.integer(0), width: statement.integer(1),
            height: statement.integer(2), rating: statement.integer(3),
            views: statement.integer(4), name: statement.text(5), owner: statement.text(6),
            place: statement.text(7), score: statement.double(8),
            takenAt: Date(timeIntervalSince1970: statement.double(9)))
    }

    private func openConnection() throws -> OpaquePointer {
        guard let connection else { throw BenchmarkError("the store is not open") }
        return connection
    }

    private func execute(_ sql: String) throws {
        let connection = try openConnection()
        guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else {
            throw BenchmarkError(String(cString: sqlite3_errmsg(connection)))
        }
    }
}
