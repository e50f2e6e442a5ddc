// SPDX-License-Identifier: MIT

import Foundation

/// The rival: Swift structs straight over the C interface of SQLite, as fast as it goes.
@MainActor
final class RawContestant: Contestant {
    private var connection: RawConnection?
    private var nameLookup: RawStatement?
    private var idLookup: RawStatement?
    private var selection: [Int64] = []

    /// The page cache in KiB.
    private let cacheSize: Int

    init(cacheSize: Int = 65_536) { self.cacheSize = cacheSize }

    func open(in folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let opened = try RawConnection(path: RawConnection.path(in: folder), cacheSize: cacheSize)
        try opened.create(RawPhotos.tables)
        connection = opened
    }

    func close() throws {
        nameLookup = nil
        idLookup = nil
        selection = []
        try openConnection().checkpoint()
        connection = nil
    }

    func readMetadata() throws -> UInt64 {
        let statement = try openConnection().prepare("SELECT version FROM metadata")
        guard try statement.step() else { throw BenchmarkError("the metadata is missing") }
        return UInt64(bitPattern: statement.integer(0))
    }

    func isWhole(rowCount: Int) throws -> Bool {
        let statement = try openConnection().prepare("SELECT 1 FROM photo WHERE name = ?")
        var name = SampleRow.name(ofSerial: rowCount - 1)
        return try name.withUTF8 { text in
            statement.bind(text, at: 1)
            defer { statement.reset() }
            return try statement.step()
        }
    }

    func insert(_ rows: [SampleRow]) throws {
        let connection = try openConnection()
        try connection.transaction {
            let statement = try connection.prepare(
                "INSERT INTO photo (\(RawPhotos.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            for row in rows { try RawPhotos.insert(row, with: statement) }
        }
    }

    func fetchAndReadAll() throws -> UInt64 {
        var sum: UInt64 = 0
        for row in try fetchAll() { sum &+= row.checksum }
        return sum
    }

    func fetchAndReadOne() throws -> UInt64 {
        var sum: UInt64 = 0
        for row in try fetchAll() { sum &+= UInt64(bitPattern: row.views) }
        return sum
    }

    private func fetchAll() throws -> [SampleRow] {
        let statement = try openConnection().prepare("SELECT \(RawPhotos.columns) FROM photo")
        var rows: [SampleRow] = []
        while try statement.step() { rows.append(RawPhotos.row(of: statement)) }
        return rows
    }

    func lookUp(_ names: [String]) throws -> UInt64 {
        let statement =
            try nameLookup
            ?? openConnection().prepare("SELECT \(RawPhotos.columns) FROM photo WHERE name = ?")
        nameLookup = statement
        return try RawPhotos.lookUp(names, with: statement)
    }

    func rememberIDs() throws {
        let statement = try openConnection().prepare("SELECT id FROM photo ORDER BY serial")
        selection = []
        while try statement.step() { selection.append(statement.integer(0)) }
    }

    func lookUpIDs(at positions: [Int]) throws -> UInt64 {
        let statement =
            try idLookup
            ?? openConnection().prepare("SELECT \(RawPhotos.columns) FROM photo WHERE id = ?")
        idLookup = statement
        var sum: UInt64 = 0
        for position in positions {
            statement.bind(selection[position], at: 1)
            guard try statement.step() else { throw BenchmarkError("a row is missing") }
            sum &+= RawPhotos.row(of: statement).checksum
            statement.reset()
        }
        return sum
    }

    func select(first count: Int) throws {
        let statement = try openConnection().prepare(
            "SELECT id, rating FROM photo ORDER BY serial LIMIT ?")
        statement.bind(Int64(count), at: 1)
        selection = []
        while try statement.step() { selection.append(statement.integer(0)) }
    }

    func select(named names: [String]) throws {
        let statement = try openConnection().prepare("SELECT id FROM photo WHERE name = ?")
        selection = []
        for name in names {
            var name = name
            try name.withUTF8 { text in
                statement.bind(text, at: 1)
                while try statement.step() { selection.append(statement.integer(0)) }
                statement.reset()
            }
        }
    }

    func updateSelection() throws {
        try changeSelection("UPDATE photo SET rating = rating + 1 WHERE id = ?")
    }

    func deleteSelection() throws {
        try changeSelection("DELETE FROM photo WHERE id = ?")
    }

    private func changeSelection(_ sql: String) throws {
        let connection = try openConnection()
        try connection.transaction {
            let statement = try connection.prepare(sql)
            for id in selection {
                statement.bind(id, at: 1)
                _ = try statement.step()
                statement.reset()
            }
        }
    }

    private func openConnection() throws -> RawConnection {
        guard let connection else { throw BenchmarkError("the store is not open") }
        return connection
    }
}
