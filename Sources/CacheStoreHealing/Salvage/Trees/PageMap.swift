// SPDX-License-Identifier: MIT

/// What each page of a database is, by its own first bytes, and what other pages say of it.
struct PageMap {
    /// One page.
    struct Entry {
        /// `nil` for what is not part of a tree: an overflow page, a free one, anything.
        var kind: TreePage.Kind?
        var isReadable = false
        var isProven = false
        var isFree = false
        var cellCount = 0
        /// The first row number, of a leaf of a table.
        var firstRowID: Int64 = 0
        var mapped = PointerMap.Entry()
    }

    let image: DatabaseImage
    /// By page number; the first is not used.
    var entries: [Entry]
    /// The pages below the interior pages.
    private(set) var children: [Int: [Int]] = [:]
    /// Whether it is known of every page whether it is free.
    var knowsFreePages = false

    init(of image: DatabaseImage) {
        self.image = image
        entries = [Entry](repeating: Entry(), count: image.pageCount + 1)
        guard image.pageCount > 0 else { return }
        let pointerMap = PointerMap(of: image)
        for number in 1...image.pageCount where number != image.geometry.lockPage {
            guard let page = image.page(number) else { continue }
            entries[number].isReadable = true
            entries[number].isProven = page.isProven
            if pointerMap?.isMap(number) == true { continue }
            guard let tree = TreePage(page, usableSize: image.geometry.usableSize) else { continue }
            entries[number].kind = tree.kind
            entries[number].cellCount = tree.cellCount
            entries[number].firstRowID = tree.rowID(0) ?? 0
            if !tree.kind.isLeaf { children[number] = tree.children }
        }
        pointerMap?.read(into: &self)
        findFreePages(hasPointerMap: pointerMap != nil)
    }

    var pages: Range<Int> { 1..<entries.count }

    func tree(_ number: Int) -> TreePage? {
        image.page(number).flatMap { TreePage($0, usableSize: image.geometry.usableSize) }
    }

    func isPage(_ number: Int) -> Bool { number >= 1 && number < entries.count }
}
