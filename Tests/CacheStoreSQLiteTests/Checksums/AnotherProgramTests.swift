// SPDX-License-Identifier: MIT
import CacheStoreTestKit
import Foundation
import Testing

@testable import CacheStoreSQLite

/// Programs without the VFS that read and write a store: never taken for damage.
@Suite struct AnotherProgramTests {
    @Test(arguments: [
        "UPDATE t SET v = 'short' WHERE id = 77",
        "UPDATE t SET n = 0 WHERE id = 1",
        "INSERT INTO t SELECT id + 5000, k, v, n FROM t",
        "DELETE FROM t WHERE id % 2",
        "CREATE INDEX byNumber ON t (n)",
        "VACUUM",
        "PRAGMA user_version = 9",
        "UPDATE t SET n = 1 WHERE id = 5; UPDATE t SET n = 2 WHERE id = 900",
    ])
    func `a change by another program is told apart from damage`(sql: String) throws {
        for journalMode in [ConnectionSettings.JournalMode.wal, .delete] {
            let store = try ChecksumStore(rows: 1_000, journalMode: journalMode)
            try store.writeByAnotherProgram(sql)
            let expected = try store.content(vfs: nil)
            let connection = try Connection(.file(store.database.path), vfs: ChecksumVFS.name)
            #expect(try ChecksumStore.content(of: connection) == expected)
            #expect(try connection.checksumStatistics?.writer == .anotherProgram)

            try connection.sealPages()
            #expect(try ChecksumStore.content(of: connection) == expected)
            #expect(try connection.integrityCheck().isOK)
            #expect(try connection.checksumStatistics?.writer == .sealed)
            try connection.close()
            #expect(try store.content() == expected)
            #expect(try store.content(vfs: nil) == expected)
        }
    }

    @Test func `until it is sealed again, changes of ours do not make it vouch for other pages`()
        throws
    {
        let store = try ChecksumStore(rows: 1_000)
        try store.writeByAnotherProgram("UPDATE t SET v = upper(v) WHERE id % 50 = 0")
        let connection = try store.connection()
        try ChecksumStore.insert(2_000...2_500, into: connection)
        try connection.execute(sql: "PRAGMA user_version = 3")
        try connection.checkpoint(.truncate)
        let expected = try ChecksumStore.content(of: connection)
        try connection.close()
        #expect(try store.content() == expected)
        let again = try store.connection()
        _ = try ChecksumStore.content(of: again)
        #expect(try again.checksumStatistics?.writer == .anotherProgram)
        #expect(try again.checksumStatistics.map { $0.unsealedPages > 0 } == true)
        #expect(try again.checksumStatistics.map { $0.verifiedPages > 0 } == true)
    }

    @Test func `sealing a sealed store leaves damage as it is`() throws {
        let store = try ChecksumStore(rows: 500)
        try store.database.overwrite(at: 4096 * 20 + 2_000, with: [1, 2, 3])
        let connection = try store.connection()
        try connection.sealPages()
        let error = try sqliteError { _ = try ChecksumStore.content(of: connection) }
        #expect(error.code == .SQLITE_IOERR_DATA)
    }

    @Test func `after a seal, damage is found again`() throws {
        let store = try ChecksumStore(rows: 500)
        try store.writeByAnotherProgram("UPDATE t SET n = 5")
        let connection = try store.connection()
        try connection.sealPages()
        try connection.close()
        var injector = CorruptionInjector(seed: 3)
        try injector.flipBit(in: store.url)
        #expect(throws: SQLiteError.self) { try store.content() }
    }

    @Test func `a program that only reads leaves the store sealed`() throws {
        let store = try ChecksumStore(rows: 500)
        let before = try store.bytes()
        _ = try store.content(vfs: nil)
        #expect(try store.bytes() == before)
        let connection = try store.connection()
        _ = try ChecksumStore.content(of: connection)
        #expect(try connection.checksumStatistics?.writer == .sealed)
    }

    /// A crash leaves a log; the next program that opens the store moves it into the database as it
    /// closes, even if it only reads.
    @Test(arguments: [false, true])
    func `a log of ours that another program moves into the database is not damage`(
        restartsLog: Bool
    ) throws {
        let store = try ChecksumStore(rows: 1_000)
        let crashed = try store.connection()
        if restartsLog {
            // The log then begins again, and the first page is in the memory of the connection:
            // nothing makes SQLite write it.
            try crashed.execute(
                sql: "UPDATE t SET n = n + 1; INSERT INTO t (k, v) VALUES ('a', 'b')")
            try crashed.checkpoint(.full)
        }
        try crashed.execute(sql: "UPDATE t SET n = n + 1, v = lower(v) || id WHERE id % 10 = 0")
        let expected = try ChecksumStore.content(of: crashed)

        let copy = try store.copyWithLog()
        #expect(try copy.content(vfs: nil) == expected)
        #expect(!FileManager.default.fileExists(atPath: copy.database.path + "-wal"))

        let connection = try copy.connection()
        #expect(try ChecksumStore.content(of: connection) == expected)
        let statistics = try #require(try connection.checksumStatistics)
        #expect(statistics.failedPages == 0)
        #expect(statistics.unstampedPages > 0)
    }

    /// The same where pages are new: in memory, they have never come out of the database.
    @Test func `new pages of a log that another program moves are not damage`() throws {
        let store = try ChecksumStore(rows: 100)
        let crashed = try store.connection()
        try ChecksumStore.insert(1_000...1_400, into: crashed)
        try crashed.checkpoint(.full)
        try crashed.execute(sql: "UPDATE t SET n = n + 1")
        let expected = try ChecksumStore.content(of: crashed)
        let copy = try store.copyWithLog()
        #expect(try copy.content(vfs: nil) == expected)

        let connection = try copy.connection()
        #expect(try ChecksumStore.content(of: connection) == expected)
        #expect(try connection.checksumStatistics?.failedPages == 0)
        #expect(try connection.checksumStatistics?.writer == .sealed)
        #expect(try connection.checksumStatistics.map { $0.unstampedPages > 50 } == true)
    }

    @Test func `a page whose mark is that of another page is damage`() throws {
        let store = try ChecksumStore(rows: 500)
        let crashed = try store.connection()
        try crashed.execute(sql: "UPDATE t SET n = n + 1")
        try crashed.checkpoint(.full)
        try crashed.execute(sql: "UPDATE t SET n = n + 1")
        let copy = try store.copyWithLog()
        let expected = try copy.content(vfs: nil)
        #expect(try copy.content() == expected)
        let sound = try copy.bytes()
        let page = 4096 * 30..<4096 * 31
        var damaged = sound
        damaged.replaceSubrange(4096 * 40..<4096 * 41, with: sound[page])
        try damaged.write(to: copy.url)
        let error = try sqliteError { _ = try copy.content() }
        #expect(error.code == .SQLITE_IOERR_DATA)
    }

    @Test func `a database that others made with 8 reserved bytes is not damage`() throws {
        let store = try ChecksumStore(rows: 300, vfs: nil)
        let expected = try store.content(vfs: nil)
        #expect(try store.content() == expected)
        let connection = try store.connection()
        _ = try ChecksumStore.content(of: connection)
        #expect(try connection.checksumStatistics?.writer == .anotherProgram)
        try connection.sealPages()
        #expect(try connection.checksumStatistics?.writer == .sealed)
        #expect(try ChecksumStore.content(of: connection) == expected)
    }
}
