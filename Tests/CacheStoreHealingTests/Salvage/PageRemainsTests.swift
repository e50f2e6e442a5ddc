// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import CacheStoreHealing

/// What damaged pages still have.
@Suite struct PageRemainsTests {
    private let sample: LibrarySample

    init() throws { sample = try LibrarySample() }

    /// The leaves of a table, in the order of their rows.
    private func leaves(of table: String, isTable: Bool = true) throws -> [TreePage] {
        let image = try #require(
            try DatabaseImage(reading: sample.store.path, readsLog: false))
        let map = PageMap(of: image)
        let root = try sample.root(of: table)
        let owners = PageOwners(of: map, roots: [(page: root, isTable: isTable)])
        return owners.trees[0].pages.compactMap { map.tree($0) }.filter { $0.kind.isLeaf }
            .sorted { ($0.rowID(0) ?? 0) < ($1.rowID(0) ?? 0) }
    }

    /// Changes bytes of a page; the first byte is 0.
    private func overwrite(_ page: TreePage, at offset: Int, with bytes: [UInt8]) throws {
        try sample.store.overwrite(
            at: (page.page.number - 1) * LibrarySample.pageSize + offset, with: bytes)
    }

    private func place(of text: String, on page: TreePage) throws -> Int {
        let bytes = page.page.bytes
        return try #require(bytes.indices.last { bytes[$0...].starts(with: text.utf8) })
    }

    @Test func `rows that look right come back from a damaged page, and are doubtful`() throws {
        let page = try leaves(of: "book")[20]
        let title = try place(of: "book", on: page)
        // The row still looks right.
        try overwrite(page, at: title, with: Array("look".utf8))
        let (report, rows) = try sample.salvage()
        #expect(report.tables["book"]?.doubtful == page.cellCount)
        #expect(report.tables["book"]?.lost == 0)
        #expect(sample.rows.altered(in: rows).count == 1)
        #expect(report.total.kept == sample.rows.count - page.cellCount)
        // It is known that one of them is not as it was, but not which.
        #expect(report.score < 1)
    }

    @Test(arguments: ["book", "author"])
    func `without the head of a page its rows are found by what they look like`(
        table: String
    ) throws {
        let pages = try leaves(of: table)
        for page in pages.prefix(2) {
            let head = 8 + 2 * page.cellCount
            try overwrite(page, at: 0, with: [UInt8](repeating: 0xEE, count: head))
        }
        let (report, rows) = try sample.salvage()
        #expect(sample.rows.countSame(in: rows) == sample.rows.count)
        #expect(
            report.tables[table]?.doubtful == pages[0].cellCount + pages[1].cellCount)
    }

    @Test func `rows of a table that is an index itself are found, too`() throws {
        let page = try leaves(of: "book_tags", isTable: false)[1]
        try overwrite(page, at: 0, with: [UInt8](repeating: 0xEE, count: 8))
        let (report, rows) = try sample.salvage()
        #expect(sample.rows.countSame(in: rows) == sample.rows.count)
        #expect(report.tables["book_tags"]?.doubtful == page.cellCount)
    }

    @Test func `an entry of the array of cells that is damaged costs no row`() throws {
        let page = try leaves(of: "book")[20]
        try overwrite(page, at: 8 + 2 * 4, with: [0, 1])
        let (report, rows) = try sample.salvage()
        #expect(sample.rows.countSame(in: rows) == sample.rows.count)
        #expect(report.tables["book"]?.doubtful == page.cellCount)
    }

    @Test func `deleted rows before the others do not come back with a damaged entry`() throws {
        // Pages that have room, for rows were deleted.
        let pages = try leaves(of: "book").filter { (2...8).contains($0.cellCount) }
        #expect(pages.count > 2)
        for page in pages { try overwrite(page, at: 8 + 2, with: [0, 1]) }
        let (report, rows) = try sample.salvage()
        #expect(sample.rows.altered(in: rows) == [])
        #expect(report.tables["book"]?.doubtful == pages.reduce(0) { $0 + $1.cellCount })
    }

    @Test func `a row that has got the number of a row of another page does not come back`() throws
    {
        let page = try leaves(of: "book")[20]
        let cell = try #require(page.cell(3))
        let number = try #require(page.page.bytes.varint(at: cell)).end
        #expect(page.page.bytes[number] & 0x80 != 0)
        // A number of the first page; and one of a book that was deleted.
        for other: [UInt8] in [[0x80, 5], [0x87, 0x47]] {
            try overwrite(page, at: number, with: other)
            let (report, rows) = try sample.salvage()
            #expect(sample.rows.altered(in: rows) == [])
            #expect(report.tables["book"]?.doubtful == page.cellCount - 1)
            #expect(report.tables["book"]?.lost == 1)
        }
    }

    @Test func `a row whose head does not agree with its length does not come back`() throws {
        let page = try leaves(of: "book")[20]
        let cell = try #require(page.cell(3))
        let length = try #require(page.page.bytes.varint(at: cell))
        // A byte shorter: SQLite would take it.
        try overwrite(page, at: length.end - 1, with: [page.page.bytes[length.end - 1] ^ 1])
        let (report, rows) = try sample.salvage()
        #expect(sample.rows.altered(in: rows) == [])
        #expect(report.tables["book"]?.lost == 1)
    }

    @Test func `a text that is none any more does not come back`() throws {
        let page = try leaves(of: "author")[2]
        try overwrite(page, at: try place(of: "author", on: page), with: [0xFF])
        let (report, rows) = try sample.salvage()
        #expect(sample.rows.altered(in: rows) == [])
        #expect(report.tables["author"]?.lost == 1)
    }

    @Test func `a doubtful row never takes the unique value of a proven one`() throws {
        let page = try leaves(of: "author")[0]
        // The name of an author on another page.
        let bytes = page.page.bytes
        let start = try #require(
            bytes.indices.first { bytes[$0...].starts(with: "author 1201".utf8) })
        try overwrite(page, at: start, with: Array("author 2501".utf8))
        let (report, rows) = try sample.salvage()
        #expect(sample.rows.altered(in: rows) == [])
        #expect(sample.rows.countSame(in: rows) == sample.rows.count - 1)
        #expect(report.tables["author"]?.lost == 1)
    }

    @Test func `what is in front of the rows of a page is not taken for a row`() throws {
        let image = try #require(try DatabaseImage(reading: sample.store.path, readsLog: false))
        let map = PageMap(of: image)
        let owners = PageOwners(
            of: map, roots: [(page: try sample.root(of: "author"), isTable: true)])
        // The last page has room, and allows every higher number.
        let page = try #require(try leaves(of: "author").last)
        let last = try #require(page.cell(page.cellCount - 1))
        let length = try #require(page.page.bytes.varint(at: last))
        let number = try #require(page.page.bytes.varint(at: length.end))
        let end = number.end + Int(length.value)
        var ghost = Array(page.page.bytes[last..<end])
        ghost.replaceSubrange(length.end - last..<number.end - last, with: [0x87, 0x7F])
        let name = try #require(ghost.indices.first { ghost[$0...].starts(with: "author".utf8) })
        ghost.replaceSubrange(name..<name + 6, with: Array("ghosts".utf8))
        #expect(owners.rowIDs(of: page.page.number).contains(1_023))
        let room = 8 + 2 * page.cellCount + 8
        #expect(room + ghost.count < (page.contentStart ?? 0))
        // With an entry that is damaged, so that rows are looked for.
        try overwrite(page, at: room, with: ghost)
        try overwrite(page, at: 8 + 2, with: [0, 1])
        let (report, rows) = try sample.salvage()
        #expect(sample.rows.altered(in: rows) == [])
        #expect(report.tables["author"]?.doubtful == page.cellCount)
    }

    @Test func `a row with a damaged overflow page does not come back`() throws {
        let image = try #require(try DatabaseImage(reading: sample.store.path, readsLog: false))
        let map = PageMap(of: image)
        let overflow = try #require(
            map.pages.first { map.entries[$0].mapped.use == .firstOverflow })
        try sample.damage(pages: [overflow], seed: 1)
        let (report, rows) = try sample.salvage()
        #expect(sample.rows.altered(in: rows) == [])
        #expect(sample.rows.countSame(in: rows) == sample.rows.count - 1)
        #expect(report.total.lost == 1)
        #expect(report.total.doubtful == 0)
    }
}
