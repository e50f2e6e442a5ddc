// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import CacheStoreTestKit
import Foundation
import Testing

@testable import CacheStoreHealing

/// Salvage of stores against the truth. `CACHESTORE_TEST_SEED` gives other damage than usual,
/// `CACHESTORE_SLOW_TESTS` more.
@Suite struct DatabaseSalvageTests {
    static let seed =
        TestSeed.given
        ?? 20_261_130
    static let isSlow = TestSeed.areTestsSlow

    /// What `DatabaseSalvage` promises of a store whose pages have checksums.
    private func check(
        _ sample: LibrarySample, atLeast share: Double, _ note: Comment,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (report: SalvageReport, share: Double) {
        let (report, rows) = try sample.salvage()
        let same = sample.rows.countSame(in: rows)
        let truth = Double(same) / Double(sample.rows.count)
        #expect(truth >= share, note, sourceLocation: sourceLocation)
        let total = report.total
        let altered = sample.rows.altered(in: rows)
        #expect(
            altered.count <= total.doubtful, "\(note): \(altered.prefix(5))",
            sourceLocation: sourceLocation)
        #expect(total.kept <= same, note, sourceLocation: sourceLocation)
        #expect(abs(report.score - truth) <= 0.05, note, sourceLocation: sourceLocation)
        return (report, truth)
    }

    @Test func `a store that is whole is taken over whole`() throws {
        let sample = try LibrarySample()
        let (report, _) = try check(sample, atLeast: 1, "whole")
        #expect(report.score == 1)
        #expect(report.total.doubtful == 0)
        #expect(report.total.lost == 0)
        #expect(report.schemaWasComplete)
        #expect(report.notes.isEmpty)
    }

    @Test(arguments: [(share: 0.002, bar: 0.98), (share: 0.01, bar: 0.98), (share: 0.05, bar: 0.9)])
    func `of a store with some damaged pages nearly all is taken over`(
        damage: (share: Double, bar: Double)
    ) throws {
        let image = try LibrarySample()
        let original = try #require(image.store.contents())
        #expect(original.count > 2_000_000)
        var random = SeededRandomNumberGenerator(seed: Self.seed)
        var shares: [Double] = []
        for round in 0..<(Self.isSlow ? 300 : 6) {
            try original.write(to: image.store.url)
            let count = max(1, Int(Double(image.pageCount) * damage.share))
            let pages = Array(1...image.pageCount).shuffled(using: &random).prefix(count)
            try image.damage(pages: pages, seed: random.next())
            let note = Comment("seed \(Self.seed), round \(round), pages \(pages.sorted())")
            // Some pages have more rows than others. What is promised is the mean.
            shares.append(try check(image, atLeast: damage.bar - 0.1, note).share)
        }
        let mean = shares.reduce(0, +) / Double(shares.count)
        #expect(mean >= damage.bar, "seed \(Self.seed): \(shares)")
    }

    @Test func `rows are taken over without the first page`() throws {
        let sample = try LibrarySample()
        try sample.zero(pages: [1])
        let (report, _) = try check(sample, atLeast: 1, "page 1")
        #expect(!report.schemaWasComplete)
        #expect(report.total.doubtful == 0)
        #expect(report.total.lost == 0)
    }

    @Test(arguments: LibraryContent.tables + ["cachestore_schema", "book_author"])
    func `rows are taken over without the root page of their table`(table: String) throws {
        let sample = try LibrarySample()
        try sample.zero(pages: [try sample.root(of: table)])
        _ = try check(sample, atLeast: 0.97, "\(table)")
    }

    @Test func `rows are taken over without the first page and the copy of the schema`() throws {
        let sample = try LibrarySample()
        try sample.zero(pages: [1, try sample.root(of: "cachestore_schema")])
        var salvage = DatabaseSalvage()
        salvage.expectedSchema = try StoreSalvage.expectedSchema(of: LibraryContent())
        let (report, rows) = try sample.salvage(salvage)
        #expect(sample.rows.countSame(in: rows) == sample.rows.count)
        // Nothing in the file says which column is which.
        #expect(report.total.kept == 0)
        #expect(report.total.doubtful >= sample.rows.count)
    }

    @Test func `rows of tables that nobody knows any more get tables of their own`() throws {
        let sample = try LibrarySample()
        try sample.zero(pages: [1, try sample.root(of: "cachestore_schema")])
        let new = sample.store.directory + "/new.sqlite"
        let report = try DatabaseSalvage().run(from: sample.store.path, to: new)
        #expect(report.total.kept == 0)
        let books = sample.rows.count(of: "book")
        #expect(report.tables.values.contains { $0.doubtful == books })
    }

    @Test func `what was committed to the log is taken over`() throws {
        let sample = try LibrarySample(leavesLog: true)
        #expect(FileTree.size(at: sample.store.paths.log) ?? 0 > 100_000)
        let (report, _) = try check(sample, atLeast: 1, "log")
        #expect(report.total.lost == 0)
        #expect(report.total.doubtful == 0)
    }

    @Test func `a page that is damaged in the log is not taken from the database`() throws {
        let sample = try LibrarySample(leavesLog: true)
        let size = try #require(FileTree.size(at: sample.store.paths.log))
        let frames = Int(size - 32) / 4120
        for frame in [frames / 3, frames / 2] {
            try sample.store.flipBit(at: 32 + frame * 4120 + 2_000, of: sample.store.paths.log)
        }
        let (report, rows) = try sample.salvage()
        let altered = sample.rows.altered(in: rows)
        #expect(altered.count <= report.total.doubtful)
        #expect(report.total.doubtful > 0)
        #expect(sample.rows.countSame(in: rows) > sample.rows.count * 9 / 10)
    }

    @Test func `the log of another store is left out`() throws {
        let sample = try LibrarySample(leavesLog: true)
        var salvage = DatabaseSalvage()
        salvage.readsLog = false
        let (_, rows) = try sample.salvage(salvage)
        #expect(rows.count(of: "book") < sample.rows.count(of: "book"))
        #expect(!rows.rows.values.contains { $0.contains("(new)") })
    }

    @Test func `deleted rows do not come back, also without the list of free pages`() throws {
        let sample = try LibrarySample()
        let connection = try Connection(.file(sample.store.path), mode: .immutable)
        let free = try connection.pragma("freelist_count")?.integer ?? 0
        #expect(free > 10)
        try sample.zero(pages: [1])
        let (_, rows) = try sample.salvage()
        #expect(sample.rows.altered(in: rows) == [])
    }

    @Test func `what another program has written is doubtful`() throws {
        let sample = try LibrarySample()
        try sample.store.changeByAnotherProgram("UPDATE author SET born = 1 WHERE _id = 3")
        let (report, rows) = try sample.salvage()
        #expect(sample.rows.countSame(in: rows) == sample.rows.count - 1)
        #expect(report.total.lost == 0)
        let doubtful = try #require(report.tables["author"]?.doubtful)
        #expect(doubtful > 0 && doubtful < 200)
    }

    @Test func `a file that is not a database gives nothing, and no new file`() throws {
        let store = try TemporaryStore()
        try store.write([UInt8](repeating: 7, count: 20_000))
        let new = store.directory + "/new.sqlite"
        #expect(throws: PersistentStoreError.self) {
            try DatabaseSalvage().run(from: store.path, to: new)
        }
        #expect(!store.exists(new))
    }

    @Test func `a file at the new place is left alone`() throws {
        let sample = try LibrarySample()
        let new = sample.store.directory + "/new.sqlite"
        try sample.store.write("here".utf8, to: new)
        #expect(throws: PersistentStoreError.self) {
            try DatabaseSalvage().run(from: sample.store.path, to: new)
        }
        #expect(sample.store.contents(new) == Data("here".utf8))
    }
}
