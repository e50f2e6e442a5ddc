// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStoreHealing

/// Stores whose pages have checksums: that is every store that is made.
@Suite struct StoreChecksumTests {
    private static let always: StoreOptions = {
        var options = StoreOptions()
        options.verification.schedule = .always
        return options
    }()

    private func writer(of store: TemporaryStore) throws -> ChecksumStatistics.Writer? {
        let connection = try Connection(
            .file(store.path), mode: .readWrite, vfs: ChecksumVFS.name)
        _ = try connection.pragma("page_count")
        return try connection.checksumStatistics?.writer
    }

    private func header(of store: TemporaryStore) throws -> DatabaseHeader {
        let bytes = try #require(store.contents())
        return try #require(DatabaseHeader(Array(bytes.prefix(108))))
    }

    @Test func `a new store vouches for its pages from the beginning`() throws {
        let store = try TemporaryStore()
        let file = try store.openFile()
        #expect(try file.read { try $0.checksumStatistics?.writer } == .sealed)
        #expect(try file.write { try $0.checksumStatistics?.writer } == .sealed)
        try file.addNotes(300)
        try file.close()
        #expect(try header(of: store).isSealed)
        #expect(try writer(of: store) == .sealed)
    }

    @Test func `readers and the writer compare what they read`() throws {
        let store = try TemporaryStore()
        try store.fill(count: 300)
        let file = try store.openFile()
        #expect(try file.countNotes() == 300)
        let read = try file.read { try $0.checksumStatistics }
        #expect(try #require(read).verifiedPages > 3)
        let written = try file.write { connection in
            _ = try connection.statement(sql: "SELECT sum(length(text)) FROM note").first { _ in }
            return try connection.checksumStatistics
        }
        #expect(try #require(written).verifiedPages > 3)
    }

    @Test(arguments: [30, 21, 62, 70, 93, 1_500, 4096 + 700, 4096 * 4 + 2_000])
    func `a flipped bit is found, and the store reset in place`(offset: Int) throws {
        let store = try TemporaryStore()
        try store.fill(count: 2_000)
        let file = FileIdentity(path: store.path)
        try store.flipBit(at: offset)
        let opened = try store.open(options: Self.always)
        #expect(opened.report.outcome == .reset)
        #expect(opened.report.cause == .damaged)
        #expect(store.quarantined.count == 1)
        #expect(FileIdentity(path: store.path) == file)
        #expect(try opened.file?.countNotes() == 0)
        try opened.file?.addNotes(2)
        try opened.file?.close()
        #expect(try writer(of: store) == .sealed)
        let again = try store.open(options: Self.always)
        #expect(again.report.outcome == .opened)
        #expect(again.report.verification == .passed)
        #expect(try again.file?.countNotes() == 2)
    }

    @Test func `the report says which page did not fit`() throws {
        let store = try TemporaryStore()
        try store.fill(count: 2_000)
        try store.flipBit(at: 4096 * 6 + 2_000)
        let report = try store.open(options: Self.always).report
        #expect(report.verification == .failed)
        #expect(report.steps.contains { $0.detail == "the checksum of page 7 does not fit" })
        #expect(
            report.underlyingError.map { SQLiteError.ResultCode.SQLITE_IOERR_DATA ~= $0 } == true)
    }

    @Test func `after an unclean end a flipped bit is found by the default policy`() throws {
        let store = try TemporaryStore()
        try store.fill(count: 2_000, clean: false)
        try store.flipBit(at: 4096 * 6 + 2_000)
        let opened = try store.open()
        #expect(opened.report.wasUncleanShutdown)
        #expect(opened.report.outcome == .reset)
        #expect(opened.report.cause == .damaged)
    }

    /// A number of the application that one bit makes another one is not another application.
    @Test(arguments: [60, 68])
    func `a store with a damaged mark is damaged, not foreign or newer`(offset: Int) throws {
        let store = try TemporaryStore()
        try store.fill()
        try store.flipBit(at: offset)
        let report = try store.open().report
        #expect(report.outcome == .reset)
        #expect(report.cause == .damaged)
    }

    @Test func `a store without room for checksums is used as it is`() throws {
        let store = try TemporaryStore()
        // As a program without checksums would make it.
        let connection = try Connection(.file(store.path))
        try connection.transaction(.immediate) {
            try StoreMeta.create(in: connection, identifier: UUID(), content: NotesContent())
            try NotesContent().createSchema(in: connection)
            try StoreMeta.countWrite(in: connection)
        }
        try connection.execute(sql: "INSERT INTO note (text) VALUES ('old')")
        try connection.close()
        #expect(try header(of: store).reservedBytes == 0)
        let opened = try store.open(options: Self.always)
        #expect(opened.report.outcome == .opened)
        #expect(!opened.report.wasChangedByAnotherProgram)
        let file = try #require(opened.file)
        try file.addNotes(5)
        #expect(try file.countNotes() == 6)
        #expect(try file.read { try $0.checksumStatistics?.writer } == .unchecked)
    }

    @Test func `a reset gives a store room for checksums that had none`() throws {
        let store = try TemporaryStore()
        let connection = try Connection(.file(store.path))
        try connection.execute(sql: "CREATE TABLE t (v); INSERT INTO t VALUES (1)")
        try connection.close()
        let opened = try StoreOpener.reset(at: store.url, content: NotesContent())
        #expect(opened.report.outcome == .reset)
        try opened.file?.close()
        #expect(try writer(of: store) == .sealed)
    }

    @Test func `a database without tables that others made gets room for checksums`() throws {
        let store = try TemporaryStore()
        let connection = try Connection(.file(store.path))
        try connection.execute(sql: "CREATE TABLE t (v); DROP TABLE t")
        try connection.close()
        let opened = try store.open()
        #expect(opened.report.outcome == .created)
        try opened.file?.close()
        #expect(try writer(of: store) == .sealed)
    }
}
