// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import CacheStoreTestKit
import Foundation
import Testing

@testable import CacheStoreHealing

/// Databases that this library did not make.
@Suite struct ForeignSalvageTests {
    struct Format: Sendable, CustomTestStringConvertible {
        let pageSize: Int
        let encoding: String
        let autoVacuum: String

        var testDescription: String { "\(pageSize), \(encoding), auto_vacuum \(autoVacuum)" }

        static let all = [
            Format(pageSize: 512, encoding: "UTF-8", autoVacuum: "NONE"),
            Format(pageSize: 1024, encoding: "UTF-16le", autoVacuum: "FULL"),
            Format(pageSize: 4096, encoding: "UTF-16be", autoVacuum: "INCREMENTAL"),
            Format(pageSize: 65_536, encoding: "UTF-8", autoVacuum: "NONE"),
        ]
    }

    /// What such databases have beside plain tables.
    private static let schema = """
        CREATE TABLE plain (a, b TEXT, c REAL DEFAULT 1.5);
        CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE);
        CREATE TABLE keyed (x TEXT, y INTEGER, z BLOB, PRIMARY KEY (y, x)) WITHOUT ROWID;
        CREATE TABLE computed (a INTEGER, b AS (a + 1), c AS (a * 2) STORED, d TEXT);
        CREATE TABLE "odd ""name" (rowid, "a column", "Größe");
        CREATE INDEX plain_b ON plain (b);
        CREATE UNIQUE INDEX plain_a ON plain (a) WHERE a IS NOT NULL;
        CREATE VIEW names AS SELECT name FROM counted;
        CREATE TABLE log (text);
        CREATE TRIGGER logged AFTER INSERT ON counted BEGIN INSERT INTO log VALUES (new.name); END
        """

    private static let rows = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        INSERT INTO plain (a, b) SELECT i, 'grüße ' || i || hex(zeroblob(i % 7 * 200)) FROM n;
        ALTER TABLE plain ADD COLUMN d TEXT DEFAULT 'later';
        INSERT INTO plain VALUES (NULL, NULL, 2, x'00FF'), (-1, '', 9e99, 'now'),
            (9223372036854775807, 'x', -0.0, 3), (12800, 'y', 1, 2), (-32769, 'z', 1, 2);
        INSERT INTO counted (name) SELECT 'name ' || a FROM plain WHERE a BETWEEN 1 AND 120;
        DELETE FROM counted WHERE id > 100;
        INSERT INTO keyed SELECT b, a, zeroblob(a % 5 * 300) FROM plain WHERE a > 0 AND a < 301;
        INSERT INTO computed (a, d) SELECT a, b FROM plain WHERE a > 0 AND a < 301;
        INSERT INTO "odd ""name" VALUES (1, 2, 3), ('a', NULL, x'01')
        """

    private func make(_ format: Format, in store: TemporaryStore) throws -> [String: [String]] {
        let connection = try Connection(.file(store.path))
        try connection.execute(
            sql: """
                PRAGMA page_size = \(format.pageSize); PRAGMA encoding = '\(format.encoding)';
                PRAGMA auto_vacuum = \(format.autoVacuum)
                """)
        try connection.execute(sql: Self.schema)
        try connection.execute(sql: Self.rows)
        let content = try Self.content(of: connection)
        try connection.close()
        return content
    }

    private static func content(of connection: Connection) throws -> [String: [String]] {
        var content: [String: [String]] = [:]
        for table in ["plain", "counted", "keyed", "computed", "odd \"name", "log"] {
            var rows: [String] = []
            guard
                let statement = try? connection.prepare(
                    sql: "SELECT * FROM \(SQLFragment.quoted(table))")
            else { continue }
            try statement.rows { row in
                rows.append("\((0..<Int32(row.columnCount)).map { row.value(at: $0) })")
            }
            content[table] = rows.sorted()
        }
        return content
    }

    @Test(arguments: Format.all)
    func `a database of any format is taken over whole, and all of it is doubtful`(
        format: Format
    ) throws {
        let store = try TemporaryStore(syncsForNothing: true)
        let content = try make(format, in: store)
        let new = store.directory + "/new.sqlite"
        let report = try DatabaseSalvage().run(from: store.path, to: new)
        #expect(report.total.kept == 0)
        #expect(report.total.lost == 0)
        #expect(report.total.doubtful == content.values.reduce(0) { $0 + $1.count })
        #expect(report.notes == [])
        let connection = try Connection(.file(new), mode: .readWrite)
        #expect(try connection.integrityCheck().isOK)
        #expect(try Self.content(of: connection) == content)
        #expect(try connection.pragma("page_size")?.integer == Int64(format.pageSize))
        #expect(try connection.pragma("encoding")?.text == format.encoding)
        // The sequence goes on, and the trigger is there.
        try connection.execute(sql: "INSERT INTO counted (name) VALUES ('next')")
        let next = try connection.prepare(sql: "SELECT id FROM counted WHERE name = 'next'")
            .first { $0.int64(at: 0) }
        #expect(next == 121)
        let logged = try connection.prepare(sql: "SELECT count(*) FROM log WHERE text = 'next'")
            .first { $0.int64(at: 0) }
        #expect(logged == 1)
    }

    @Test(arguments: Format.all)
    func `without the root page of a table its rows are found by what they look like`(
        format: Format
    ) throws {
        let store = try TemporaryStore(syncsForNothing: true)
        let content = try make(format, in: store)
        let connection = try Connection(.file(store.path), mode: .immutable)
        let root = try #require(
            try connection.prepare(sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'plain'")
                .first { $0.int64(at: 0) })
        try connection.close()
        var data = try #require(store.contents())
        let start = (Int(root) - 1) * format.pageSize
        data.replaceSubrange(
            start..<start + format.pageSize, with: [UInt8](repeating: 0, count: format.pageSize))
        try data.write(to: store.url)
        let new = store.directory + "/new.sqlite"
        let report = try DatabaseSalvage().run(from: store.path, to: new)
        let found = try Self.content(of: try Connection(.file(new), mode: .readOnly))
        // With the largest pages the root is all there is of some tables.
        let isSmall = format.pageSize < 10_000
        #expect(!isSmall || found["plain"] == content["plain"], "\(report)")
        for table in ["counted", "keyed", "computed"] {
            #expect(found[table] == content[table])
        }
    }

    @Test func `a large log of another program is read`() throws {
        let store = try TemporaryStore(syncsForNothing: true)
        let connection = try Connection(.file(store.path))
        try connection.setPragma("journal_mode", to: "WAL")
        try connection.setPragma("wal_autocheckpoint", to: 0)
        try connection.execute(sql: Self.schema)
        try connection.execute(sql: Self.rows)
        let content = try Self.content(of: connection)
        let copy = try TemporaryStore(syncsForNothing: true)
        try copy.write(try #require(store.contents()))
        try copy.write(
            try #require(store.contents(store.paths.log)), to: copy.paths.log)
        let new = copy.directory + "/new.sqlite"
        let report = try DatabaseSalvage().run(from: copy.path, to: new)
        #expect(report.total.lost == 0)
        #expect(
            try Self.content(of: try Connection(.file(new), mode: .readOnly)) == content)
    }

    /// `CACHESTORE_TEST_SEED` gives other bytes, `CACHESTORE_SLOW_TESTS` more of them.
    @Test func `any bytes are read without a crash, in time, and give a sound database`() throws {
        let seed = TestSeed.given ?? 3
        let rounds = TestSeed.areTestsSlow ? 4_000 : 80
        var random = SeededRandomNumberGenerator(seed: seed)
        let store = try TemporaryStore(syncsForNothing: true)
        _ = try make(Format.all[1], in: store)
        let small = try #require(store.contents())
        try FileTree.remove(store.path)
        _ = try make(Format.all[0], in: store)
        let images = [small, try #require(store.contents())]
        var salvaged = 0
        for round in 0..<rounds {
            var data = images[round % 2]
            for _ in 0..<Int.random(in: 1...60, using: &random) {
                // Heads of pages are where it hurts.
                let page = Int.random(in: 0..<data.count / 512, using: &random) * 512
                let offset =
                    Bool.random(using: &random)
                    ? page + Int.random(in: 0..<16, using: &random)
                    : Int.random(in: 0..<data.count, using: &random)
                data[offset] = UInt8.random(in: 0...255, using: &random)
            }
            if Int.random(in: 0..<8, using: &random) == 0 {
                data = data.prefix(Int.random(in: 0..<data.count, using: &random))
            }
            try data.write(to: store.url)
            if try Salvages.isSound(store, "seed \(seed), round \(round)") { salvaged += 1 }
        }
        #expect(salvaged > rounds / 2)
    }
}

enum Salvages {
    static let limit = Duration.seconds(5)

    /// Salvages whatever is at the store's place.
    ///
    /// - Returns: whether there is a new database, which is then sound.
    static func isSound(_ store: TemporaryStore, _ note: Comment) throws -> Bool {
        let new = store.directory + "/new.sqlite"
        let start = ContinuousClock.now
        defer {
            #expect(ContinuousClock.now - start < limit, note)
            try? FileTree.remove(new)
        }
        do {
            _ = try DatabaseSalvage().run(from: store.path, to: new)
        } catch let error as PersistentStoreError {
            #expect(error.code == .damaged || error.code == .sqlite, "\(note): \(error)")
            #expect(!store.exists(new), note)
            return false
        }
        try ChecksumVFS.register()
        let connection = try Connection(.file(new), mode: .readOnly, vfs: ChecksumVFS.name)
        let check = try connection.integrityCheck()
        #expect(check.isOK, "\(note): \(check.problems.prefix(3))")
        return true
    }
}

@Suite(
    .enabled(
        if: DamagedDatabases.directory != nil, "the corpus is not there: see CACHESTORE_CORPUS"))
struct CorpusSalvageTests {
    @Test func `whatever lies at the place is salvaged without a crash, and in time`() throws {
        var salvaged = 0
        let all = DamagedDatabases.all
        for damage in all where damage.files[""] != nil {
            let store = try TemporaryStore(syncsForNothing: true)
            try damage.copy(to: store.path)
            if try Salvages.isSound(store, "\(damage.name)") { salvaged += 1 }
        }
        #expect(salvaged > all.count / 2)
    }
}
