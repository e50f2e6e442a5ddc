// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStoreHealing

/// Opening damaged stores with the policy to salvage them.
@Suite struct StoreSalvageTests {
    private static var options: StoreOptions {
        var options = StoreOptions()
        options.onDamage = .salvage
        options.verification = VerificationPolicy(.always, deadline: .seconds(60))
        return options
    }

    private func open(
        _ sample: LibrarySample, version: Int = 1, options: StoreOptions = options
    ) throws -> OpenedStore {
        try StoreOpener.open(
            at: sample.store.url, content: LibraryContent(version: version), options: options)
    }

    /// Opens, looks at the rows, and checks that the store works from then on.
    private func salvage(
        _ sample: LibrarySample, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (report: StoreOpenReport, rows: LibraryRows) {
        let opened = try open(sample)
        let file = try #require(opened.file, sourceLocation: sourceLocation)
        let rows = try file.read { try LibraryRows(of: $0) }
        try file.write { try $0.execute(sql: "INSERT INTO author VALUES (5000000, 1, 'x', 1)") }
        try file.close()
        let again = try open(sample)
        #expect(again.report.outcome == .opened, sourceLocation: sourceLocation)
        #expect(again.report.verification == .passed, sourceLocation: sourceLocation)
        try again.file?.close()
        #expect(!sample.store.exists(sample.store.paths.salvage), sourceLocation: sourceLocation)
        return (opened.report, rows)
    }

    @Test func `a damaged store keeps the rows that are not damaged`() throws {
        let sample = try LibrarySample()
        let count = sample.pageCount
        try sample.damage(pages: [20, count / 2, count - 7], seed: 3)
        let before = sample.store.contents()
        let (report, rows) = try salvage(sample)
        #expect(report.outcome == .salvaged)
        #expect(report.cause == .damaged)
        #expect(report.wasResetOrCreated)
        let score = try #require(report.salvageScore)
        let truth = Double(sample.rows.countSame(in: rows)) / Double(sample.rows.count)
        #expect(truth > 0.9)
        #expect(abs(score - truth) < 0.05)
        // What is doubtful is on the damaged pages, and nothing else is altered.
        let doubtful = try #require(report.rowsDoubtful?.values.reduce(0, +))
        #expect((1...60).contains(doubtful))
        #expect(sample.rows.altered(in: rows).count <= 3)
        #expect(report.rowsKept?.values.reduce(0, +) == rows.count - doubtful)
        #expect(report.storeIdentifier != report.oldStoreIdentifier)
        // The files as they were found.
        let place = try #require(report.quarantine)
        #expect(
            sample.store.contents(place.appending(path: "notes.sqlite").path(percentEncoded: false))
                == before)
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    func `whatever page is gone, the rest is kept, and the file is the same file`(
        page: Int
    ) throws {
        let sample = try LibrarySample()
        let pages = page == 0 ? [1, 2, 3] : [page]
        try sample.zero(pages: pages)
        let identity = FileIdentity(path: sample.store.path)
        let (report, rows) = try salvage(sample)
        #expect(report.outcome == .salvaged, "\(report)")
        #expect(FileIdentity(path: sample.store.path) == identity)
        #expect(sample.rows.countSame(in: rows) > sample.rows.count * 97 / 100)
        #expect(sample.rows.altered(in: rows) == [])
    }

    @Test func `what was committed to the log of a killed process is kept`() throws {
        let sample = try LibrarySample(leavesLog: true)
        try sample.damage(pages: [sample.pageCount / 2], seed: 5)
        try sample.zero(pages: [1])
        let (report, rows) = try salvage(sample)
        #expect(report.outcome == .salvaged, "\(report)")
        #expect(sample.rows.altered(in: rows) == [])
        #expect(rows.rows.values.contains { $0.contains("(new)") })
        #expect(sample.rows.countSame(in: rows) > sample.rows.count * 97 / 100)
    }

    @Test func `a store of an older model is salvaged, then migrated`() throws {
        let sample = try LibrarySample()
        try sample.damage(pages: [sample.pageCount / 2], seed: 5)
        let opened = try open(sample, version: 2)
        #expect(opened.report.outcome == .salvaged, "\(opened.report)")
        #expect(opened.report.migrationChanges == ["subtitle added to book"])
        let file = try #require(opened.file)
        let books = try file.read { connection in
            try connection.prepare(sql: "SELECT count(*) FROM book WHERE subtitle = 'none'")
                .first { $0.int64(at: 0) }
        }
        #expect(Int(books ?? 0) > sample.rows.count(of: "book") * 97 / 100)
        try file.close()
    }

    @Test func `a store that was migrated gives its columns in their order without page 1`() throws
    {
        let sample = try LibrarySample()
        try open(sample, version: 2).file?.close()
        let connection = try Connection(.file(sample.store.path), mode: .immutable)
        let rows = try LibraryRows(of: connection)
        try sample.zero(pages: [1])
        let opened = try open(sample, version: 2)
        #expect(opened.report.outcome == .salvaged)
        #expect(opened.report.rowsDoubtful?.values.reduce(0, +) == 0)
        let file = try #require(opened.file)
        #expect(try file.read { try LibraryRows(of: $0) } == rows)
        try file.close()
    }

    @Test func `a store that cannot be migrated is not salvaged`() throws {
        let sample = try LibrarySample()
        let opened = try open(sample, version: 9)
        #expect(opened.report.outcome == .reset)
        #expect(opened.report.rowsKept == nil)
        try opened.file?.close()
    }

    @Test func `without the policy a damaged store is emptied`() throws {
        let sample = try LibrarySample()
        try sample.zero(pages: [sample.pageCount / 2])
        var options = Self.options
        options.onDamage = .reset
        let opened = try open(sample, options: options)
        #expect(opened.report.outcome == .reset)
        try opened.file?.close()
    }

    @Test func `where nothing can be salvaged the store is emptied`() throws {
        let sample = try LibrarySample()
        try sample.store.write([UInt8](repeating: 0xAA, count: 100_000))
        let opened = try open(sample)
        #expect(opened.report.outcome == .reset)
        #expect(opened.report.wasResetOrCreated)
        let file = try #require(opened.file)
        #expect(try file.read { try LibraryRows(of: $0) }.count == 0)
        try file.close()
    }

    @Test func `remains of a killed salvage are no hindrance`() throws {
        let sample = try LibrarySample()
        try sample.store.write("half".utf8, to: sample.store.paths.salvage)
        try sample.zero(pages: [sample.pageCount / 2])
        let (report, _) = try salvage(sample)
        #expect(report.outcome == .salvaged)
    }
}
