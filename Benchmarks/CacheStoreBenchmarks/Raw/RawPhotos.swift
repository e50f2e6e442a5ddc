// SPDX-License-Identifier: MIT

import Foundation

/// The table of the sample rows, as the rival writes and reads it.
enum RawPhotos {
    static let columns =
        "serial, width, height, rating, views, name, owner, place, score, takenAt"

    static let tables = """
        CREATE TABLE photo (
            id INTEGER PRIMARY KEY, serial INTEGER, width INTEGER, height INTEGER,
            rating INTEGER, views INTEGER, name TEXT, owner TEXT, place TEXT,
            score REAL, takenAt REAL);
        CREATE INDEX photo_name ON photo (name);
        """

    /// Binds a row to the first ten parameters, and steps. Texts stay where they are meanwhile, so
    /// that SQLite need not copy them.
    static func insert(_ row: SampleRow, with statement: RawStatement) throws {
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

    /// The sum of the checksums of the rows with some names.
    static func lookUp(_ names: [String], with statement: RawStatement) throws -> UInt64 {
        var sum: UInt64 = 0
        for name in names {
            var name = name
            try name.withUTF8 { text in
                statement.bind(text, at: 1)
                guard try statement.step() else { throw BenchmarkError("a row is missing") }
                sum &+= row(of: statement).checksum
                statement.reset()
            }
        }
        return sum
    }

    /// The row that a statement stands on, if the ten columns come first from the given place.
    static func row(of statement: RawStatement, from first: Int32 = 0) -> SampleRow {
        SampleRow(
            serial: statement.integer(first), width: statement.integer(first + 1),
            height: statement.integer(first + 2), rating: statement.integer(first + 3),
            views: statement.integer(first + 4), name: statement.text(first + 5),
            owner: statement.text(first + 6), place: statement.text(first + 7),
            score: statement.double(first + 8),
            takenAt: Date(timeIntervalSince1970: statement.double(first + 9)))
    }
}
