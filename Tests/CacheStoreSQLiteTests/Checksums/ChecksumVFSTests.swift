// SPDX-License-Identifier: MIT
import CacheStoreTestKit
import Foundation
import Testing

@testable import CacheStoreSQLite

@Suite struct ChecksumVFSTests {
    private static let pageSizes = [512, 1024, 4096, 65_536]

    @Test func `it can be registered again, but not over another base or with a taken name`() throws
    {
        try ChecksumVFS.register()
        try ChecksumVFS.register()
        #expect(throws: SQLiteError.self) { try ChecksumVFS.register(over: "unix-none") }
        #expect(throws: SQLiteError.self) { try ChecksumVFS.register(name: "x", over: "nothing") }
        #expect(throws: SQLiteError.self) { try ChecksumVFS.register(name: "unix-none") }
    }

    @Test(arguments: pageSizes, [ConnectionSettings.JournalMode.wal, .delete])
    func `a store of any page size reads back, compared`(
        pageSize: Int, journalMode: ConnectionSettings.JournalMode
    ) throws {
        let store = try ChecksumStore(rows: 300, pageSize: pageSize, journalMode: journalMode)
        let connection = try store.connection(mode: .readOnly)
        #expect(try connection.pragma("page_size")?.integer == Int64(pageSize))
        #expect(try connection.reservedBytes() == 8)
        let plain = try ChecksumStore(
            rows: 300, pageSize: pageSize, reservedBytes: 0, journalMode: journalMode, vfs: nil)
        #expect(try ChecksumStore.content(of: connection) == plain.content(vfs: nil))
        #expect(try connection.integrityCheck().isOK)
        let statistics = try #require(try connection.checksumStatistics)
        #expect(statistics.writer == .sealed)
        #expect(statistics.isVerifying)
        #expect(statistics.verifiedPages > 300 * 800 / pageSize)
        #expect(statistics.failedPages == 0)
        #expect(statistics.unstampedPages == 0)
        #expect(statistics.unsealedPages == 0)
    }

    @Test func `a database without reserved bytes goes through`() throws {
        let store = try ChecksumStore(rows: 100, reservedBytes: nil)
        let plain = try ChecksumStore(rows: 100, reservedBytes: nil, vfs: nil)
        let connection = try store.connection()
        #expect(try ChecksumStore.content(of: connection) == plain.content(vfs: nil))
        #expect(try connection.checksumStatistics?.writer == .unchecked)
        #expect(try connection.checksumStatistics?.verifiedPages == 0)
    }

    @Test func `a connection on another VFS has no statistics`() throws {
        let store = try ChecksumStore(rows: 1)
        let connection = try store.connection(vfs: nil)
        #expect(try connection.checksumStatistics == nil)
        #expect(try !connection.setsChecksumVerification(false))
    }

    @Test func `another program can read a store`() throws {
        let store = try ChecksumStore(rows: 500)
        #expect(try store.content(vfs: nil) == store.content())
        let connection = try store.connection(vfs: nil)
        #expect(try connection.integrityCheck().isOK)
    }

    @Test(arguments: pageSizes)
    func `a damaged page is an error that says which`(pageSize: Int) throws {
        let store = try ChecksumStore(rows: 300, pageSize: pageSize)
        try store.database.overwrite(at: UInt64(2 * pageSize + 100), with: [1, 2, 3, 4, 5])
        let connection = try store.connection(mode: .readOnly)
        let error = try sqliteError { _ = try ChecksumStore.content(of: connection) }
        #expect(error.code == .SQLITE_IOERR_DATA)
        #expect(error.classification == .damaged)
        #expect(try connection.checksumStatistics?.lastFailedPage == 3)
        #expect(try connection.checksumStatistics?.failedPages == 1)
    }

    @Test func `with verification off, a damaged page is read as it is`() throws {
        let store = try ChecksumStore(rows: 300)
        let size = try store.bytes().count
        var injector = CorruptionInjector(seed: 1)
        // Into the payload of a row, near the end of a page in the middle of the file.
        let end = UInt64(size / 2 / 4096 * 4096 + 4080)
        try injector.flipBit(in: store.url, range: end - 4..<end)
        let connection = try store.connection(mode: .readOnly)
        #expect(throws: SQLiteError.self) { try ChecksumStore.content(of: connection) }
        #expect(try connection.setsChecksumVerification(false))
        _ = try ChecksumStore.content(of: connection)
        #expect(try !connection.setsChecksumVerification(true))
        try connection.resetPageCache()
        #expect(throws: SQLiteError.self) { try ChecksumStore.content(of: connection) }
    }

    @Test(arguments: [0, 20, 40, 100, 4090])
    func `a reset with verification off heals a first page damaged anywhere`(
        offset: UInt64
    ) throws {
        let store = try ChecksumStore(rows: 300)
        try store.database.overwrite(at: offset, with: [0x55])
        let connection = try Connection(.file(store.database.path), vfs: ChecksumVFS.name)
        #expect(throws: SQLiteError.self) { try ChecksumStore.content(of: connection) }

        try connection.setReservedBytes(ChecksumVFS.reservedBytes)
        try connection.setsChecksumVerification(false)
        try connection.configure(.resetDatabase, true)
        try connection.execute(sql: "VACUUM")
        try connection.configure(.resetDatabase, false)
        try connection.setsChecksumVerification(true)
        try connection.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, k, v, n)")
        try connection.execute(sql: "CREATE INDEX byKey ON t (k)")
        try ChecksumStore.insert(1...300, into: connection)
        try connection.checkpoint(.truncate)
        try connection.close()

        let again = try store.connection()
        #expect(try ChecksumStore.content(of: again).count == 3)
        #expect(try again.reservedBytes() == 8)
        #expect(try again.checksumStatistics?.writer == .sealed)
        #expect(try again.integrityCheck().isOK)
    }

    @Test(arguments: [ConnectionSettings.JournalMode.wal, .delete])
    func `reserved bytes and checksums survive VACUUM, and incremental vacuum`(
        journalMode: ConnectionSettings.JournalMode
    ) throws {
        let store = try ChecksumStore(rows: 1_000, journalMode: journalMode)
        let connection = try Connection(.file(store.database.path), vfs: ChecksumVFS.name)
        try connection.execute(sql: "DELETE FROM t WHERE id % 3 = 0")
        try connection.execute(sql: "PRAGMA incremental_vacuum(40)")
        try connection.execute(sql: "DELETE FROM t WHERE id % 3 = 1; VACUUM")
        let expected = try ChecksumStore.content(of: connection)
        #expect(try connection.reservedBytes() == 8)
        try connection.close()
        #expect(try store.content() == expected)
        let again = try store.connection()
        #expect(try again.integrityCheck().isOK)
        #expect(try again.checksumStatistics?.writer == .sealed)
        #expect(try again.checksumStatistics?.unstampedPages == 0)
    }

    @Test(arguments: [ConnectionSettings.JournalMode.wal, .delete])
    func `VACUUM gives checksums to a store that had none`(
        journalMode: ConnectionSettings.JournalMode
    ) throws {
        let store = try ChecksumStore(rows: 2_000, reservedBytes: nil, journalMode: journalMode)
        let expected = try store.content()
        let connection = try Connection(.file(store.database.path), vfs: ChecksumVFS.name)
        try connection.setReservedBytes(8)
        try connection.execute(sql: "PRAGMA cache_size = 10; VACUUM")
        try connection.close()
        #expect(try store.content() == expected)
        let again = try store.connection()
        #expect(try again.integrityCheck().isOK)
        let statistics = try #require(try again.checksumStatistics)
        #expect(statistics.writer == .sealed)
        #expect(statistics.unsealedPages == 0)
        #expect(statistics.verifiedPages > 400)
    }

    @Test func `pages spilled before the first page is written get their checksum, too`() throws {
        try ChecksumVFS.register()
        let database = try TemporaryDatabase()
        let connection = try Connection(.file(database.path), vfs: ChecksumVFS.name)
        try connection.setReservedBytes(8)
        try connection.execute(sql: "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 10")
        try connection.execute(sql: "BEGIN; CREATE TABLE t (id INTEGER PRIMARY KEY, k, v, n)")
        for row in 1...500 {
            let text = String(repeating: "x", count: 1_000)
            try connection.execute("INSERT INTO t VALUES (\(row), 'k', \(text), 0)")
        }
        try connection.execute(sql: "COMMIT")
        try connection.close()
        let again = try Connection(.file(database.path), vfs: ChecksumVFS.name)
        #expect(try again.integrityCheck().isOK)
        #expect(try again.checksumStatistics?.writer == .sealed)
    }

    @Test(arguments: [ConnectionSettings.JournalMode.wal, .delete])
    func `a rolled back transaction that had spilled leaves the store as it was`(
        journalMode: ConnectionSettings.JournalMode
    ) throws {
        let store = try ChecksumStore(rows: 1_000, journalMode: journalMode)
        let expected = try store.content()
        let connection = try Connection(.file(store.database.path), vfs: ChecksumVFS.name)
        try connection.execute(sql: "PRAGMA cache_size = 10; BEGIN")
        try connection.execute(sql: "UPDATE t SET v = v || 'more', k = k || 'x'")
        try connection.execute(sql: "SAVEPOINT a; DELETE FROM t WHERE id % 2; ROLLBACK TO a")
        try connection.execute(sql: "UPDATE t SET v = v || 'more'")
        #expect(try ChecksumStore.content(of: connection) != expected)
        try connection.execute(sql: "ROLLBACK")
        #expect(try ChecksumStore.content(of: connection) == expected)
        try connection.close()
        #expect(try store.content() == expected)
    }

    @Test func `two connections see each other's changes`() throws {
        for journalMode in [ConnectionSettings.JournalMode.wal, .delete] {
            let store = try ChecksumStore(rows: 200, journalMode: journalMode)
            let first = try Connection(.file(store.database.path), vfs: ChecksumVFS.name)
            let second = try Connection(.file(store.database.path), vfs: ChecksumVFS.name)
            for round in 0..<10 {
                let low = 1_000 + round * 20
                try ChecksumStore.insert(low...low + 9, into: first)
                #expect(
                    try ChecksumStore.content(of: first) == ChecksumStore.content(of: second))
                if journalMode == .wal, round == 5 { try first.checkpoint(.truncate) }
                try ChecksumStore.insert(low + 10...low + 19, into: second)
                #expect(
                    try ChecksumStore.content(of: first) == ChecksumStore.content(of: second))
            }
            // A page that did not change is not read again: the shim answers as the file would.
            let before = try first.checksumStatistics?.verifiedPages
            _ = try ChecksumStore.content(of: first)
            #expect(try first.checksumStatistics?.verifiedPages == before)
        }
    }

    @Test func `a connection that opened the empty file learns another page size`() throws {
        try ChecksumVFS.register()
        let database = try TemporaryDatabase()
        let early = try Connection(.file(database.path), vfs: ChecksumVFS.name)
        _ = try early.prepare(sql: "SELECT count(*) FROM sqlite_schema").first { $0.int64(at: 0) }
        let writer = try Connection(.file(database.path), vfs: ChecksumVFS.name)
        try writer.setReservedBytes(8)
        try writer.execute(sql: "PRAGMA page_size = 1024; PRAGMA journal_mode = DELETE")
        try writer.execute(sql: "CREATE TABLE t (x); INSERT INTO t VALUES (7)")
        #expect(try early.prepare(sql: "SELECT x FROM t").first { $0.int64(at: 0) } == 7)
    }

    @Test func `a mapping is not used for a database with checksums`() throws {
        let store = try ChecksumStore(rows: 300)
        let connection = try Connection(.file(store.database.path), vfs: ChecksumVFS.name)
        try connection.execute(sql: "PRAGMA mmap_size = 100000000")
        _ = try ChecksumStore.content(of: connection)
        #expect(try connection.checksumStatistics.map { $0.verifiedPages > 50 } == true)
    }

    @Test func `a backup carries over to a store with checksums, and from it`() throws {
        let store = try ChecksumStore(rows: 500)
        let expected = try store.content()
        let plain = try TemporaryDatabase()
        let source = try store.connection()
        let copy = try Connection(.file(plain.path))
        try source.copy(to: copy)
        #expect(try ChecksumStore.content(of: copy) == expected)
        try copy.close()

        let checked = try TemporaryDatabase()
        let second = try Connection(.file(checked.path), vfs: ChecksumVFS.name)
        try source.copy(to: second)
        try second.close()
        let again = try Connection(.file(checked.path), vfs: ChecksumVFS.name)
        #expect(try ChecksumStore.content(of: again) == expected)
        #expect(try again.checksumStatistics?.writer == .sealed)

        // The copy that was made without the VFS says so itself.
        let opened = try Connection(.file(plain.path), vfs: ChecksumVFS.name)
        #expect(try ChecksumStore.content(of: opened) == expected)
        #expect(try opened.checksumStatistics?.writer == .anotherProgram)
    }

    @Test func `connections of many threads work side by side`() async throws {
        let store = try ChecksumStore(rows: 200)
        let path = store.database.path
        let counts = try await withThrowingTaskGroup(of: Int64.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    try ChecksumVFS.register()
                    let connection = try Connection(
                        .file(path), mode: .readWrite, vfs: ChecksumVFS.name,
                        busyTimeout: .seconds(60))
                    for round in 0..<20 {
                        try connection.execute(
                            "INSERT INTO t (k, v) VALUES (\(thread * 100 + round), 'v')")
                        _ = try ChecksumStore.content(of: connection)
                    }
                    return connection.totalChanges
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == Array(repeating: 20, count: 8))
        let connection = try store.connection()
        #expect(try connection.integrityCheck().isOK)
        #expect(
            try connection.prepare(sql: "SELECT count(*) FROM t").first { $0.int64(at: 0) } == 360)
    }

    @Test func `the name of the VFS tells that it is there`() throws {
        let store = try ChecksumStore(rows: 1)
        let connection = try store.connection()
        var name: UnsafeMutablePointer<CChar>?
        #expect(try connection.fileControl(12, &name))
        #expect(name.map { String(cString: $0) }?.hasPrefix("cachestore/unix") == true)
    }
}
