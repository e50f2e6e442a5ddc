// SPDX-License-Identifier: MIT
import CacheStoreTestKit
import Foundation
import Testing

@testable import CacheStoreSQLite

/// What keeps a page that is known, known: nothing else would tell that protection is lost.
@Suite struct PageSumsProtectionTests {
    /// Whether a page of an older version is found.
    private func finds(
        _ page: Int, of older: Data, in store: ChecksumStore, pageSize: Int
    ) throws -> Bool {
        try store.overwrite(page: page, with: older, pageSize: pageSize)
        let connection = try store.connection(mode: .readOnly)
        defer { try? connection.close() }
        _ = try connection.dataVersion()
        return try connection.scrubPages(from: page, count: 1).failedPage == page
    }

    @Test(
        .enabled(if: SystemFaultPlan.isAvailable),
        arguments: [ConnectionSettings.JournalMode.wal, .delete])
    func `a call that fails costs the pages of other blocks their sums at few moments`(
        journalMode: ConnectionSettings.JournalMode
    ) throws {
        let store = try ChangedStore(rows: 600, pageSize: 512, journalMode: journalMode)
        let place = store.store
        let (blocks, stale) = try placesOfChange(in: store, journalMode)
        var losses: [String] = []
        var call = 0
        while true {
            try store.newer.write(to: place.url)
            try store.newerSums.write(to: URL(filePath: place.sums))
            let plan = try SystemFaultPlan(for: place.database.directory)
            plan.failNext([.write, .sync], after: call)
            try? change(place, journalMode)
            plan.disarm()
            try expectSound(place, "\(call): \(plan.lastFault)")
            if !(try finds(stale, of: store.older, in: place, pageSize: 512)) {
                losses.append("\(call): \(plan.lastFault)")
            }
            if plan.faultCount == 0 { break }
            call += 1
        }
        #expect(call > 8)
        // Where a block cannot be put on the list; and where some blocks are written, and the others
        // or the head that belongs to them are not.
        #expect(losses.count <= 2 * blocks.count, "\(losses), \(blocks)")
    }

    @Test(
        .enabled(if: SystemFaultPlan.isAvailable),
        arguments: [SystemCalls.sync, [.write, .sync]], [false, true])
    func `a power cut that keeps the sums and loses the pages leaves no page that looks older`(
        calls: SystemCalls, keepsFirstPage: Bool
    ) throws {
        let store = try ChangedStore(rows: 300, pageSize: 512)
        let place = store.store
        var faults: [String] = []
        var remains: [ChecksumStore] = []
        while true {
            try store.newer.write(to: place.url)
            try store.newerSums.write(to: URL(filePath: place.sums))
            let plan = try SystemFaultPlan(for: place.database.directory)
            let connection = try place.connection()
            // From there on nothing is done any more.
            plan.failNext(calls, after: faults.count, forEver: true)
            try? connection.execute(sql: "UPDATE t SET n = n + 3 WHERE id % 9 = 0")
            _ = try? connection.checkpoint(.passive)
            plan.disarm()
            let left = try ChecksumStore()
            let first = try place.bytes().prefix(keepsFirstPage ? 512 : 0)
            try (first + store.newer.dropFirst(first.count)).write(to: left.url)
            for suffix in ["-wal", "-sums"] {
                try? FileManager.default.copyItem(
                    atPath: place.database.path + suffix, toPath: left.database.path + suffix)
            }
            try? connection.close()
            if plan.faultCount == 0 { break }
            faults.append(plan.lastFault)
            remains.append(left)
        }
        // The last sync is that of the sums, and the one before it is when the pages are safe.
        let last = try #require(
            faults.indices.filter { faults[$0].contains("sync") }.dropLast().last)
        for (call, left) in remains.enumerated().prefix(last + 1) {
            let connection = try left.connection()
            for number in 2...store.newer.count / 512 {
                let found = try connection.scrubPages(from: number, count: 1).failedPage
                #expect(found == nil, "\(call): \(faults[call])")
            }
            try connection.close()
            try expectSound(left, "\(call): \(faults[call])")
        }
    }

    @Test(arguments: [ConnectionSettings.JournalMode.wal, .delete])
    func `where nothing is synced the sums are given back all the same`(
        journalMode: ConnectionSettings.JournalMode
    ) throws {
        let store = try ChangedStore(rows: 400, journalMode: journalMode)
        let path = store.store.database.path
        let writer = try Connection(.file(path), mode: .readWrite, vfs: ChecksumVFS.name)
        let reader = try Connection(.file(path), mode: .readWrite, vfs: ChecksumVFS.name)
        if journalMode == .wal {
            try writer.execute(sql: "UPDATE t SET n = n + 1 WHERE id = 1")
            try reader.execute(sql: "BEGIN")
            _ = try reader.statement(sql: "SELECT count(*) FROM t").first { $0.int64(at: 0) }
        } else {
            try writer.execute(sql: "PRAGMA synchronous = OFF")
        }
        try writer.execute(sql: "UPDATE t SET n = n + 1 WHERE id > 300")
        if journalMode == .wal { try writer.checkpoint(.passive) }
        #expect(try store.store.bytes() != store.newer)
        let sums = open(store.store.sums, O_RDWR | O_CLOEXEC)
        defer { close(sums) }
        #expect(flock(sums, LOCK_EX | LOCK_NB) == 0)
    }

    private func expectSound(_ store: ChecksumStore, _ comment: Comment) throws {
        let connection = try Connection(
            .file(store.database.path), mode: .readWrite, vfs: ChecksumVFS.name)
        defer { try? connection.close() }
        #expect(try connection.integrityCheck().isOK, comment)
        #expect(try connection.checksumStatistics?.failedPages == 0, comment)
    }

    /// The blocks whose pages a change writes, and an older page in another one.
    private func placesOfChange(
        in store: ChangedStore, _ journalMode: ConnectionSettings.JournalMode
    ) throws -> (blocks: Set<Int>, page: Int) {
        try change(store.store, journalMode)
        let written = try store.store.bytes()
        let blocks = Set(
            ChecksumStore.differingPages(store.newer, written, pageSize: 512).map { ($0 - 1) / 256 }
        )
        let page = store.stalePages.first { !blocks.contains(($0 - 1) / 256) }
        return (blocks, try #require(page))
    }

    private func change(
        _ store: ChecksumStore, _ journalMode: ConnectionSettings.JournalMode
    ) throws {
        let connection = try Connection(
            .file(store.database.path), mode: .readWrite, vfs: ChecksumVFS.name)
        defer { try? connection.close() }
        try connection.execute(sql: "UPDATE t SET n = 5 WHERE id = 1")
        if journalMode == .wal { try connection.checkpoint(.passive) }
    }

    @Test(arguments: [ConnectionSettings.JournalMode.wal, .delete])
    func `the sums of an earlier transaction are not those of now`(
        journalMode: ConnectionSettings.JournalMode
    ) throws {
        let store = try ChangedStore(rows: 200, journalMode: journalMode)
        let reader = try Connection(
            .file(store.store.database.path), mode: .readWrite, vfs: ChecksumVFS.name)
        #expect(try ChecksumStore.content(of: reader) == store.content)
        try change(store.store, journalMode)
        let pages = try ChecksumStore.differingPages(store.newer, store.store.bytes())
        #expect(pages.count == 1)
        try store.store.overwrite(page: try #require(pages.first), with: store.newer)
        try reader.resetPageCache()
        let error = try sqliteError { _ = try ChecksumStore.content(of: reader) }
        #expect(error.code == .SQLITE_IOERR_DATA)
    }

    @Test(arguments: [0, 20, 40, 4096 + 4 * 700])
    func `sums that are damaged begin anew with the next pages that are written`(
        offset: Int
    ) throws {
        let store = try ChangedStore(rows: 300, pageSize: 512)
        var damaged = store.newerSums
        #expect(damaged.count > offset)
        damaged[offset] ^= 1
        try damaged.write(to: URL(filePath: store.store.sums))
        let connection = try store.store.connection()
        try connection.execute(sql: "UPDATE t SET n = n + 1 WHERE id % 7 = 0")
        try connection.checkpoint(.truncate)
        try connection.close()
        let written = try store.store.bytes()
        let page = try #require(
            ChecksumStore.differingPages(store.newer, written, pageSize: 512).first)
        #expect(try finds(page, of: store.newer, in: store.store, pageSize: 512))
    }

    @Test func `what a killed process left is looked at by who has the sums open`() throws {
        let store = try ChangedStore(rows: 300, pageSize: 512)
        let connection = try store.store.connection()
        func write(_ change: String) throws -> Data {
            try connection.execute(sql: "UPDATE t SET n = n + 1, k = k || '\(change)'")
            try connection.checkpoint(.truncate)
            return try store.store.bytes()
        }
        let older = try write("a")
        // It had one block on the list, and was writing it.
        let sums = try FileHandle(forUpdating: URL(filePath: store.store.sums))
        try sums.seek(toOffset: 64)
        try sums.write(contentsOf: [2, 0, 0, 0])
        try sums.seek(toOffset: 4096 + 4 * 300)
        try sums.write(contentsOf: [1, 2, 3, 4])
        try sums.close()
        let newer = try write("b")
        let page = try #require(ChecksumStore.differingPages(older, newer, pageSize: 512).first)
        try connection.close()
        #expect(try finds(page, of: older, in: store.store, pageSize: 512))
    }

    @Test(arguments: [false, true])
    func `of a block that a killed process had on the list nothing is known, neither now nor later`(
        isAnyBlock: Bool
    ) throws {
        let store = try ChangedStore(rows: 600, pageSize: 512)
        // In truth, what the killed process had written.
        let (_, page) = try placesOfChange(in: store, .wal)
        try store.newer.write(to: store.store.url)
        try store.newerSums.write(to: URL(filePath: store.store.sums))
        #expect(try finds(page, of: store.older, in: store.store, pageSize: 512))
        let block = UInt8((page - 1) / 256)
        let sums = try FileHandle(forUpdating: URL(filePath: store.store.sums))
        try sums.seek(toOffset: 64)
        try sums.write(contentsOf: isAnyBlock ? [255, 255, 255, 255] : [block + 1, 0, 0, 0])
        try sums.close()
        #expect(try !finds(page, of: store.older, in: store.store, pageSize: 512))
        try store.store.overwrite(page: page, with: store.newer, pageSize: 512)
        try change(store.store, .wal)
        #expect(try !finds(page, of: store.older, in: store.store, pageSize: 512))
    }

    @Test func `two copies that went apart are never taken for one another`() throws {
        let store = try ChangedStore(rows: 300)
        let copy = try ChecksumStore()
        try store.newer.write(to: copy.url)
        try store.newerSums.write(to: URL(filePath: copy.sums))
        for (place, step) in [(store.store, 1), (copy, 2)] {
            let connection = try place.connection()
            try connection.execute(sql: "UPDATE t SET n = n + \(step), k = k || '\(step)'")
            try connection.checkpoint(.truncate)
            try connection.close()
        }
        // Each has written as often as the other.
        try copy.bytes().write(to: store.store.url)
        try store.expectSound(content: copy.content())
    }
}
