// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStoreHealing

/// Databases whose process was killed in the middle of a transaction with a rollback journal.
@Suite struct JournalSalvageTests {
    /// Changes much, so that pages get into the file, and does not live to see the end.
    private static func beginAndDie(_ path: String, isStore: Bool) throws {
        if isStore { try ChecksumVFS.register() }
        let connection = try Connection(.file(path), vfs: isStore ? ChecksumVFS.name : nil)
        _ = try connection.setPragma("journal_mode", to: "DELETE")
        try connection.execute(sql: "PRAGMA cache_size = 10; BEGIN IMMEDIATE")
        if isStore {
            try connection.execute(
                sql: """
                    UPDATE book SET title = 'uncommitted', cover = zeroblob(900);
                    DELETE FROM author WHERE _id % 3 = 0
                    """)
        } else {
            try connection.execute(
                sql: """
                    UPDATE letter SET text = 'uncommitted' || zeroblob(600);
                    DELETE FROM sender WHERE id % 3 = 0; CREATE TABLE more (x);
                    INSERT INTO more SELECT text FROM letter
                    """)
        }
        kill(getpid(), SIGKILL)
    }

    private func makeForeign(in store: TemporaryStore) async throws {
        let connection = try Connection(.file(store.path))
        try connection.execute(
            sql: """
                PRAGMA page_size = 1024;
                CREATE TABLE letter (id INTEGER PRIMARY KEY, text TEXT, sender INTEGER);
                CREATE TABLE sender (id INTEGER PRIMARY KEY, name TEXT, score REAL NOT NULL);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
                INSERT INTO letter SELECT i, 'letter ' || i || hex(zeroblob(i % 100)), i / 9 FROM n;
                INSERT INTO sender SELECT id, 'sender ' || id, id + 0.5 FROM letter
                """)
        try connection.close()
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = store.path as String] in
            try Self.beginAndDie(path, isStore: false)
        }
        #expect(FileTree.size(at: store.paths.journal) ?? 0 > 10_000)
    }

    /// How long the head of the journal is.
    private func sector(of store: TemporaryStore) throws -> Int {
        let bytes = Array(try #require(store.contents(store.paths.journal)))
        return Int(try #require(bytes.number32(at: 20)))
    }

    /// The rows of a new database, with what is in its schema.
    private func rows(of path: String) throws -> (letters: [String], senders: Int, names: [String])
    {
        let connection = try Connection(.file(path), mode: .readOnly)
        var letters: [String] = []
        try connection.prepare(sql: "SELECT text, sender FROM letter ORDER BY id").rows { row in
            letters.append("\(row.text(at: 0) ?? "") \(row.int64(at: 1))")
        }
        let senders = try connection.prepare(sql: "SELECT count(*) FROM sender WHERE score > id")
            .first { Int($0.int64(at: 0)) }
        var names: [String] = []
        try connection.prepare(sql: "SELECT name FROM sqlite_schema ORDER BY name").rows { row in
            names.append(row.text(at: 0) ?? "")
        }
        return (letters, senders ?? 0, names)
    }

    private static let letters = (1...900).map { number in
        "letter \(number)" + String(repeating: "00", count: number % 100) + " \(number / 9)"
    }

    @Test func `of a transaction in the middle only what was committed is taken over`() async throws
    {
        let store = try TemporaryStore(syncsForNothing: true)
        try await makeForeign(in: store)
        let before = (store.contents(), store.contents(store.paths.journal))
        let report = try DatabaseSalvage().run(from: store.path, to: store.directory + "/new")
        #expect(report.total.lost == 0)
        #expect(report.total.doubtful == 1_800)
        let found = try rows(of: store.directory + "/new")
        #expect(found.letters == Self.letters)
        #expect(found.senders == 900)
        #expect(found.names == ["letter", "sender"])
        // Only read.
        #expect(store.contents() == before.0)
        #expect(store.contents(store.paths.journal) == before.1)
    }

    @Test func `also where the first page is destroyed that the journal has`() async throws {
        let store = try TemporaryStore(syncsForNothing: true)
        try await makeForeign(in: store)
        try store.overwrite(at: 0, with: [UInt8](repeating: 0xAA, count: 1_024))
        _ = try DatabaseSalvage().run(from: store.path, to: store.directory + "/new")
        let found = try rows(of: store.directory + "/new")
        #expect(found.letters == Self.letters)
        #expect(found.senders == 900)
        #expect(found.names == ["letter", "sender"])
    }

    @Test(arguments: [nil, "book", "author"])
    func `a store has its rows of before, also without the root of a table`(
        table: String?
    ) async throws {
        let sample = try LibrarySample()
        let root = try table.map { try sample.root(of: $0) } ?? 1
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = sample.store.path as String] in
            try Self.beginAndDie(path, isStore: true)
        }
        #expect(FileTree.size(at: sample.store.paths.journal) ?? 0 > 1_000_000)
        try sample.zero(pages: [root])
        let (report, rows) = try sample.salvage()
        #expect(rows == sample.rows)
        // The pages in a journal have no checksum that would prove them.
        #expect(report.total.kept + report.total.doubtful == sample.rows.count)
        #expect(report.total.lost == 0)
    }

    @Test func `behind a record that does not fit nothing is rolled back`() async throws {
        let store = try TemporaryStore(syncsForNothing: true)
        try await makeForeign(in: store)
        let journal = store.paths.journal
        let whole = try #require(JournalImage(reading: journal))
        #expect(whole.highestPage > 50)
        #expect(whole.pageSize == 1_024)
        // A byte that counts, of the third record.
        let sector = try self.sector(of: store)
        try store.flipBit(at: sector + 2 * 1_032 + 4 + 824, of: journal)
        let broken = try #require(JournalImage(reading: journal))
        #expect((1...whole.highestPage).count { broken.contains($0) } == 2)
        #expect((1...whole.highestPage).count { whole.contains($0) } > 50)
    }

    @Test func `a journal that is over is not read`() async throws {
        let store = try TemporaryStore(syncsForNothing: true)
        try await makeForeign(in: store)
        let journal = store.paths.journal
        let bytes = Array(try #require(store.contents(journal)))
        // So does a mode of SQLite end a transaction that keeps the file.
        let zeros = [UInt8](repeating: 0, count: 28)
        try store.write(zeros + Array(bytes.dropFirst(28)), to: journal)
        #expect(JournalImage(reading: journal) == nil)
        try store.write([UInt8](), to: journal)
        #expect(JournalImage(reading: journal) == nil)
        // A file that several databases had in common says whether they were to keep it.
        let name = Array((store.directory + "/common").utf8)
        func number(_ value: Int) -> [UInt8] {
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
        }
        let sum = name.reduce(0) { $0 + Int($1) }
        var ending: [UInt8] = name
        ending += number(name.count)
        ending += number(sum)
        ending += Array(bytes.prefix(8))
        try store.write(bytes + ending, to: journal)
        #expect(JournalImage(reading: journal) == nil)
        try store.write([UInt8(1)], to: store.directory + "/common")
        #expect(JournalImage(reading: journal) != nil)
    }

    @Test func `records that were not synced are not rolled back`() async throws {
        let store = try TemporaryStore(syncsForNothing: true)
        try await makeForeign(in: store)
        let sector = try self.sector(of: store)
        var bytes = Array(try #require(store.contents(store.paths.journal)))
        // There is another segment behind these.
        #expect(bytes.number32(at: 8) ?? 0 >= 4)
        bytes.replaceSubrange(8..<12, with: [0, 0, 0, 2])
        try store.write(bytes.prefix(sector + 4 * 1_032), to: store.paths.journal)
        let some = try #require(JournalImage(reading: store.paths.journal))
        #expect((1...some.pageCount).count { some.contains($0) } == 2)
        // Nobody counted them, so all that are there.
        bytes.replaceSubrange(8..<12, with: [255, 255, 255, 255])
        try store.write(bytes.prefix(sector + 4 * 1_032), to: store.paths.journal)
        let all = try #require(JournalImage(reading: store.paths.journal))
        #expect((1...all.pageCount).count { all.contains($0) } == 4)
    }
}
