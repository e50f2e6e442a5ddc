// SPDX-License-Identifier: MIT

import CacheStoreSQLite

/// One salvage of one database.
final class SalvageRun {
    let options: DatabaseSalvage
    let image: DatabaseImage
    let map: PageMap
    let schema: SalvagedSchema
    let cells: CellReader
    var owners: PageOwners
    var report = SalvageReport()
    /// By the index of the object, which is that of its tree.
    var layouts: [Int: TableLayout] = [:]

    init(_ options: DatabaseSalvage, _ image: DatabaseImage) throws {
        self.options = options
        self.image = image
        map = PageMap(of: image)
        schema = SalvagedSchema(in: map, expected: options.expectedSchema)
        cells = CellReader(of: map)
        owners = PageOwners(of: map, roots: [])
        report.pageCount = image.pageCount
        report.schemaWasComplete = schema.isComplete
        report.damagedPages = map.pages.count { page in
            !map.entries[page].isReadable && page != image.geometry.lockPage
        }
    }

    /// Whether there is anything to be taken over.
    var hasContent: Bool {
        schema.objects.contains { $0.object.isTable }
            || options.keepsUnknownRows && map.pages.contains { isUnknownLeaf($0) }
    }

    private func isUnknownLeaf(_ page: Int) -> Bool {
        let entry = map.entries[page]
        return entry.kind == .tableLeaf && entry.cellCount > 0 && !entry.isFree && page != 1
    }

    func write(to path: String) throws -> SalvageReport {
        let target = try SalvageTarget(at: path, like: image, isStore: options.makesStore)
        let connection = target.connection
        try connection.transaction(.immediate) {
            try defineTables(in: target)
            findPages()
            for index in schema.objects.indices where layouts[index] != nil {
                try copyTable(index, to: target)
            }
            // After all that is better: no row may take a page away that another one has.
            for index in schema.objects.indices where layouts[index] != nil {
                try copyRemains(of: index, to: target)
            }
            if try target.has("sqlite_sequence") { try tidySequences(in: connection) }
            if options.keepsUnknownRows { try copyUnknownRows(to: target) }
            countUnknownRows()
            countStrayDamage()
            try defineTheRest(in: target)
        }
        for name in options.indexesToRead { report.indexEntries[name] = entries(ofIndex: name) }
        layouts = [:]
        connection.clearStatementCache()
        try target.finish()
        return report
    }

    // MARK: Definitions

    private func isVirtual(_ object: SchemaObject) -> Bool {
        object.isTable && object.root == 0
            && object.sql?.prefix(64).uppercased().contains("VIRTUAL") == true
    }

    private func isUnique(_ object: SchemaObject) -> Bool {
        object.type == "index" && object.sql?.prefix(32).uppercased().contains("UNIQUE") == true
    }

    private func defineTables(in target: SalvageTarget) throws {
        for (index, object) in schema.objects.map(\.object).enumerated()
        where object.isTable && !object.isInternal && !isVirtual(object) {
            if try target.define(object), try target.has(object.name) {
                layouts[index] = try TableLayout(of: object.name, in: target.connection)
            } else {
                report.notes.append("The table \(object.name) could not be made.")
            }
        }
        // SQLite has made it where a table needs it. Other tables of its own it makes by itself.
        if let index = schema.objects.firstIndex(where: { $0.object.name == "sqlite_sequence" }),
            try target.has("sqlite_sequence")
        {
            layouts[index] = try TableLayout(of: "sqlite_sequence", in: target.connection)
        }
        // The rows have to be unique as they are written; other indexes are faster made after.
        for object in schema.objects.map(\.object) where isUnique(object) {
            try define(object, in: target)
        }
    }

    private func defineTheRest(in target: SalvageTarget) throws {
        let rest = schema.objects.map(\.object).filter { object in
            !object.isTable && object.sql != nil && !isUnique(object)
        }
        for type in ["index", "view", "trigger"] {
            for object in rest where object.type == type { try define(object, in: target) }
        }
        for object in schema.objects.map(\.object) where isVirtual(object) {
            report.notes.append(
                "The virtual table \(object.name) was left out; what it keeps its rows in is there."
            )
        }
    }

    private func define(_ object: SchemaObject, in target: SalvageTarget) throws {
        if try !target.define(object) {
            report.notes.append("The \(object.type) \(object.name) could not be made.")
        }
    }

    /// SQLite has counted while rows were written, under other row numbers than the old database.
    private func tidySequences(in connection: Connection) throws {
        try connection.execute(
            sql:
                """
                DELETE FROM sqlite_sequence AS s WHERE EXISTS
                    (SELECT 1 FROM sqlite_sequence AS o WHERE o.name = s.name
                        AND (o.seq > s.seq OR o.seq = s.seq AND o.rowid > s.rowid))
                """)
    }

    // MARK: Pages

    private func findPages() {
        let roots = schema.objects.indices.map { index -> (page: Int, isTable: Bool) in
            let found = schema.objects[index]
            let isTable = found.object.isTable && layouts[index]?.isWithoutRowID != true
            // A place that is only believed to be right has to look right.
            guard found.source == .stored || rootLooksRight(index) else { return (0, isTable) }
            return (found.object.root, isTable)
        }
        // The last tree is that of the schema.
        owners = PageOwners(of: map, roots: roots + [(page: 1, isTable: true)])
        for top in owners.orphans.keys.sorted() {
            if SalvagedSchema.isSchema(below: top, owners) {
                owners.adopt(orphansBelow: top, by: roots.count)
            } else if let tree = tree(forOrphansBelow: top) {
                owners.adopt(orphansBelow: top, by: tree)
            }
        }
    }

    private func rootLooksRight(_ index: Int) -> Bool {
        let root = schema.objects[index].object.root
        guard map.isPage(root), !map.entries[root].isFree else { return false }
        guard map.entries[root].isReadable else { return true }
        guard let kind = map.entries[root].kind else { return false }
        guard let layout = layouts[index] else { return true }
        guard kind.isTable != layout.isWithoutRowID else { return false }
        // Down the first pages to a leaf.
        var page = root
        for _ in 0..<24 {
            guard map.isPage(page), let kind = map.entries[page].kind else { return true }
            if kind.isLeaf { break }
            page = map.children[page]?.first ?? 0
        }
        return samples(of: [page]).allSatisfy { layout.allows($0, exactly: false) }
    }

    /// The first rows of some pages.
    private func samples(of pages: [Int]) -> [Record] {
        pages.flatMap { page -> [Record] in
            guard let tree = map.tree(page), tree.kind != .tableInterior else { return [] }
            return (0..<min(8, tree.cellCount)).compactMap { index in
                guard let row = cells.read(index, of: tree) else { return nil }
                cells.release(row)
                return row.record
            }
        }
    }

    /// The only table that misses pages and whose rows look like those of the pages.
    private func tree(forOrphansBelow top: Int) -> Int? {
        let pages = Array((owners.orphans[top] ?? []).filter { isLeaf($0) }.prefix(4))
        guard let first = pages.first, let kind = map.entries[first].kind else { return nil }
        let missing = schema.objects.indices.filter { index in
            let tree = owners.trees[index]
            return tree.isTable == kind.isTable
                && (!tree.hasRoot || tree.isBroken || tree.damaged.contains(tree.root))
        }
        // A page of an index cannot be told from one of a table that is an index itself.
        guard missing.allSatisfy({ layouts[$0] != nil }) else { return nil }
        let samples = samples(of: pages)
        for exactly in [true, false] {
            let fitting = missing.filter { index in
                guard let layout = layouts[index] else { return false }
                return samples.allSatisfy { layout.allows($0, exactly: exactly) }
            }
            if fitting.count == 1 { return fitting[0] }
            if fitting.count > 1 { return nil }
        }
        return nil
    }

    func isLeaf(_ page: Int) -> Bool { map.entries[page].kind?.isLeaf == true }
}
