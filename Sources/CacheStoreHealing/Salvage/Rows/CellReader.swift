// SPDX-License-Identifier: MIT

/// Reads rows, with the pages that hold the rest of long ones
/// (https://sqlite.org/fileformat2.html#b_tree_pages).
///
/// A page holds the rest of one row only. Without that rule a file could make a row of a million
/// bytes out of each of its cells.
final class CellReader {
    struct Cell {
        /// `nil` in trees of indexes.
        let rowID: Int64?
        let record: Record
        let isProven: Bool
        /// The bytes of its page that it has.
        let place: Range<Int>
        fileprivate let overflow: [Int]
    }

    /// Where a cell has what.
    private struct Parts {
        let rowID: Int64?
        /// The length of the row, wherever it is.
        let length: Int
        /// The part of it that is on the page.
        let local: Range<Int>
    }

    private let map: PageMap
    private var used: [Bool]
    private let usableSize: Int

    init(of map: PageMap) {
        self.map = map
        used = [Bool](repeating: false, count: map.entries.count)
        usableSize = map.image.geometry.usableSize
    }

    /// Reads a cell that holds a row; `nil` where a part of it is damaged.
    func read(_ index: Int, of page: TreePage) -> Cell? {
        guard let start = page.cell(index),
            let parts = parts(at: start, of: page.page, page.kind)
        else { return nil }
        return read(parts, from: start, of: page.page)
    }

    /// Reads what may be a cell, on a page that is damaged; `nil` where its head does not agree with
    /// itself in everything, or where a test on the row fails.
    func read(
        at start: Int, of remains: PageRemains, where isFitting: (Cell) -> Bool
    ) -> Cell? {
        guard let parts = parts(at: start, of: remains.page, remains.kind),
            Record.fills(parts.length, at: parts.local, of: remains.page.bytes),
            let cell = read(parts, from: start, of: remains.page)
        else { return nil }
        if isFitting(cell) { return cell }
        release(cell)
        return nil
    }

    private func parts(at start: Int, of page: StoredPage, _ kind: TreePage.Kind) -> Parts? {
        guard kind != .tableInterior else { return nil }
        let bytes = page.bytes
        let lengthAt = kind == .indexInterior ? start + 4 : start
        guard let length = bytes.varint(at: lengthAt), length.value > 0,
            length.value <= Int64(map.image.pageCount) * Int64(usableSize)
        else { return nil }
        var next = length.end
        var rowID: Int64?
        if kind == .tableLeaf {
            guard let key = bytes.varint(at: next) else { return nil }
            rowID = key.value
            next = key.end
        }
        let total = Int(length.value)
        let local = localLength(of: total, isTable: kind == .tableLeaf)
        guard next + local <= usableSize else { return nil }
        return Parts(rowID: rowID, length: total, local: next..<next + local)
    }

    private func read(_ parts: Parts, from start: Int, of page: StoredPage) -> Cell? {
        var payload = Array(page.bytes[parts.local])
        var isProven = page.isProven
        var overflow: [Int] = []
        var end = parts.local.upperBound
        if payload.count < parts.length {
            guard let first = page.bytes.number32(at: end),
                append(
                    parts.length - payload.count, from: Int(first), to: &payload, &overflow,
                    &isProven)
            else { return nil }
            end += 4
        }
        guard let record = Record(payload) else { return nil }
        return Cell(
            rowID: parts.rowID, record: record, isProven: isProven, place: start..<end,
            overflow: overflow)
    }

    /// Lets a row be read again.
    func release(_ cell: Cell) {
        for page in cell.overflow { used[page] = false }
    }

    func isPartOfRow(_ page: Int) -> Bool { map.isPage(page) && used[page] }

    private func localLength(of total: Int, isTable: Bool) -> Int {
        let maximum = isTable ? usableSize - 35 : (usableSize - 12) * 64 / 255 - 23
        if total <= maximum { return total }
        let minimum = (usableSize - 12) * 32 / 255 - 23
        let surplus = minimum + (total - minimum) % (usableSize - 4)
        return surplus <= maximum ? surplus : minimum
    }

    private func append(
        _ count: Int, from first: Int, to payload: inout [UInt8], _ overflow: inout [Int],
        _ isProven: inout Bool
    ) -> Bool {
        var missing = count
        var number = first
        while missing > 0 {
            guard map.isPage(number), !used[number], !map.entries[number].isFree else {
                return false
            }
            // Also where it is damaged: it is not missing from anywhere else then.
            used[number] = true
            guard let page = map.image.page(number), let next = page.bytes.number32(at: 0) else {
                return false
            }
            let part = min(missing, usableSize - 4)
            payload += page.bytes[4..<4 + part]
            overflow.append(number)
            isProven = isProven && page.isProven
            missing -= part
            number = Int(next)
        }
        return true
    }
}
