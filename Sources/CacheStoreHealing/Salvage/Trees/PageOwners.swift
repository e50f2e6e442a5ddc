// SPDX-License-Identifier: MIT

/// Which tree each page belongs to.
///
/// 1. From each root down, as far as the pages can be read. What is reached this way is certain.
/// 2. From each page that was not reached up, by what other such pages and the pointer map say, to a
///    page whose tree is known: its parent is damaged, or the root is.
/// 3. What is left are parts of trees whose roots are not known: ``orphans``, by their top pages.
struct PageOwners {
    /// One tree.
    struct Tree {
        let root: Int
        let isTable: Bool
        /// The pages that can be read.
        fileprivate(set) var pages: [Int] = []
        /// The damaged pages.
        fileprivate(set) var damaged: [Int] = []
        /// Whether pages may be missing that nothing leads to any more.
        fileprivate(set) var isBroken = false
        /// Whether the page at the root is one of such a tree, or damaged.
        fileprivate(set) var hasRoot = false
    }

    let map: PageMap
    private(set) var trees: [Tree]
    /// The top page of each part of a tree without a known root, with all its pages.
    private(set) var orphans: [Int: [Int]] = [:]
    /// Damaged pages that nobody knows.
    private(set) var strayDamage: [Int] = []
    private var owners: [Int32]
    private var reached: [Bool]
    private var parents: [Int: Int] = [:]
    private var interiorByMap: Set<Int> = []

    /// - Parameter roots: the root page of each tree, 0 for none, and whether it is of a table.
    init(of map: PageMap, roots: [(page: Int, isTable: Bool)]) {
        self.map = map
        owners = [Int32](repeating: -1, count: map.entries.count)
        reached = [Bool](repeating: false, count: map.entries.count)
        trees = roots.map { Tree(root: $0.page, isTable: $0.isTable) }
        for tree in trees.indices { descend(tree) }
        findParents()
        for page in map.pages where owners[page] < 0 { climb(from: page) }
    }

    func owner(of page: Int) -> Int? {
        map.isPage(page) && owners[page] >= 0 ? Int(owners[page]) : nil
    }

    /// Whether a page belongs to its tree beyond doubt: it is no remain of a former version.
    func isCertain(_ page: Int) -> Bool {
        guard map.isPage(page) else { return false }
        return reached[page] || map.entries[page].mapped.use == .tree
            || map.entries[page].mapped.use == .root
    }

    // MARK: Down

    private func fits(_ page: Int, _ tree: Int) -> Bool {
        map.entries[page].kind.map { $0.isTable == trees[tree].isTable } ?? false
    }

    private mutating func descend(_ tree: Int) {
        let root = trees[tree].root
        guard map.isPage(root), owners[root] < 0 else { return }
        guard !map.entries[root].isReadable || fits(root, tree) else { return }
        trees[tree].hasRoot = true
        var open = [root]
        while let page = open.popLast() {
            guard owners[page] < 0 else { continue }
            owners[page] = Int32(tree)
            reached[page] = true
            guard map.entries[page].isReadable, fits(page, tree) else {
                trees[tree].damaged.append(page)
                continue
            }
            trees[tree].pages.append(page)
            let below = map.children[page] ?? []
            if below.contains(where: { !map.isPage($0) }) { trees[tree].isBroken = true }
            open += below.filter { map.isPage($0) && owners[$0] < 0 }
            for child in below where map.isPage(child) { parents[child] = page }
        }
    }

    // MARK: Up

    private mutating func findParents() {
        for (page, below) in map.children where owners[page] < 0 && !map.entries[page].isFree {
            for child in below where map.isPage(child) && owners[child] < 0 {
                if parents[child] == nil { parents[child] = page }
            }
        }
        for page in map.pages where map.entries[page].mapped.use == .tree {
            let parent = map.entries[page].mapped.parent
            if owners[page] < 0, parents[page] == nil { parents[page] = parent }
            if !map.entries[parent].isReadable { interiorByMap.insert(parent) }
        }
        for tree in trees.indices where trees[tree].damaged.contains(where: isInterior) {
            trees[tree].isBroken = true
        }
    }

    private mutating func climb(from start: Int) {
        let entry = map.entries[start]
        if entry.isFree || start == map.image.geometry.lockPage { return }
        if entry.isReadable ? entry.kind == nil : isNoTreePage(start) { return }
        var top = start
        // No tree is deeper than 20 (https://sqlite.org/fileformat2.html#b_tree_pages).
        for _ in 0..<24 {
            if let owner = owner(of: top), top != start {
                let fitting = !entry.isReadable || fits(start, owner)
                if fitting { take(start, owner) }
                return
            }
            guard let parent = parents[top], parent != top else { break }
            top = parent
        }
        if entry.isReadable {
            orphans[top, default: []].append(start)
        } else {
            strayDamage.append(start)
        }
    }

    private func isNoTreePage(_ page: Int) -> Bool {
        switch map.entries[page].mapped.use {
        case .free, .firstOverflow, .overflow: true
        default: false
        }
    }

    private mutating func take(_ page: Int, _ tree: Int) {
        owners[page] = Int32(tree)
        if map.entries[page].isReadable {
            trees[tree].pages.append(page)
        } else {
            trees[tree].damaged.append(page)
        }
    }

    /// Gives the pages below a top page to a tree.
    mutating func adopt(orphansBelow top: Int, by tree: Int) {
        for page in orphans.removeValue(forKey: top) ?? [] where fits(page, tree) {
            take(page, tree)
        }
    }

    /// Takes the pages below a top page away, for they are known otherwise.
    mutating func takeOrphans(below top: Int) -> [Int] {
        orphans.removeValue(forKey: top) ?? []
    }

    /// Damaged pages below a top page that was adopted, and those that turned out to be something
    /// else, are not stray any more.
    mutating func removeStrayDamage(where isKnown: (Int) -> Bool) {
        strayDamage.removeAll(where: isKnown)
    }

    // MARK: Damaged pages

    /// The row numbers that a page of a table may have, as far as the page above tells.
    func rowIDs(of page: Int) -> ClosedRange<Int64> {
        let all = Int64.min...Int64.max
        guard let parent = parents[page], map.isPage(parent), let tree = map.tree(parent),
            let index = tree.children.firstIndex(of: page)
        else { return all }
        let below = index == 0 ? .min : tree.key(index - 1) ?? .min
        let last = tree.key(index) ?? .max
        // Each page has the numbers above those of the page before it.
        let first = below == .min || below == .max ? below : below + 1
        return first <= last ? first...last : all
    }

    /// Whether a damaged page of a tree had pages below it, as far as anything tells.
    func isInterior(_ page: Int) -> Bool {
        if interiorByMap.contains(page) { return true }
        if map.entries[page].mapped.use != nil { return false }
        guard let parent = parents[page] else { return false }
        let kinds = (map.children[parent] ?? []).compactMap { sibling in
            map.isPage(sibling) ? map.entries[sibling].kind : nil
        }
        return kinds.contains { !$0.isLeaf } && !kinds.contains { $0.isLeaf }
    }
}
