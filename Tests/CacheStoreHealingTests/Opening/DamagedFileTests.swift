// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStoreHealing

/// Files that are not a store any more, or never were one.
@Suite struct DamagedFileTests {
    /// Opens, and checks that the store is empty and works, and that one set is kept.
    private func expectReset(
        _ store: TemporaryStore, cause: StoreOpenReport.Cause, keeps: Int = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let opened = try store.open()
        #expect(opened.report.outcome == .reset, sourceLocation: sourceLocation)
        #expect(opened.report.cause == cause, sourceLocation: sourceLocation)
        #expect(opened.report.wasResetOrCreated, sourceLocation: sourceLocation)
        #expect(store.quarantined.count == keeps, sourceLocation: sourceLocation)
        let file = try #require(opened.file)
        #expect(try file.countNotes() == 0, sourceLocation: sourceLocation)
        try file.addNotes(2)
        try file.close()
        let again = try store.open()
        #expect(again.report.outcome == .opened, sourceLocation: sourceLocation)
        #expect(try again.file?.countNotes() == 2, sourceLocation: sourceLocation)
    }

    @Test(arguments: [0, 1])
    func `a file of no bytes or one counts as created`(size: Int) throws {
        let store = try TemporaryStore()
        try store.write([UInt8](repeating: 65, count: size))
        let opened = try store.open()
        #expect(opened.report.outcome == .created)
        #expect(opened.report.cause == .emptyFile)
        #expect(store.quarantined.isEmpty)
        #expect(try opened.file?.countNotes() == 0)
    }

    @Test func `random bytes are kept and reset`() throws {
        let store = try TemporaryStore()
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<20_000).map { _ in UInt8.random(in: 1...255, using: &random) }
        try store.write(bytes)
        try expectReset(store, cause: .notADatabase)
        let place = try #require(store.quarantined.first)
        #expect(
            store.contents("\(store.directory)/quarantine/\(place)/notes.sqlite") == Data(bytes))
    }

    @Test func `a text is kept and reset`() throws {
        let store = try TemporaryStore()
        try store.write("Dear diary,\n".utf8)
        try expectReset(store, cause: .notADatabase)
    }

    @Test func `a destroyed header is reset`() throws {
        let store = try TemporaryStore()
        try store.fill()
        try store.overwrite(at: 0, with: Array("garbage garbage ".utf8))
        try expectReset(store, cause: .notADatabase)
    }

    @Test func `a destroyed schema is reset in place, and the report tells the old store`() throws {
        let store = try TemporaryStore()
        try store.fill()
        let file = FileIdentity(path: store.path)
        try FileManager.default.copyItem(atPath: store.path, toPath: store.path + ".copy")
        try damageInPlace(store, at: 100, with: [UInt8](repeating: 0xAB, count: 3000))
        try expectReset(store, cause: .damaged)
        #expect(FileIdentity(path: store.path) == file)
    }

    @Test(arguments: [100, 512, 4095, 4096, 8192])
    func `a file that was cut off is reset`(length: Int) throws {
        let store = try TemporaryStore()
        try store.fill(count: 500)
        #expect(truncate(store.path, off_t(length)) == 0)
        let opened = try store.open()
        #expect(opened.report.outcome == .reset)
        #expect(try opened.file?.countNotes() == 0)
    }

    @Test func `a damaged table is found by the check after an unclean end`() throws {
        let store = try TemporaryStore()
        try store.fill(count: 2000)
        // An open mark without a crash: one more write that was counted.
        try makeUnclean(store)
        try damageInPlace(store, at: 4096 * 5, with: [UInt8](repeating: 0x5A, count: 4000))
        let opened = try store.open()
        #expect(opened.report.wasUncleanShutdown)
        #expect(opened.report.verification == .failed)
        #expect(opened.report.outcome == .reset)
        #expect(opened.report.cause == .damaged)
    }

    @Test func `a missing column is damage though the fingerprint is right`() throws {
        let store = try TemporaryStore()
        try store.fill()
        let connection = try Connection(.file(store.path))
        try connection.execute(sql: "ALTER TABLE note RENAME COLUMN text TO body")
        try connection.close()
        try expectReset(store, cause: .damaged)
    }

    @Test func `a store without its meta table is damaged`() throws {
        let store = try TemporaryStore()
        try store.fill()
        let connection = try Connection(.file(store.path))
        try connection.execute(sql: "DROP TABLE cachestore_meta")
        try connection.close()
        try expectReset(store, cause: .damaged)
    }

    @Test(arguments: [0, 0x1234])
    func `a database of another application is moved away whole`(application: Int) throws {
        let store = try TemporaryStore()
        let connection = try Connection(.file(store.path))
        try connection.execute(
            sql: """
                PRAGMA application_id = \(application);
                CREATE TABLE precious (value);
                INSERT INTO precious VALUES ('kept')
                """)
        try connection.close()
        let bytes = try #require(store.contents())
        try expectReset(store, cause: .foreignFile)
        let place = try #require(store.quarantined.first)
        #expect(store.contents("\(store.directory)/quarantine/\(place)/notes.sqlite") == bytes)
    }

    @Test func `foreign files are kept again and again`() throws {
        let store = try TemporaryStore()
        for round in 1...3 {
            unlink(store.path)
            let connection = try Connection(.file(store.path))
            try connection.execute(
                sql: "PRAGMA application_id = 7; CREATE TABLE precious (value)")
            try connection.close()
            try expectReset(store, cause: .foreignFile, keeps: round)
        }
    }

    @Test func `a store of a later format is moved away whole`() throws {
        let store = try TemporaryStore()
        try store.fill()
        let connection = try Connection(.file(store.path))
        try connection.execute(sql: "PRAGMA user_version = 2; PRAGMA journal_mode = DELETE")
        try connection.close()
        let bytes = try #require(store.contents())
        try expectReset(store, cause: .newerFormat)
        let place = try #require(store.quarantined.first)
        #expect(store.contents("\(store.directory)/quarantine/\(place)/notes.sqlite") == bytes)
    }

    @Test func `a store whose file was deleted under its log is created anew`() throws {
        let store = try TemporaryStore()
        try leaveHotLog(store)
        unlink(store.path)
        let opened = try store.open()
        #expect(opened.report.outcome == .created)
        #expect(opened.report.cause == .fileMissing)
        #expect(try opened.file?.countNotes() == 0)
        try opened.file?.close()
        #expect(!store.exists(store.paths.log))
    }

    @Test func `a hot log is replayed`() throws {
        let store = try TemporaryStore()
        try leaveHotLog(store)
        let opened = try store.open()
        #expect(opened.report.outcome == .opened)
        #expect(opened.report.wasUncleanShutdown)
        #expect(try opened.file?.countNotes() == 5)
    }

    @Test func `a log of another store beside the file is noticed before it counts`() throws {
        let store = try TemporaryStore()
        try leaveHotLog(store)
        let other = try TemporaryStore()
        try other.fill(count: 3)
        let identifier = try other.openFile().identifier
        try #require(other.contents()).write(to: store.url)
        let opened = try store.open()
        #expect(opened.report.outcome == .reset)
        #expect(opened.report.cause == .damaged)
        #expect(opened.report.oldStoreIdentifier == identifier)
        #expect(try opened.file?.countNotes() == 0)
    }

    @Test func `an older log of the same store beside a newer file is noticed`() throws {
        let store = try TemporaryStore()
        try leaveHotLog(store)
        let log = try #require(store.contents(store.paths.log))
        let file = try store.openFile()
        try file.addNotes(1)
        try file.addNotes(1)
        try file.close()
        try log.write(to: URL(filePath: store.paths.log))
        let opened = try store.open()
        #expect(opened.report.outcome == .reset)
        #expect(opened.report.cause == .damaged)
    }

    @Test func `a killed creation leaves a file that counts as empty`() throws {
        let store = try TemporaryStore()
        let connection = try Connection(.file(store.path))
        try connection.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE t (v); DROP TABLE t")
        try connection.close()
        let opened = try store.open()
        #expect(opened.report.outcome == .created)
        #expect(opened.report.cause == .emptyFile)
    }

    @Test func `external values go with the rows they belong to`() throws {
        let store = try TemporaryStore()
        try store.fill()
        try FileTree.makeDirectory(store.paths.blobs)
        try store.write("value".utf8, to: store.paths.blobs + "/1")
        try store.overwrite(at: 0, with: Array("garbage garbage ".utf8))
        try expectReset(store, cause: .notADatabase)
        #expect(FileTree.names(in: store.paths.blobs).isEmpty)
        let place = try #require(store.quarantined.first)
        #expect(store.exists("\(store.directory)/quarantine/\(place)/notes.blobs/1"))
    }

    // MARK: Damages

    /// Changes bytes of the same file, as a bad disk would.
    private func damageInPlace(_ store: TemporaryStore, at offset: Int, with bytes: [UInt8]) throws
    {
        let handle = try FileHandle(forWritingTo: store.url)
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: bytes)
        try handle.close()
    }

    private func makeUnclean(_ store: TemporaryStore) throws {
        let connection = try Connection(.file(store.path))
        try connection.execute(
            sql: "UPDATE cachestore_meta SET value = value + 1 WHERE key = 'write_count'")
        try connection.close()
    }

    /// Leaves a store with five notes, all of them in the log only.
    private func leaveHotLog(_ store: TemporaryStore) throws {
        let other = try TemporaryStore()
        let file = try other.openFile()
        try file.addNotes(5)
        for suffix in ["", "-wal"] {
            try #require(other.contents(other.path + suffix))
                .write(to: URL(filePath: store.path + suffix))
        }
    }
}
