// SPDX-License-Identifier: MIT

import CacheStoreSQLite

extension SalvageRun {
    /// Copies the rows of a table, the proven ones first, and counts.
    func copyTable(_ index: Int, to target: SalvageTarget) throws {
        guard let layout = layouts[index] else { return }
        let tree = owners.trees[index]
        let object = schema.objects[index]
        let pages = tree.pages.filter { layout.isWithoutRowID || isLeaf($0) }.sorted { one, other in
            let (first, second) = (map.entries[one].firstRowID, map.entries[other].firstRowID)
            return first == second ? one < other : first < second
        }
        // Without a definition from the file itself nothing says which column is which.
        let writer = RowWriter(layout, on: target.connection, TextEncoding(of: image.header))
        let rows = try copy(pages, by: writer, canBeProven: object.source != .expected)
        if isCounted(index) { report.tables[object.object.name] = rows }
    }

    /// Of SQLite's own tables, and of this library's own, nobody counts rows.
    func isCounted(_ index: Int) -> Bool {
        let object = schema.objects[index].object
        return !object.isInternal && !object.name.hasPrefix("cachestore_")
    }

    private func copy(
        _ pages: [Int], by writer: RowWriter, canBeProven: Bool
    ) throws -> SalvageReport.Rows {
        var rows = SalvageReport.Rows()
        var doubtful: [(page: Int, cells: [Int])] = []
        for page in pages {
            guard let tree = map.tree(page) else { continue }
            guard canBeProven, tree.page.isProven, owners.isCertain(page) || map.knowsFreePages
            else {
                doubtful.append((page, Array(0..<tree.cellCount)))
                continue
            }
            var left: [Int] = []
            for index in 0..<tree.cellCount {
                guard let cell = cells.read(index, of: tree) else {
                    rows.lost += 1
                    continue
                }
                if cell.isProven {
                    switch try writer.write(cell, replacesRivals: true) {
                    case .written: rows.kept += 1
                    // Two versions of one row: the page of one is a remain.
                    case .replaced(isSameRow: true): break
                    case .replaced, .refused, .hasRival: rows.lost += 1
                    }
                } else {
                    cells.release(cell)
                    left.append(index)
                }
            }
            if !left.isEmpty { doubtful.append((page, left)) }
        }
        try copyDoubtful(doubtful, by: writer, &rows)
        return rows
    }

    private func copyDoubtful(
        _ pages: [(page: Int, cells: [Int])], by writer: RowWriter, _ rows: inout SalvageReport.Rows
    ) throws {
        // Among doubtful rows the later one wins, but never over a proven one.
        let replaces = rows.kept == 0
        for (page, indexes) in pages {
            guard let tree = map.tree(page) else { continue }
            for index in indexes {
                guard let cell = cells.read(index, of: tree) else {
                    rows.lost += 1
                    continue
                }
                switch try writer.write(cell, replacesRivals: replaces) {
                case .written: rows.doubtful += 1
                case .replaced(isSameRow: true), .hasRival(isSameRow: true): break
                case .replaced, .hasRival, .refused: rows.lost += 1
                }
            }
        }
    }

    // MARK: Estimates

    func meanCells(of pages: [Int], _ kind: TreePage.Kind) -> Double {
        let counts = pages.filter { map.entries[$0].kind == kind }.map { map.entries[$0].cellCount }
        return counts.isEmpty ? 0 : Double(counts.reduce(0, +)) / Double(counts.count)
    }

    /// Damaged pages that nothing leads to: as many of them as of all pages were leaves of tables.
    func countStrayDamage() {
        owners.removeStrayDamage { cells.isPartOfRow($0) }
        guard !owners.strayDamage.isEmpty else { return }
        let used = map.pages.filter { map.entries[$0].isReadable && !map.entries[$0].isFree }
        let leaves = used.filter { map.entries[$0].kind == .tableLeaf }
        guard !used.isEmpty else { return }
        let share = Double(leaves.count) / Double(used.count)
        let rows = Double(owners.strayDamage.count) * share * meanCells(of: leaves, .tableLeaf)
        report.unassignedRows += Int(rows.rounded())
    }

    // MARK: What belongs to no known table

    func copyUnknownRows(to target: SalvageTarget) throws {
        var number = 0
        for top in owners.orphans.keys.sorted() {
            let pages = (owners.orphans[top] ?? []).filter {
                map.entries[$0].kind == .tableLeaf && map.entries[$0].cellCount > 0
            }
            let columns = pages.map { columnCount(of: $0) }.max() ?? 0
            guard columns > 0, columns <= 1_000, number < 1_000 else { continue }
            var name = ""
            repeat {
                number += 1
                name = "salvaged_\(number)"
            } while try target.has(name)
            let list = (0..<columns).map { "c\($0)" }.joined(separator: ", ")
            try target.connection.execute(sql: "CREATE TABLE \(name) (\(list))")
            let writer = RowWriter(
                try TableLayout(of: name, in: target.connection), on: target.connection,
                TextEncoding(of: image.header))
            report.tables[name] = try copy(pages.sorted(), by: writer, canBeProven: false)
            _ = owners.takeOrphans(below: top)
        }
    }

    /// Rows of pages that could be of several tables.
    func countUnknownRows() {
        for page in owners.orphans.values.joined() where map.entries[page].kind == .tableLeaf {
            report.unassignedRows += map.entries[page].cellCount
        }
    }

    private func columnCount(of page: Int) -> Int {
        guard let tree = map.tree(page) else { return 0 }
        return (0..<tree.cellCount).reduce(0) { most, index in
            guard let cell = cells.read(index, of: tree) else { return most }
            cells.release(cell)
            return max(most, cell.record.fields.count)
        }
    }

    // MARK: Indexes

    func entries(ofIndex name: String) -> [[SQLBinding]] {
        guard let index = schema.objects.firstIndex(where: { $0.object.name == name }) else {
            return []
        }
        let encoding = TextEncoding(of: image.header)
        var entries: [[SQLBinding]] = []
        for page in owners.trees[index].pages {
            forEachRow(of: page, map, cells) { cell in
                guard cell.isProven else { return }
                entries.append(
                    cell.record.fields.indices.map { field in
                        if let value = cell.record.integer(field) { return .integer(value) }
                        return cell.record.text(field, encoding).map { .text($0) } ?? .null
                    })
            }
        }
        return entries
    }
}
