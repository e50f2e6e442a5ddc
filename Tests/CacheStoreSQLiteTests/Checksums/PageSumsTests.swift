// SPDX-License-Identifier: MIT
import CacheStoreTestKit
import Foundation
import Testing

@testable import CacheStoreSQLite

/// Pages of an older version of a store are found by the sums in the side file.
@Suite struct PageSumsTests {
    @Test(arguments: [512, 4096, 65_536], [ConnectionSettings.JournalMode.wal, .delete])
    func `a page of an older version is an error at its first read`(
        pageSize: Int, journalMode: ConnectionSettings.JournalMode
    ) throws {
        let store = try ChangedStore(rows: 400, pageSize: pageSize, journalMode: journalMode)
        var read = 0
        let stale = store.stalePages
        #expect(stale.count > 3)
        for number in stale {
            try store.restorePage(number)
            let connection = try store.store.connection(mode: .readOnly)
            _ = try connection.dataVersion()
            _ = try connection.statement(sql: "SELECT count(*) FROM sqlite_schema").first { _ in }
            // Whatever the page is for.
            #expect(try connection.scrubPages(from: number, count: 1).failedPage == number)
            do {
                #expect(try ChecksumStore.content(of: connection) == store.content)
            } catch let error as SQLiteError {
                read += 1
                #expect(error.code == .SQLITE_IOERR_DATA)
                let statistics = try #require(try connection.checksumStatistics)
                #expect(statistics.stalePages == 2 && statistics.failedPages == 1)
                #expect(statistics.lastFailedPage == number)
            }
        }
        #expect(read > 1)
    }

    @Test func `the store as it was left is sound, to every reader`() throws {
        let store = try ChangedStore(rows: 400)
        try store.expectSound()
        #expect(try store.store.content(vfs: nil) == store.content)
        let connection = try store.store.connection()
        #expect(try connection.integrityCheck().isOK)
    }

    @Test func `a connection that was open meanwhile finds it, too`() throws {
        let store = try ChangedStore(rows: 400)
        let writer = try store.store.connection()
        let reader = try store.store.connection()
        #expect(try ChecksumStore.content(of: reader) == store.content)
        try writer.execute(sql: "UPDATE t SET n = n + 1")
        try writer.checkpoint(.truncate)
        #expect(try ChecksumStore.content(of: reader) != store.content)
        let number = try #require(store.stalePages.dropFirst().first)
        try store.store.overwrite(page: number, with: store.older)
        try reader.resetPageCache()
        let error = try sqliteError { _ = try reader.integrityCheck() }
        #expect(error.code == .SQLITE_IOERR_DATA)
        #expect(try reader.checksumStatistics.map { $0.stalePages > 0 } == true)
    }

    @Test func `verification that is switched off does not compare`() throws {
        let store = try ChangedStore(rows: 400)
        for number in store.stalePages {
            try store.store.overwrite(page: number, with: store.older)
        }
        let connection = try store.store.connection(mode: .readOnly)
        try connection.setsChecksumVerification(false)
        _ = try? ChecksumStore.content(of: connection)
        #expect(try connection.checksumStatistics?.failedPages == 0)
    }

    @Test func `sealing gives every page its sum`() throws {
        let store = try ChecksumStore(rows: 300)
        try store.writeByAnotherProgram("UPDATE t SET n = 5 WHERE id % 3 = 0")
        try FileManager.default.removeItem(atPath: store.sums)
        let connection = try store.connection()
        try connection.sealPages()
        try connection.close()
        let before = try store.bytes()
        let again = try store.connection()
        try again.execute(sql: "UPDATE t SET n = 7, k = k || 'x'")
        try again.checkpoint(.truncate)
        try again.close()
        let expected = try store.content()
        try store.overwrite(page: 9, with: before)
        #expect(throws: SQLiteError.self) { try store.content() == expected }
    }

    @Test func `sealing gives pages their sum that it need not write, too`() throws {
        let store = try ChangedStore(rows: 400)
        try store.store.writeByAnotherProgram("UPDATE t SET n = 5 WHERE id = 1")
        try FileManager.default.removeItem(atPath: store.store.sums)
        let connection = try store.store.connection()
        try connection.sealPages()
        try connection.close()
        let page = try #require(store.stalePages.last)
        let range = (page - 1) * 4096..<page * 4096
        #expect(try store.store.bytes()[range] == store.newer[range])
        try store.store.overwrite(page: page, with: store.older)
        let reader = try store.store.connection(mode: .readOnly)
        _ = try reader.dataVersion()
        #expect(try reader.scrubPages(from: page, count: 1).failedPage == page)
    }

    @Test func `a store that is unsealed is not compared`() throws {
        let store = try ChangedStore(rows: 400)
        try store.store.writeByAnotherProgram("UPDATE t SET n = 0 WHERE id = 1")
        try store.expectSound(content: store.store.content(vfs: nil))
    }
}

/// A store, and what it was before it was changed.
struct ChangedStore {
    let store: ChecksumStore
    let older: Data
    let newer: Data
    let olderContent: [String]
    let content: [String]
    let pageSize: Int
    /// The sums as they were.
    let olderSums: Data
    let newerSums: Data

    init(
        rows: Int, pageSize: Int = 4096, journalMode: ConnectionSettings.JournalMode = .wal
    ) throws {
        self.pageSize = pageSize
        store = try ChecksumStore(rows: rows, pageSize: pageSize, journalMode: journalMode)
        older = try store.bytes()
        olderSums = try Data(contentsOf: URL(filePath: store.sums))
        olderContent = try store.content()
        let connection = try Connection(.file(store.database.path), vfs: ChecksumVFS.name)
        try connection.execute(sql: "UPDATE t SET n = n + 1, k = k || id WHERE id % 5 = 0")
        try connection.execute(sql: "DELETE FROM t WHERE id > \(rows - rows / 10)")
        if journalMode == .wal { try connection.checkpoint(.truncate) }
        try connection.close()
        newer = try store.bytes()
        newerSums = try Data(contentsOf: URL(filePath: store.sums))
        content = try store.content()
    }

    /// The pages that differ, counted from 1, without the first one, which has the generation.
    var stalePages: [Int] {
        ChecksumStore.differingPages(older, newer, pageSize: pageSize)
    }

    /// Puts the store back to what it is, but for one page.
    func restorePage(_ number: Int) throws {
        try newer.write(to: store.url)
        try store.overwrite(page: number, with: older, pageSize: pageSize)
    }

    func expectSound(
        content: [String]? = nil, _ comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try store.expectSound(
            content: content ?? self.content, comment, sourceLocation: sourceLocation)
    }
}

extension ChecksumStore {
    var sums: String { database.path + "-sums" }

    func overwrite(page number: Int, with content: Data, pageSize: Int = 4096) throws {
        let start = (number - 1) * pageSize
        try database.overwrite(at: UInt64(start), with: Array(content[start..<start + pageSize]))
    }

    /// Everything is read, and nothing is found.
    func expectSound(
        content: [String], _ comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let connection = try Connection(
            .file(database.path), mode: .readWrite, vfs: ChecksumVFS.name)
        defer { try? connection.close() }
        #expect(
            try Self.content(of: connection) == content, comment, sourceLocation: sourceLocation)
        #expect(try connection.integrityCheck().isOK, comment, sourceLocation: sourceLocation)
        let statistics = try connection.checksumStatistics
        #expect(statistics?.failedPages == 0, comment, sourceLocation: sourceLocation)
        let pages = try connection.scrubPages(from: 1, count: 100_000)
        if statistics?.writer == .sealed {
            #expect(pages.failedPage == nil, comment, sourceLocation: sourceLocation)
        }
    }
}
