// SPDX-License-Identifier: MIT

import Foundation

/// The tables and indexes of a damaged database, from wherever they can still be learned.
struct SalvagedSchema {
    /// Where an object is known from.
    enum Source: Int, Sendable, Comparable {
        /// From what the caller expects: neither the order of its columns nor its place is certain.
        case expected
        /// From the copy that a store keeps in its own table.
        case copied
        /// From `sqlite_schema`.
        case stored

        static func < (one: Self, two: Self) -> Bool { one.rawValue < two.rawValue }
    }

    struct Object {
        let object: SchemaObject
        let source: Source
        /// Whether it was read from a page whose checksum fits.
        let isProven: Bool
    }

    private(set) var objects: [Object] = []
    /// Whether `sqlite_schema` could be read to its end.
    private(set) var isComplete = true

    init(in map: PageMap, expected: [SchemaObject]) {
        let encoding = TextEncoding(of: map.image.header)
        var owners = PageOwners(of: map, roots: [(page: 1, isTable: true)])
        isComplete = owners.trees[0].damaged.isEmpty && !owners.trees[0].isBroken
        let cells = CellReader(of: map)
        if !isComplete {
            for top in owners.orphans.keys.sorted() where Self.isSchema(below: top, owners) {
                owners.adopt(orphansBelow: top, by: 0)
            }
        }
        for page in owners.trees[0].pages.sorted() {
            forEachRow(of: page, map, cells) { cell in
                guard let object = SchemaObject(cell.record, encoding) else { return }
                add(object, .stored, isProven: cell.isProven)
            }
        }
        if !isComplete {
            for (object, isProven) in Self.copy(in: map, cells, encoding) {
                add(object, .copied, isProven: isProven)
            }
            for object in expected { add(object, .expected, isProven: false) }
        }
    }

    private mutating func add(_ object: SchemaObject, _ source: Source, isProven: Bool) {
        let name = object.name.lowercased()
        if let index = objects.firstIndex(where: { $0.object.name.lowercased() == name }) {
            // The same from a better page: others are remains of a former version.
            guard source == objects[index].source, isProven, !objects[index].isProven else {
                return
            }
            objects[index] = Object(object: object, source: source, isProven: isProven)
        } else if objects.count < 100_000 {
            objects.append(Object(object: object, source: source, isProven: isProven))
        }
    }

    /// Whether pages that nothing leads to are of `sqlite_schema`, which its rows do not hide.
    static func isSchema(below top: Int, _ owners: PageOwners) -> Bool {
        let encoding = TextEncoding(of: owners.map.image.header)
        return (owners.orphans[top] ?? []).contains { isSchema($0, owners.map, encoding) }
    }

    private static func isSchema(_ page: Int, _ map: PageMap, _ encoding: TextEncoding) -> Bool {
        guard map.entries[page].kind == .tableLeaf, let tree = map.tree(page), tree.cellCount > 0
        else { return false }
        // A reader of its own: looking claims nothing.
        let cells = CellReader(of: map)
        return (0..<tree.cellCount).allSatisfy { index in
            cells.read(index, of: tree).map { SchemaObject($0.record, encoding) != nil } ?? false
        }
    }

    /// The copy that stores of this library have: the only row of a table, so that it can be found by
    /// looking at every page with one row.
    private static func copy(
        in map: PageMap, _ cells: CellReader, _ encoding: TextEncoding
    ) -> [(SchemaObject, Bool)] {
        var best: (objects: [SchemaObject], isProven: Bool)?
        for page in map.pages
        where map.entries[page].kind == .tableLeaf && map.entries[page].cellCount == 1
            && !map.entries[page].isFree
        {
            guard let tree = map.tree(page), let cell = cells.read(0, of: tree) else { continue }
            defer { cells.release(cell) }
            guard cell.record.text(0, encoding) == StoreMeta.schemaMark,
                let text = cell.record.text(1, encoding),
                let found = try? JSONDecoder().decode([SchemaObject].self, from: Data(text.utf8)),
                best == nil || cell.isProven && best?.isProven == false
            else { continue }
            best = (found, cell.isProven)
        }
        return best.map { best in best.objects.map { ($0, best.isProven) } } ?? []
    }
}

/// Reads all rows of a page that can be read.
///
/// - Returns: how many cannot.
@discardableResult
func forEachRow(
    of page: Int, _ map: PageMap, _ cells: CellReader, _ body: (CellReader.Cell) -> Void
) -> Int {
    guard let tree = map.tree(page), tree.kind != .tableInterior else { return 0 }
    var broken = 0
    for index in 0..<tree.cellCount {
        if let cell = cells.read(index, of: tree) { body(cell) } else { broken += 1 }
    }
    return broken
}
