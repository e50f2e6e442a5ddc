// SPDX-License-Identifier: MIT

import Foundation

/// A connection for each thread; those that read have the page cache that our readers have.
struct RawSharedStore: SharedContestant {
    private let path: String
    private let ids: [Int64]

    init(opening folder: URL) throws {
        path = RawConnection.path(in: folder)
        let statement = try RawConnection(path: path).prepare(
            "SELECT id FROM photo ORDER BY serial")
        var ids: [Int64] = []
        while try statement.step() { ids.append(statement.integer(0)) }
        self.ids = ids
    }

    func makeReader() throws -> any RowReader {
        try Reader(try RawConnection(path: path, cacheSize: 16_384), ids)
    }

    func makeWriter() throws -> any RowWriter { try Writer(try RawConnection(path: path), ids) }

    func close() {}

    private final class Reader: RowReader {
        private let connection: RawConnection
        private let statement: RawStatement
        private let ids: [Int64]

        init(_ connection: RawConnection, _ ids: [Int64]) throws {
            self.connection = connection
            self.ids = ids
            statement = try connection.prepare(
                "SELECT \(RawPhotos.columns) FROM photo WHERE id = ?")
        }

        func read(at position: Int) throws -> UInt64 {
            statement.bind(ids[position], at: 1)
            defer { statement.reset() }
            guard try statement.step() else { throw BenchmarkError("a row is missing") }
            return RawPhotos.row(of: statement).checksum
        }
    }

    private final class Writer: RowWriter {
        private let connection: RawConnection
        private let statement: RawStatement
        private let ids: [Int64]

        init(_ connection: RawConnection, _ ids: [Int64]) throws {
            self.connection = connection
            self.ids = ids
            statement = try connection.prepare(
                "UPDATE photo SET rating = rating + 1 WHERE id = ?")
        }

        func change(at positions: [Int]) throws {
            try connection.transaction {
                for position in positions {
                    statement.bind(ids[position], at: 1)
                    _ = try statement.step()
                    statement.reset()
                }
            }
        }
    }
}
