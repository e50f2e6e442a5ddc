// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStoreHealing

/// The edges of SQLite's format of rows, against what SQLite itself writes.
@Suite struct RecordFormatTests {
    @Test func `a number has up to nine bytes, the last with eight bits`() {
        func read(_ bytes: [UInt8]) -> [Int64] {
            bytes.varint(at: 0).map { [$0.value, Int64($0.end)] } ?? []
        }
        #expect(read([0x7F]) == [127, 1])
        #expect(read([0x81, 0x00]) == [128, 2])
        #expect(read([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]) == [(1 << 56) - 1, 8])
        #expect(read([UInt8](repeating: 0xFF, count: 9)) == [-1, 9])
        #expect(read([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]) == [128, 9])
        #expect(read([0x81]) == [])
        #expect([UInt8(1)].varint(at: 1) == nil)
    }

    private func salvage(_ sql: String) throws -> (before: [String], after: [String]) {
        let store = try TemporaryStore(syncsForNothing: true)
        let new = store.directory + "/new"
        let connection = try Connection(.file(store.path))
        try connection.execute(sql: sql)
        let before = try rows(of: connection)
        try connection.close()
        let report = try DatabaseSalvage().run(from: store.path, to: new)
        #expect(report.total.doubtful == before.count)
        #expect(report.total.lost == 0)
        return (before, try rows(of: Connection(.file(new), mode: .readOnly)))
    }

    private func rows(of connection: Connection) throws -> [String] {
        var rows: [String] = []
        try connection.prepare(sql: "SELECT k, hex(v) FROM t ORDER BY k").rows { row in
            rows.append("\(row.value(at: 0)) \(row.text(at: 1) ?? "")")
        }
        return rows
    }

    // https://sqlite.org/fileformat2.html#b_tree_pages: how much of a row stays on its page.
    @Test(arguments: ["k INTEGER PRIMARY KEY, v)", "k INTEGER PRIMARY KEY, v) WITHOUT ROWID"])
    func `rows of every length are read whole`(columns: String) throws {
        let (before, after) = try salvage(
            """
            PRAGMA page_size = 512; CREATE TABLE t (\(columns);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1300)
            INSERT INTO t SELECT i, substr(hex(zeroblob(i)), 1, i - 4) || 'last' FROM n
            """)
        #expect(before.count == 1_300)
        #expect(before == after)
    }

    @Test func `row numbers and integers of every width are read`() throws {
        let (before, after) = try salvage(
            """
            CREATE TABLE t (k INTEGER PRIMARY KEY, v);
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 62)
            INSERT INTO t SELECT s * (1 << i) - (s < 0), s * (1 << i) + d FROM n,
                (SELECT 1 AS s UNION SELECT -1), (SELECT 0 AS d) WHERE true ON CONFLICT DO NOTHING
            """)
        #expect(before.count > 100)
        #expect(before == after)
    }
}
