// SPDX-License-Identifier: MIT
import CacheStoreTestKit
import Foundation
import Testing

@testable import CacheStoreSQLite

/// How long a reader believes the sums that it has read.
@Suite struct KeptPageSumsTests {
    /// Reads everything that the connection has not kept in its cache of pages: nothing.
    private func readAnew(_ reader: Connection) throws -> [String] {
        try reader.resetPageCache()
        return try ChecksumStore.content(of: reader)
    }

    private func reader(of store: ChecksumStore) throws -> Connection {
        try Connection(.file(store.database.path), mode: .readWrite, vfs: ChecksumVFS.name)
    }

    /// How often the side file is read while everything is read again.
    private func readsOfSums(
        in store: ChecksumStore, by reader: Connection, _ plan: SystemFaultPlan
    ) throws -> Int {
        plan.failNext(.read, after: .max)
        let before = plan.callCount
        _ = try readAnew(reader)
        return plan.callCount - before
    }

    @Test(.enabled(if: SystemFaultPlan.isAvailable))
    func `beside a log the sums stay known until it is moved`() throws {
        let store = try ChangedStore(rows: 400, pageSize: 512).store
        let plan = try SystemFaultPlan(for: URL(filePath: store.sums))
        let writer = try store.connection()
        try writer.execute(sql: "UPDATE t SET n = n + 1 WHERE id = 2")
        let reader = try reader(of: store)
        let blocks = try store.bytes().count / 512 / 256 + 1
        #expect(blocks > 3)
        #expect(try readsOfSums(in: store, by: reader, plan) >= blocks)
        #expect(try readsOfSums(in: store, by: reader, plan) == 0)
        try writer.execute(sql: "UPDATE t SET n = n + 1 WHERE id = 1")
        #expect(try readsOfSums(in: store, by: reader, plan) == 0)
        try writer.checkpoint(.passive)
        #expect(try readsOfSums(in: store, by: reader, plan) > blocks - 1)
        #expect(try readsOfSums(in: store, by: reader, plan) == 0)
    }

    @Test(.enabled(if: SystemFaultPlan.isAvailable))
    func `without a log the sums are good for one transaction`() throws {
        let store = try ChangedStore(rows: 100, journalMode: .delete).store
        let plan = try SystemFaultPlan(for: URL(filePath: store.sums))
        let reader = try reader(of: store)
        #expect(try readsOfSums(in: store, by: reader, plan) > 0)
        #expect(try readsOfSums(in: store, by: reader, plan) > 0)
    }

    @Test(.enabled(if: SystemFaultPlan.isAvailable), arguments: [24, 64])
    func `sums that are being written are good for one transaction`(offset: UInt64) throws {
        let store = try ChangedStore(rows: 100).store
        // As a process that was killed leaves them: with a next generation, or a block on the list.
        let sums = try FileHandle(forUpdating: URL(filePath: store.sums))
        try sums.seek(toOffset: offset)
        try sums.write(contentsOf: [7, 0, 0, 0])
        try sums.close()
        let plan = try SystemFaultPlan(for: URL(filePath: store.sums))
        let reader = try reader(of: store)
        _ = try readsOfSums(in: store, by: reader, plan)
        #expect(try readsOfSums(in: store, by: reader, plan) > 0)
    }

    /// Changes a row, moves the log, and puts the pages that were moved back.
    private func loseWrite(
        in store: ChecksumStore, _ change: String, _ move: (Connection) throws -> Void
    ) throws {
        let older = try store.bytes()
        let writer = try self.reader(of: store)
        try writer.execute(sql: change)
        try move(writer)
        let pages = try ChecksumStore.differingPages(older, store.bytes())
        #expect(!pages.isEmpty)
        for page in pages { try store.overwrite(page: page, with: older) }
    }

    @Test func `a log that began again and is as long as before is another one`() throws {
        let store = try ChecksumStore(rows: 200)
        let writer = try store.connection()
        let reader = try reader(of: store)
        for id in [1, 199] {
            try writer.execute(sql: "UPDATE t SET n = n + 1 WHERE id = \(id)")
            try writer.checkpoint(.passive)
            _ = try readAnew(reader)
        }
        try loseWrite(in: store, "UPDATE t SET n = n + 1 WHERE id = 100") {
            try $0.checkpoint(.passive)
        }
        #expect(try sqliteError { _ = try readAnew(reader) }.code == .SQLITE_IOERR_DATA)
    }

    @Test func `a part of the log that was moved is another moment, too`() throws {
        let store = try ChecksumStore(rows: 200)
        let (reader, other) = (try reader(of: store), try reader(of: store))
        let later = try store.connection()
        // So that the log does not begin anew, which would make another moment.
        try later.execute(sql: "UPDATE t SET n = n + 1 WHERE id = 2")
        let before = try readAnew(reader)
        try loseWrite(in: store, "UPDATE t SET n = n + 1 WHERE id = 100") { writer in
            // Its reading keeps what comes afterwards in the log.
            try other.execute(sql: "BEGIN")
            #expect(try ChecksumStore.content(of: other) != before)
            try later.execute(sql: "UPDATE t SET n = n + 1 WHERE id = 1")
            #expect(try !writer.checkpoint(.passive).isComplete)
        }
        #expect(try sqliteError { _ = try readAnew(reader) }.code == .SQLITE_IOERR_DATA)
    }

    @Test func `pages of more blocks than are kept are compared all the same`() throws {
        let store = try ChecksumStore(rows: 9_000, pageSize: 512)
        let reader = try reader(of: store)
        let content = try readAnew(reader)
        let (pages, older) = (try store.bytes().count / 512, try store.bytes())
        #expect(pages > 64 * 256 + 2_000)
        let writer = try store.connection()
        try writer.execute(sql: "UPDATE t SET v = v || 'b'")
        try writer.checkpoint(.truncate)
        #expect(try readAnew(reader) != content)
        let newer = try store.bytes()
        // A page of the first block, and one of the block that takes its place.
        for page in [200, 64 * 256 + 200] {
            let range = (page - 1) * 512..<page * 512
            #expect(older[range] != newer[range])
            try newer.write(to: store.url)
            try store.overwrite(page: page, with: older, pageSize: 512)
            #expect(try sqliteError { _ = try readAnew(reader) }.code == .SQLITE_IOERR_DATA)
        }
    }
}
