// SPDX-License-Identifier: MIT

/// A page of a b-tree (https://sqlite.org/fileformat2.html#b_tree_pages).
struct TreePage {
    enum Kind: UInt8, Sendable {
        case indexInterior = 2
        case tableInterior = 5
        case indexLeaf = 10
        case tableLeaf = 13

        var isLeaf: Bool { self == .indexLeaf || self == .tableLeaf }
        var isTable: Bool { self == .tableLeaf || self == .tableInterior }
    }

    let page: StoredPage
    let kind: Kind
    let cellCount: Int
    private let usableSize: Int
    private let start: Int

    /// `nil` where the page does not begin as one of a tree does.
    init?(_ page: StoredPage, usableSize: Int) {
        start = page.number == 1 ? 100 : 0
        let bytes = page.bytes
        guard bytes.count >= start + 12, usableSize <= bytes.count,
            let kind = Kind(rawValue: bytes[start]),
            let cellCount = bytes.number16(at: start + 3)
        else { return nil }
        self.page = page
        self.kind = kind
        self.cellCount = cellCount
        self.usableSize = usableSize
        guard pointerEnd <= usableSize else { return nil }
    }

    private var headerSize: Int { kind.isLeaf ? 8 : 12 }
    private var pointerEnd: Int { start + headerSize + 2 * cellCount }

    /// Where a cell begins; `nil` for a place where no cell can be.
    func cell(_ index: Int) -> Int? {
        guard index >= 0, index < cellCount,
            let offset = page.bytes.number16(at: start + headerSize + 2 * index),
            offset >= pointerEnd, offset <= usableSize - 4
        else { return nil }
        return offset
    }

    /// The pages below, in the order of their keys; none for a leaf.
    var children: [Int] {
        guard !kind.isLeaf else { return [] }
        var children = (0..<cellCount).compactMap { index in
            cell(index).flatMap { page.bytes.number32(at: $0) }.map { Int($0) }
        }
        if let last = page.bytes.number32(at: start + 8) { children.append(Int(last)) }
        return children
    }

    /// The row number of a cell of a table's leaf, and where its payload's length is.
    func rowID(_ index: Int) -> Int64? {
        guard kind == .tableLeaf, let offset = cell(index),
            let length = page.bytes.varint(at: offset)
        else { return nil }
        return page.bytes.varint(at: length.end)?.value
    }

    /// The row number up to which the page below a cell has rows.
    func key(_ index: Int) -> Int64? {
        guard kind == .tableInterior, let offset = cell(index) else { return nil }
        return page.bytes.varint(at: offset + 4)?.value
    }

    /// Where the part begins that has cells; `nil` where the head of the page does not fit together.
    var contentStart: Int? {
        guard var content = page.bytes.number16(at: start + 5), page.bytes[start + 7] <= 60 else {
            return nil
        }
        if content == 0 { content = 65_536 }
        return content >= pointerEnd && content <= usableSize ? content : nil
    }

    /// Whether everything in the head of the page fits together, as chance would not have it.
    var isTidy: Bool {
        guard let content = contentStart else { return false }
        return (0..<cellCount).allSatisfy { index in cell(index).map { $0 >= content } ?? false }
    }
}
