// SPDX-License-Identifier: MIT

/// Free pages keep their former content, checksum included: rows that were deleted.
extension PageMap {
    /// Marks the pages that are free. Where the list of them is damaged, the pointer map tells, and
    /// where there is none, the pages that look like parts of the list.
    mutating func findFreePages(hasPointerMap: Bool) {
        if followFreeList() {
            knowsFreePages = true
            return
        }
        guard hasPointerMap else {
            for number in pages { markAsTrunk(number, mustBeConvincing: true) }
            return
        }
        knowsFreePages = true
        for number in pages.dropFirst(2) {
            switch entries[number].mapped.use {
            case .free: entries[number].isFree = true
            case nil where entries[number].kind != nil: knowsFreePages = false
            default: break
            }
        }
    }

    /// - Returns: whether the list was complete.
    private mutating func followFreeList() -> Bool {
        guard let header = image.header else { return false }
        var next = header.firstFreePage
        var count = 0
        var seen: Set<Int> = []
        while next != 0 {
            guard isPage(next), seen.insert(next).inserted,
                let leaves = markAsTrunk(next, mustBeConvincing: false)
            else { return false }
            count += 1 + leaves.count
            next = leaves.next
        }
        return count == header.freePageCount
    }

    /// Marks a page that lists free pages, and those it lists
    /// (https://sqlite.org/fileformat2.html#the_freelist).
    ///
    /// - Returns: how many it lists, and the next such page; `nil` where it is no such page.
    @discardableResult
    private mutating func markAsTrunk(
        _ number: Int, mustBeConvincing: Bool
    ) -> (count: Int, next: Int)? {
        guard entries[number].isReadable, !mustBeConvincing || entries[number].kind == nil,
            let bytes = image.page(number)?.bytes,
            let next = bytes.number32(at: 0).map({ Int($0) }),
            let count = bytes.number32(at: 4).map({ Int($0) }),
            count <= image.geometry.usableSize / 4 - 2, next == 0 || isPage(next)
        else { return nil }
        if mustBeConvincing && count == 0 { return nil }
        let leaves = (0..<count).compactMap { bytes.number32(at: 8 + 4 * $0).map { Int($0) } }
        guard leaves.count == count, leaves.allSatisfy({ $0 > 1 && isPage($0) && $0 != number })
        else { return nil }
        if mustBeConvincing, Set(leaves).count != count { return nil }
        entries[number].isFree = true
        for leaf in leaves { entries[leaf].isFree = true }
        return (count, next)
    }
}
