// SPDX-License-Identifier: MIT

/// The first bytes of a database file, read without SQLite
/// (https://sqlite.org/fileformat2.html#the_database_header).
struct DatabaseHeader: Sendable, Hashable {
    /// The header, and the head of the first page's tree behind it.
    static let length = 108

    var pageSize: Int
    var writeVersion: UInt8
    var readVersion: UInt8
    var reservedBytes: Int
    var userVersion: Int32
    var applicationID: Int32
    /// Whether the page vouches for the checksums of all pages; its page count is not in its usual
    /// place then (Documentation/Decisions/0004-page-checksums.md).
    var isSealed: Bool
    /// Whether the schema has no entry.
    var schemaIsEmpty: Bool
    /// In pages; `nil` where SQLite would go by the size of the file.
    var pageCount: Int?
    /// The first page of the list of free pages, and how many are free.
    var firstFreePage: Int
    var freePageCount: Int
    /// Whether there are pages that say of each page what it is for.
    var hasPointerMap: Bool
    var isIncrementalVacuum: Bool
    /// 1 is UTF-8, 2 and 3 are UTF-16, the lower and the higher byte first.
    var textEncoding: Int32

    /// `nil` when the bytes are not the start of a database.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 100, Self.hasMagic(bytes) else { return nil }
        let size = Int(bytes[16]) << 8 | Int(bytes[17])
        pageSize = size == 1 ? 65_536 : size
        guard (512...65_536).contains(pageSize), pageSize.nonzeroBitCount == 1 else { return nil }
        writeVersion = bytes[18]
        readVersion = bytes[19]
        guard (1...2).contains(writeVersion), (1...2).contains(readVersion) else { return nil }
        reservedBytes = Int(bytes[20])
        firstFreePage = Int(UInt32(bitPattern: Self.number(bytes, at: 32)))
        freePageCount = Int(UInt32(bitPattern: Self.number(bytes, at: 36)))
        hasPointerMap = Self.number(bytes, at: 52) != 0
        textEncoding = Self.number(bytes, at: 56)
        isIncrementalVacuum = Self.number(bytes, at: 64) != 0
        userVersion = Self.number(bytes, at: 60)
        applicationID = Self.number(bytes, at: 68)
        isSealed = bytes[28..<32].allSatisfy { $0 == 0 } && bytes[92] & 0x80 != 0
        let pages = UInt32(bitPattern: Self.number(bytes, at: 28))
        if isSealed {
            pageCount = Int(~UInt32(bitPattern: Self.number(bytes, at: 92)))
        } else {
            pageCount = pages > 0 && bytes[24..<28] == bytes[92..<96] ? Int(pages) : nil
        }
        // A leaf page of a table without cells.
        schemaIsEmpty =
            bytes.count >= Self.length && bytes[100] == 13 && bytes[103] == 0 && bytes[104] == 0
    }

    /// Whether connections keep a log.
    var usesLog: Bool { readVersion == 2 }

    /// The first page of a database without tables that has a log.
    static var emptyFirstPage: [UInt8] {
        let size = StoreFormat.pageSize
        var page = [UInt8](repeating: 0, count: size)
        page.replaceSubrange(0..<16, with: "SQLite format 3\u{0}".utf8)
        page[16] = UInt8(size >> 8)
        page[17] = UInt8(size & 0xFF)
        page[18] = 2
        page[19] = 2
        page[20] = UInt8(StoreFormat.reservedBytes)
        page.replaceSubrange(21..<24, with: [64, 32, 32])
        // One page; the change counter, and the version that the count is valid for.
        for offset in [27, 31, 95] { page[offset] = 1 }
        // A leaf of a table without cells: they would begin at the end of what is not reserved.
        let usable = size - StoreFormat.reservedBytes
        page[100] = 13
        page[105] = UInt8(usable >> 8)
        page[106] = UInt8(usable & 0xFF)
        return page
    }

    /// Whether bytes begin as those of a database do.
    static func hasMagic(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: "SQLite format 3\u{0}".utf8)
    }

    private static func number(_ bytes: [UInt8], at offset: Int) -> Int32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int32($1) }
    }
}
