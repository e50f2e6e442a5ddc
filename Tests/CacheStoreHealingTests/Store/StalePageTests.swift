// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStoreHealing

/// Stores of which a write was lost: a page is as it was in an older version of the file.
@Suite struct StalePageTests {
    /// A closed store with a stale page in the table of books, and the rows that it should have.
    private struct Sample {
        let store: TemporaryStore
        let sample: LibrarySample
        let rows: LibraryRows
        let pages: [Int]

        /// - Parameter isStale: whether a write was lost at all.
        init(isStale: Bool = true) throws {
            sample = try LibrarySample()
            store = sample.store
            let older = Array(try #require(store.contents()))
            let file = try #require(
                try StoreOpener.open(at: store.url, content: LibraryContent()).file)
            try file.write { try $0.execute(sql: "UPDATE book SET title = title || ' (new)'") }
            rows = try file.read { try LibraryRows(of: $0) }
            try file.close()
            let newer = Array(try #require(store.contents()))
            let size = LibrarySample.pageSize
            var differing: [Int] = []
            for page in 1..<min(older.count, newer.count) / size {
                let range = page * size..<(page + 1) * size
                // Leaves of tables.
                if older[range] != newer[range], newer[range.lowerBound] == 13 {
                    differing.append(page + 1)
                }
            }
            try #require(differing.count > 100)
            pages =
                isStale ? [differing[differing.count / 3], differing[differing.count / 2]] : []
            for page in pages {
                try store.overwrite(
                    at: (page - 1) * size, with: Array(older[(page - 1) * size..<page * size]))
            }
        }
    }

    @Test func `a store with a page of an older version is found and reset`() throws {
        let sample = try Sample()
        var options = StoreOptions()
        options.verification = VerificationPolicy(.always, deadline: .seconds(60))
        let opened = try StoreOpener.open(
            at: sample.store.url, content: LibraryContent(), options: options)
        #expect(opened.report.outcome == .reset)
        let set = try #require(opened.report.quarantine)
        let names = FileTree.names(in: set.path(percentEncoded: false))
        #expect(names.contains("notes.sqlite-sums"))
        try opened.file?.close()
        let again = try StoreOpener.open(
            at: sample.store.url, content: LibraryContent(), options: options)
        #expect(again.report.outcome == .opened)
        try again.file?.close()
    }

    @Test func `a salvage takes no row of an older page for a sound one`() throws {
        let sample = try Sample()
        let (report, rows) = try sample.sample.salvage()
        #expect(report.total.doubtful + report.total.lost > 0)
        #expect(sample.rows.altered(in: rows).count <= report.total.doubtful)
        #expect(report.total.kept <= sample.rows.countSame(in: rows))
        #expect(report.total.kept > sample.rows.count * 9 / 10)
    }

    @Test func `sums that are damaged themselves name no page, and cost no row`() throws {
        let sample = try Sample(isStale: false)
        let store = sample.store
        let sums = try #require(store.contents(store.paths.sums))
        for offset in [5, 17, 33, 41, 4_096 + 40, sums.count - 9] {
            try store.write(sums, to: store.paths.sums)
            try store.flipBit(at: offset, of: store.paths.sums)
            let check = try FileExamination(at: store.path).check(deep: false)
            #expect(check.failedPages == 0, "\(offset)")
        }
        let (report, rows) = try sample.sample.salvage()
        #expect(rows == sample.rows)
        #expect(report.total.kept == sample.rows.count)
    }

    @Test func `pages whose sums were being changed are not named`() throws {
        let sample = try Sample()
        let store = sample.store
        var sums = Array(try #require(store.contents(store.paths.sums)))
        sums.replaceSubrange(64..<68, with: [255, 255, 255, 255])
        try store.write(sums, to: store.paths.sums)
        #expect(try FileExamination(at: store.path).check(deep: false).failedPages == 0)
    }

    @Test func `sums of another moment name no page`() throws {
        let sample = try Sample(isStale: false)
        let store = sample.store
        let sums = try #require(store.contents(store.paths.sums))
        let file = try #require(try StoreOpener.open(at: store.url, content: LibraryContent()).file)
        try file.write { try $0.execute(sql: "UPDATE book SET title = title || ' (newer)'") }
        try file.close()
        try store.write(sums, to: store.paths.sums)
        #expect(try FileExamination(at: store.path).check(deep: false).failedPages == 0)
    }

    @Test func `a check names the pages that are older`() throws {
        let sample = try Sample()
        let check = try FileExamination(at: sample.store.path).check(deep: false)
        #expect(check.failedPages == 2)
        let finding = try #require(check.findings.first)
        #expect(finding.code == "pages")
        #expect(sample.pages.allSatisfy { finding.message.contains("\($0)") })
    }
}
