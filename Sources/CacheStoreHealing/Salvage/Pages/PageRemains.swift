// SPDX-License-Identifier: MIT

/// Where rows may be on a page of which nobody knows which of its bytes are damaged.
///
/// The array of cells says where they begin, as far as it can be read. Where the head of the page or
/// the array itself is damaged, each byte may be the beginning of a cell: rows are tried from the end
/// of the page, where SQLite begins to fill it
/// (https://sqlite.org/fileformat2.html#b_tree_pages).
struct PageRemains {
    let page: StoredPage
    /// The kind of page that rows of the tree are on.
    let kind: TreePage.Kind
    /// How many rows the page had; `nil` where its head does not say so any more.
    let cellCount: Int?
    /// The places that the array of cells has.
    let listed: [Int]
    /// The places that have to be tried as well, in the order in which to try them.
    let unlisted: ReversedCollection<Range<Int>>

    /// - Parameter isTable: whether the page belongs to a tree of row numbers.
    /// - Returns: `nil` where the page can have no rows.
    init?(_ page: StoredPage, isTable: Bool, usableSize: Int) {
        self.page = page
        let head = TreePage(page, usableSize: usableSize)
        let isFitting = head.map { $0.kind.isTable == isTable } ?? false
        if let head, head.contentStart != nil, !isFitting || head.kind == .tableInterior {
            // Of another tree, or without rows.
            return nil
        }
        let leaf = isTable ? TreePage.Kind.tableLeaf : .indexLeaf
        guard let head, isFitting, head.kind != .tableInterior else {
            kind = leaf
            cellCount = nil
            listed = []
            unlisted = (min(8, usableSize)..<usableSize).reversed()
            return
        }
        kind = head.kind
        listed = (0..<head.cellCount).compactMap { head.cell($0) }
        let start = head.contentStart
        cellCount = start == nil ? nil : head.cellCount
        // What lies before the rows are deleted ones, or none.
        unlisted = head.isTidy ? (0..<0).reversed() : ((start ?? 8)..<usableSize).reversed()
    }
}
