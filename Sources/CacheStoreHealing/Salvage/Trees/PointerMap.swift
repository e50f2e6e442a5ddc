// SPDX-License-Identifier: MIT

/// The pages that say what all the others are for, in databases that can give pages back
/// (https://sqlite.org/fileformat2.html#pointer_map_or_ptrmap_pages). Stores of this library can.
struct PointerMap {
    struct Entry {
        enum Use: UInt8 {
            case root = 1
            case free = 2
            case firstOverflow = 3
            case overflow = 4
            case tree = 5
        }

        /// `nil` where the map has no page that says so, or a damaged one.
        var use: Use?
        /// The page above, for pages of a tree that are not its root.
        var parent = 0
    }

    private let image: DatabaseImage

    /// `nil` where the database has no such pages.
    init?(of image: DatabaseImage) {
        self.image = image
        if let header = image.header {
            guard header.hasPointerMap else { return nil }
            return
        }
        // Without a header the second page tells: hardly anything else looks like a map.
        guard image.pageCount >= 6, let page = image.page(2) else { return nil }
        let last = min(image.pageCount, 2 + entriesPerPage)
        guard (3...last).allSatisfy({ entry(of: $0, in: page.bytes) != nil }) else { return nil }
    }

    private var entriesPerPage: Int { image.geometry.usableSize / 5 }

    /// The page of the map that has the entry of a page.
    private func map(of number: Int) -> Int {
        let place = (number - 2) / (entriesPerPage + 1) * (entriesPerPage + 1) + 2
        return place == image.geometry.lockPage ? place + 1 : place
    }

    func isMap(_ number: Int) -> Bool { number >= 2 && map(of: number) == number }

    private func entry(of number: Int, in map: [UInt8]) -> Entry? {
        let offset = 5 * (number - self.map(of: number) - 1)
        guard offset >= 0, offset + 5 <= image.geometry.usableSize, offset < map.count,
            let use = Entry.Use(rawValue: map[offset]),
            let parent = map.number32(at: offset + 1)
        else { return nil }
        let hasParent = use != .root && use != .free
        guard hasParent ? (1...image.pageCount).contains(Int(parent)) : parent == 0 else {
            return nil
        }
        return Entry(use: use, parent: Int(parent))
    }

    func read(into pages: inout PageMap) {
        var current: StoredPage?
        for number in pages.pages.dropFirst(2)
        where !isMap(number) && number != image.geometry.lockPage {
            let place = map(of: number)
            if current?.number != place {
                current = image.page(place) ?? StoredPage(number: place, bytes: [], isProven: false)
            }
            guard let bytes = current?.bytes, let entry = entry(of: number, in: bytes) else {
                continue
            }
            pages.entries[number].mapped = entry
        }
    }
}
