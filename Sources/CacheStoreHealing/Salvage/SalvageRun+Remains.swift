// SPDX-License-Identifier: MIT

import CacheStoreSQLite

/// The rows of damaged pages. Most of them are as they were, since few bytes of a page are damaged
/// most of the time, but nothing says which: each is doubtful, and none ever replaces another one.
extension SalvageRun {
    /// Copies what the damaged pages of a table still have, and counts what they had.
    func copyRemains(of index: Int, to target: SalvageTarget) throws {
        let tree = owners.trees[index]
        guard let layout = layouts[index], isCounted(index), !tree.damaged.isEmpty else { return }
        let writer = RowWriter(layout, on: target.connection, TextEncoding(of: image.header))
        var rows = report.tables[schema.objects[index].object.name] ?? SalvageReport.Rows()
        var lost = 0.0
        for page in tree.damaged {
            let hasRowsOfNone = owners.isInterior(page) || page == tree.root && !tree.pages.isEmpty
            var known: Int?
            var found = 0
            if !hasRowsOfNone || layout.isWithoutRowID, let remains = remains(of: page, layout) {
                known = remains.cellCount
                for cell in readRemains(remains, of: layout) {
                    switch try writer.write(cell, replacesRivals: false) {
                    case .written: rows.doubtful += 1
                    case .hasRival(isSameRow: true): break
                    case .replaced, .hasRival, .refused: continue
                    }
                    found += 1
                }
            }
            let expected =
                known.map { Double($0) }
                ?? meanCells(in: tree, isInterior: hasRowsOfNone, layout.isWithoutRowID)
            let missing = max(0, expected - Double(found))
            lost += missing
            if found > 0, missing < 0.5 { report.alteredRows += 1 }
        }
        rows.lost += Int(lost.rounded())
        report.tables[schema.objects[index].object.name] = rows
    }

    private func remains(of page: Int, _ layout: TableLayout) -> PageRemains? {
        guard !map.entries[page].isFree, !cells.isPartOfRow(page),
            let bytes = image.remains(of: page)
        else { return nil }
        return PageRemains(
            bytes, isTable: !layout.isWithoutRowID, usableSize: image.geometry.usableSize)
    }

    private func readRemains(
        _ remains: PageRemains, of layout: TableLayout
    ) -> [CellReader.Cell] {
        let rowIDs = owners.rowIDs(of: remains.page.number)
        let encoding = TextEncoding(of: image.header)
        var taken = [Bool](repeating: false, count: remains.page.bytes.count)
        var found: [CellReader.Cell] = []
        func read(at place: Int) {
            let cell = cells.read(at: place, of: remains) { cell in
                !taken[cell.place].contains(true)
                    && (layout.isWithoutRowID || cell.rowID.map(rowIDs.contains) == true)
                    && layout.allows(cell.record, exactly: false)
                    && cell.record.hasSoundTexts(encoding)
            }
            guard let cell else { return }
            for byte in cell.place { taken[byte] = true }
            found.append(cell)
        }
        for place in remains.listed { read(at: place) }
        for place in remains.unlisted where !taken[place] { read(at: place) }
        return found
    }

    /// How many rows a page had, going by the others of its tree.
    private func meanCells(
        in tree: PageOwners.Tree, isInterior: Bool, _ isWithoutRowID: Bool
    ) -> Double {
        if isInterior { return isWithoutRowID ? meanCells(of: tree.pages, .indexInterior) : 0 }
        let kind = isWithoutRowID ? TreePage.Kind.indexLeaf : .tableLeaf
        let mean = meanCells(of: tree.pages, kind)
        return mean > 0 ? mean : meanCells(of: Array(map.pages), kind)
    }
}
