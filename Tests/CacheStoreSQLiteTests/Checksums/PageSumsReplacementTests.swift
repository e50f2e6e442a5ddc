// SPDX-License-Identifier: MIT
import CacheStoreTestKit
import Foundation
import Testing

@testable import CacheStoreSQLite

/// Stores that are as they should be beside sums that are not theirs: never damage.
@Suite struct PageSumsReplacementTests {
    @Test func `a backup that is copied over the store is sound`() throws {
        let store = try ChangedStore(rows: 400)
        let connection = try store.store.connection()
        try connection.execute(sql: "UPDATE t SET v = 'much shorter'")
        try connection.checkpoint(.truncate)
        try connection.close()
        for (backup, content) in [(store.older, store.olderContent), (store.newer, store.content)] {
            let handle = try FileHandle(forUpdating: store.store.url)
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: backup)
            try handle.close()
            try store.expectSound(content: content)
        }
    }

    @Test func `a backup that takes the place of the store is sound, and gets sums again`() throws {
        let store = try ChangedStore(rows: 400)
        try store.older.write(to: store.store.url, options: .atomic)
        try store.expectSound(content: store.olderContent)
        // It goes on from there, beside the sums of another future.
        let connection = try store.store.connection()
        try connection.execute(sql: "UPDATE t SET n = n - 1, k = k || 'b'")
        try connection.checkpoint(.truncate)
        try connection.close()
        let content = try store.store.content()
        try store.expectSound(content: content)
        try store.store.overwrite(page: 12, with: store.older)
        #expect(throws: SQLiteError.self) { try store.store.content() }
    }

    /// With a log, the two would share that, which no checksum can help.
    @Test func `a store that is replaced while it is open is sound to both`() throws {
        let store = try ChangedStore(rows: 400, journalMode: .delete)
        let path = store.store.database.path
        let open = try Connection(.file(path), mode: .readWrite, vfs: ChecksumVFS.name)
        #expect(try ChecksumStore.content(of: open) == store.content)
        try store.older.write(to: store.store.url, options: .atomic)
        let other = try Connection(.file(path), mode: .readWrite, vfs: ChecksumVFS.name)
        for round in 1...5 {
            for connection in [open, other] {
                let sql = "UPDATE t SET n = n + \(round), k = k || 'o' WHERE id % 3 = 1"
                // SQLite refuses to write to a file that is no longer at its place.
                if connection === open {
                    #expect(throws: SQLiteError.self) { try connection.execute(sql: sql) }
                } else {
                    try connection.execute(sql: sql)
                }
                try connection.resetPageCache()
                #expect(try connection.integrityCheck().isOK)
                #expect(try connection.checksumStatistics?.failedPages == 0)
            }
        }
    }

    @Test func `a store that was renamed, changed and renamed back is sound`() throws {
        let store = try ChangedStore(rows: 400)
        let elsewhere = try ChecksumStore()
        try FileManager.default.moveItem(
            atPath: store.store.database.path, toPath: elsewhere.database.path)
        let connection = try elsewhere.connection()
        try connection.execute(sql: "UPDATE t SET n = n + 1, k = k || 'r'")
        try connection.checkpoint(.truncate)
        try connection.close()
        let content = try elsewhere.content()
        try FileManager.default.moveItem(
            atPath: elsewhere.database.path, toPath: store.store.database.path)
        try store.expectSound(content: content)
    }

    @Test func `sums of any other moment say nothing`() throws {
        let store = try ChangedStore(rows: 400)
        let url = URL(filePath: store.store.sums)
        // Of an older version, of another store, of the future, gone, empty, not a file.
        try store.olderSums.write(to: url)
        try store.expectSound()
        try ChangedStore(rows: 300).newerSums.write(to: url)
        try store.expectSound()
        try Data().write(to: url)
        try store.expectSound()
        try FileManager.default.removeItem(at: url)
        try store.expectSound()
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        try store.expectSound()
        let connection = try store.store.connection()
        try connection.execute(sql: "UPDATE t SET n = n + 1")
        try connection.checkpoint(.truncate)
        try connection.close()
        try store.expectSound(content: store.store.content())
    }

    /// The side file is on the same disk, and loses as much.
    @Test func `sums that are damaged themselves say nothing`() throws {
        let seed = TestSeed.make()
        let store = try ChangedStore(rows: 2_000)
        let url = URL(filePath: store.store.sums)
        var injector = CorruptionInjector(seed: seed, pageSize: 512)
        for attempt in 1...(TestSeed.areTestsSlow ? 2_000 : 150) {
            try store.newerSums.write(to: url)
            let injury =
                switch attempt % 5 {
                case 0: try injector.inject(.truncation, into: url)
                case 1: try injector.inject(.zeroedSector, into: url)
                case 2: try injector.inject(.otherPage, into: url)
                case 3: try injector.restoreOlderPage(in: url, from: olderSums(store))
                default: try injector.inject(.oneBit, into: url)
                }
            let connection = try store.store.connection(mode: .readOnly)
            #expect(try ChecksumStore.content(of: connection) == store.content)
            #expect(
                try connection.checksumStatistics?.failedPages == 0,
                "CACHESTORE_TEST_SEED=\(seed), \(injury)")
        }
    }

    private func olderSums(_ store: ChangedStore) throws -> URL {
        let url = store.store.database.directory.appending(path: "older-sums")
        try store.olderSums.write(to: url)
        return url
    }

    @Test func `sums of an older state, in some blocks, are not believed`() throws {
        let store = try ChangedStore(rows: 2_000)
        let size = min(store.olderSums.count, store.newerSums.count)
        for start in stride(from: 0, to: size, by: 512) {
            var mixed = store.newerSums
            let end = min(start + 512, size)
            mixed.replaceSubrange(start..<end, with: store.olderSums[start..<end])
            try mixed.write(to: URL(filePath: store.store.sums))
            try store.expectSound("\(start)")
        }
    }

    @Test func `sums that are deleted while the store is open begin anew in their place`() throws {
        let store = try ChangedStore(rows: 400)
        let writer = try store.store.connection()
        let reader = try store.store.connection()
        func write(_ change: String) throws -> Data {
            try writer.execute(sql: "UPDATE t SET n = n + 1, k = k || '\(change)'")
            try writer.checkpoint(.truncate)
            return try store.store.bytes()
        }
        let before = try write("a")
        #expect(try ChecksumStore.content(of: reader) == store.store.content())
        try FileManager.default.removeItem(atPath: store.store.sums)
        let after = try write("b")
        #expect(FileManager.default.fileExists(atPath: store.store.sums))
        let page = try #require(
            (3...60).first { number in
                let range = (number - 1) * 4096..<number * 4096
                return before[range] != after[range]
            })
        try store.store.overwrite(page: page, with: before)
        // To the end of its transaction it may believe that nothing is known.
        #expect(throws: SQLiteError.self) {
            for _ in 0..<2 {
                try reader.resetPageCache()
                _ = try ChecksumStore.content(of: reader)
            }
        }
    }

    @Test func `a link in the place of the sums is not followed`() throws {
        let store = try ChangedStore(rows: 400)
        let other = store.store.database.directory.appending(path: "other")
        try store.newerSums.write(to: other)
        try FileManager.default.removeItem(atPath: store.store.sums)
        try FileManager.default.createSymbolicLink(
            atPath: store.store.sums, withDestinationPath: other.path)
        let connection = try store.store.connection()
        try connection.execute(sql: "UPDATE t SET n = n + 1")
        try connection.checkpoint(.truncate)
        try connection.close()
        #expect(try Data(contentsOf: other) == store.newerSums)
        try store.expectSound(content: store.store.content())
    }

    @Test(.enabled(if: geteuid() == 0)) func `sums of another user are not believed`() throws {
        let store = try ChangedStore(rows: 400)
        for page in store.stalePages {
            try store.store.overwrite(page: page, with: store.older)
        }
        func findings() throws -> Int? {
            let connection = try store.store.connection(mode: .readOnly)
            _ = try connection.dataVersion()
            return try connection.scrubPages(from: 1, count: 100_000).failedPage
        }
        #expect(try findings() != nil)
        #expect(chown(store.store.sums, 12_345, 12_345) == 0)
        #expect(try findings() == nil)
    }

    @Test func `what is written while somebody else has the sums is not compared`() throws {
        let store = try ChangedStore(rows: 400)
        let lock = open(store.store.sums, O_RDWR | O_CLOEXEC)
        try #require(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
        let connection = try store.store.connection()
        try connection.execute(sql: "UPDATE t SET n = n + 1, k = k || 'l' WHERE id % 3 = 0")
        try connection.checkpoint(.truncate)
        close(lock)
        #expect(try store.store.bytes()[72..<88].allSatisfy { $0 == 0 })
        let content = try ChecksumStore.content(of: connection)
        try store.expectSound(content: content)
        // From the next pages on there are sums again.
        try connection.execute(sql: "UPDATE t SET n = n + 1 WHERE id = 1")
        try connection.checkpoint(.truncate)
        try connection.close()
        #expect(try store.store.bytes()[72..<88].contains { $0 != 0 })
    }

    @Test func `a store and its sums go to another place together`() throws {
        let store = try ChangedStore(rows: 400)
        let copy = try ChecksumStore()
        try store.newer.write(to: copy.url)
        try store.newerSums.write(to: URL(filePath: copy.sums))
        try copy.expectSound(content: store.content)
        try copy.overwrite(page: store.stalePages[2], with: store.older)
        #expect(throws: SQLiteError.self) { try copy.connection().integrityCheck() }
    }

    @Test func `what another program changes or moves is not compared`() throws {
        for sql in ["UPDATE t SET n = 3 WHERE id % 7 = 0", "VACUUM", "PRAGMA user_version = 8"] {
            let store = try ChangedStore(rows: 400)
            try store.store.writeByAnotherProgram(sql)
            let content = try store.store.content(vfs: nil)
            try store.expectSound(content: content)
            let connection = try store.store.connection()
            try connection.execute(sql: "UPDATE t SET n = n + 1 WHERE id % 11 = 0")
            try connection.checkpoint(.truncate)
            try connection.sealPages()
            try connection.close()
            try store.expectSound(content: store.store.content(vfs: nil))
        }
    }

    @Test func `a log of ours that another program moves is not compared`() throws {
        let store = try ChangedStore(rows: 1_000)
        let crashed = try store.store.connection()
        try crashed.execute(sql: "UPDATE t SET n = n + 1; INSERT INTO t (k, v) VALUES ('a', 'b')")
        try crashed.checkpoint(.full)
        try crashed.execute(sql: "UPDATE t SET n = n + 1, v = lower(v) WHERE id % 10 = 0")
        let copy = try store.store.copyWithLog()
        try FileManager.default.copyItem(atPath: store.store.sums, toPath: copy.sums)
        let content = try copy.content(vfs: nil)
        try copy.expectSound(content: content)
        let connection = try copy.connection()
        try connection.execute(sql: "UPDATE t SET n = n + 1 WHERE id % 20 = 0")
        try connection.checkpoint(.truncate)
        try connection.close()
        try copy.expectSound(content: copy.content(vfs: nil))
    }

    @Test func `the generation is in no copy that SQLite makes, nor is a half of it damage`() throws
    {
        let store = try ChangedStore(rows: 300)
        #expect(store.newer[72..<88].contains { $0 != 0 })
        let connection = try store.store.connection()
        let target = try ChecksumStore()
        let copy = try Connection(.file(target.database.path))
        try connection.copy(to: copy)
        try copy.close()
        #expect(try target.bytes()[72..<92].allSatisfy { $0 == 0 })
        try connection.close()
        for offset in 72..<88 {
            try store.newer.write(to: store.store.url)
            try store.store.database.overwrite(at: UInt64(offset), with: [0x5A])
            try store.expectSound("\(offset)")
        }
    }
}
