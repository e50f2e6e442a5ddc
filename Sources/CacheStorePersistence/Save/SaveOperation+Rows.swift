// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreSQLite

// Many rows by one statement. Few rows, and those whose values may be refused because they are not
// unique, are written one by one where one statement could not tell which of them it was.

extension SaveOperation {
    /// From so many rows on, one statement for all of them is worth its while.
    static let fewestRows = 8

    /// The places of changes of one entity in the change set.
    struct Group {
        let entity: Int
        var places: [Int]
    }

    // MARK: Groups

    func groups(of places: Range<Int>, by id: (Int) -> ManagedObjectID) -> [Group] {
        var groups: [Group] = []
        var positions = [Int](repeating: -1, count: map.model.entities.count)
        for place in places {
            let entity = Int(id(place).entityIndex)
            if positions[entity] < 0 {
                positions[entity] = groups.count
                groups.append(Group(entity: entity, places: []))
            }
            groups[positions[entity]].places.append(place)
        }
        return groups
    }

    /// The insertions. Those into one table that may meet in a uniqueness constraint keep their
    /// order: of two, the later one is the one that is refused.
    func insertionGroups() -> [Group] {
        var groups: [Group] = []
        var positions = [Int](repeating: -1, count: map.model.entities.count)
        var lastConstrained = positions
        for place in changes.inserted.indices {
            let entity = Int(changes.inserted[place].id.entityIndex)
            if map.hasConstraints[entity] {
                let root = map.model.entities[entity].rootIndex
                if lastConstrained[root] != entity { positions[entity] = -1 }
                lastConstrained[root] = entity
            }
            if positions[entity] < 0 {
                positions[entity] = groups.count
                groups.append(Group(entity: entity, places: []))
            }
            groups[positions[entity]].places.append(place)
        }
        return groups
    }

    // MARK: Insertions

    /// Returns whether the insertions were of the kind that is written here.
    func insertRows(_ group: Group, _ plan: WritePlan) throws -> Bool {
        guard group.places.count >= fewestRows, let statements = plan.rows else {
            return false
        }
        let rows = PackedRows(width: plan.width)
        let statement = try self.statement(statements.main)
        defer { statement.clearBindings() }
        try statement.bind(rows: rows.pointer, at: 1)
        if map.selects[group.entity].hasEntityColumn {
            try statement.bind(map.numbers.numbers[group.entity], at: 2)
        }
        var first = 0
        for position in group.places.indices {
            let index = group.places[position]
            try rows.append(
                key: insertedKeys[index], version: 1, values: changes.inserted[index].values,
                plan: plan, binder)
            guard rows.isFull || position == group.places.count - 1 else { continue }
            try insert(rows, places: group.places[first...position], statement)
            rows.removeAll()
            first = position + 1
        }
        return true
    }

    private func insert(
        _ rows: PackedRows, places: ArraySlice<Int>, _ statement: Statement
    ) throws {
        var start = 0
        while start < rows.count {
            rows.rewind(to: start)
            guard let error = try violation(running: statement) else { return }
            // The rows before it are there, and it is the one that the statement stands on: else
            // rows would be lost.
            let refused = rows.scannedRow
            guard refused < rows.count,
                refused == start || connection.lastInsertRowID == rows.key(ofRow: refused - 1)
            else { throw error }
            noteViolation(ofInsertion: places[places.startIndex + refused], error)
            start = refused + 1
        }
    }

    // MARK: Updates and deletions

    /// Returns whether the updates, all of one shape, were of the kind that is written here.
    func updateRows(_ range: Range<Int>, _ plan: WritePlan) throws -> Bool {
        guard range.count >= fewestRows, let statements = plan.rows,
            let places = ascending(Array(range), by: { changes.updated[$0].id.key })
        else { return false }
        let first = changes.updated[range.lowerBound]
        guard !map.hasConstraints[Int(first.id.entityIndex)] || !changesUniqueValue(first) else {
            return false
        }
        let rows = PackedRows(width: plan.width)
        var start = 0
        for position in places.indices {
            let index = places[position]
            try rows.append(
                key: changes.updated[index].id.key, version: changes.updated[index].version,
                values: changes.updated[index].values, plan: plan, binder)
            guard rows.isFull || position == places.count - 1 else { continue }
            try run(statements, with: rows)
            for row in 0..<rows.count where !rows.isTaken(row: row) {
                try reportChanged(changes.updated[places[start + row]].id)
            }
            rows.removeAll()
            start = position + 1
        }
        return true
    }

    /// Returns whether the deletions were of the kind that is written here.
    func deleteRows(_ group: Group) throws -> Bool {
        guard group.places.count >= fewestRows,
            let places = ascending(group.places, by: { changes.deleted[$0].id.key })
        else { return false }
        let statements = map.deletesOfRows[group.entity]
        let hasJoins = !map.joinColumns[group.entity].isEmpty
        let rows = PackedRows(width: 0)
        var start = 0
        for position in places.indices {
            let index = places[position]
            rows.append(key: changes.deleted[index].id.key, version: changes.deleted[index].version)
            guard rows.isFull || position == places.count - 1 else { continue }
            try run(statements, with: rows)
            for row in 0..<rows.count where hasJoins || !rows.isTaken(row: row) {
                try finishDeletion(
                    of: changes.deleted[places[start + row]].id, isDone: rows.isTaken(row: row))
            }
            rows.removeAll()
            start = position + 1
        }
        return true
    }

    /// The places in the order of their keys; `nil` if two have the same key, which must be written
    /// one after the other.
    private func ascending(_ places: [Int], by key: (Int) -> Int64) -> [Int]? {
        func isAscending(_ places: [Int]) -> Bool {
            for position in places.indices.dropFirst()
            where key(places[position - 1]) >= key(places[position]) {
                return false
            }
            return true
        }
        if isAscending(places) { return places }
        let sorted = places.sorted { key($0) < key($1) }
        return isAscending(sorted) ? sorted : nil
    }

    /// Rows that lie close together are found by going through all that lie between them, others by
    /// looking for each.
    private func run(_ statements: RowsPlan, with rows: PackedRows) throws {
        let isDense = rows.span <= 2 * Int64(rows.count)
        let statement = try statement(isDense ? statements.main : statements.listed)
        defer { statement.clearBindings() }
        try statement.bind(rows: rows.pointer, at: 1)
        if isDense {
            try statement.bind(rows.key(ofRow: 0), at: 2)
            try statement.bind(rows.key(ofRow: rows.count - 1), at: 3)
        }
        rows.rewind()
        try statement.run()
    }

    private func statement(_ variant: RowsPlan.Variant) throws -> Statement {
        try connection.readsRows()
        return try connection.statement(variant.key) { variant.sql }
    }
}
