// SPDX-License-Identifier: MIT

package import CacheStoreModel
package import CacheStoreQuery
import CacheStoreSQLite

extension SQLiteStore {
    package func rows(matching query: StoreQuery) throws -> [RowBatch] {
        let compiled = try compile(query, selecting: .rows)
        let plan = map.selects[query.entity.index]
        let packer = RowPacker(
            form: plan.form, resolver: resolver, expectedRows: query.limit ?? 16)
        var batches: [RowBatch] = []
        try readStatement { connection in
            let statement = try compiled.statement(on: connection)
            batches = try packer.pack(statement, selecting: compiled.rowSelection, on: connection)
        }
        return batches
    }

    package func objectIDs(matching query: StoreQuery) throws -> [ManagedObjectID] {
        let compiled = try compile(query, selecting: .identifiers)
        let plan = map.selects[query.entity.index]
        var ids: [ManagedObjectID] = []
        try readStatement { connection in
            let statement = try compiled.statement(on: connection)
            try statement.rows { row in
                var entity = plan.entityIndex
                if plan.hasEntityColumn {
                    entity = map.numbers.index(ofNumber: row.int64(at: 1)) ?? entity
                }
                ids.append(
                    ManagedObjectID(space: space, entityIndex: entity, key: row.int64(at: 0)))
            }
        }
        return ids
    }

    package func count(matching query: StoreQuery) throws -> Int {
        let compiled = try compile(query, selecting: .count)
        var count = 0
        try readStatement { connection in
            let statement = try compiled.statement(on: connection)
            count = Int(try statement.first { $0.int64(at: 0) } ?? 0)
        }
        return count
    }

    package func rows(of entity: Entity, keys: [Int64]) throws -> [RowBatch] {
        // The whole hierarchy, since the caller may know only a superentity.
        let plan = map.selects[entity.rootIndex]
        let packer = RowPacker(form: plan.form, resolver: resolver, expectedRows: keys.count)
        let select = map.rowsByKey[entity.rootIndex]
        let chunks = chunks(of: keys)
        return try rows(chunks.count == 1) { connection in
            try chunks.flatMap { chunk in
                let statement = try connection.statement(sql: "\(select.sql) IN (\(chunk.marks))")
                try statement.bind(chunk.bindings)
                return try packer.pack(statement, selecting: select.selection, on: connection)
            }
        }
    }

    package func row(of entity: Entity, key: Int64) throws -> RowBatch? {
        let index = entity.rootIndex
        let packer = RowPacker(form: map.selects[index].form, resolver: resolver, expectedRows: 1)
        var batch: RowBatch?
        try readStatement { connection in
            let statement = try connection.statement(map.rowsByKey[index].singleKey) {
                map.rowsByKey[index].singleSQL + " = ?"
            }
            try statement.bind(key, at: 1)
            batch = try packer.packOne(
                statement, selecting: map.rowsByKey[index].singleSelection, on: connection)
        }
        return batch
    }

    package func members(
        of property: Property, in entity: Entity, owners: [Int64]
    ) throws -> [RowBatch] {
        guard let relationship = property.relationship, property.isToMany else { return [] }
        let destination = map.model.entities[relationship.destinationIndex]
        // The hierarchy's cells, all of them: a member may be of any subentity of the destination.
        let plan = map.selects[destination.index]
        let (source, owner, position) = memberSource(relationship, destination: destination)
        let packer = RowPacker(
            form: plan.formWithOwner, resolver: resolver, expectedRows: owners.count)
        // The members of a relationship without an order are a set.
        let (columns, selection) = plan.selection(
            position == nil ? .tableCall : .columns, owner: owner)
        let head = "SELECT \(columns) FROM \(source) WHERE \(owner) IN ("
        let tail =
            position.map { ") ORDER BY \(owner), \($0) IS NULL, \($0), t0.\"_id\"" } ?? ")"
        let chunks = chunks(of: owners.sorted())
        return try rows(chunks.count == 1) { connection in
            try chunks.flatMap { chunk in
                let statement = try connection.statement(sql: head + chunk.marks + tail)
                try statement.bind(chunk.bindings)
                return try packer.pack(statement, selecting: selection, on: connection)
            }
        }
    }

    /// Reads rows of one snapshot, which takes a transaction unless there is one statement only.
    private func rows(
        _ isSingleStatement: Bool, _ body: (Connection) throws -> [RowBatch]
    ) throws -> [RowBatch] {
        guard isSingleStatement else { return try read(body) }
        var batches: [RowBatch] = []
        try readStatement { batches = try body($0) }
        return batches
    }

    /// The tables of a relationship's members, and the columns with their owner and position.
    private func memberSource(
        _ relationship: Property.Relationship, destination: Entity
    ) -> (source: String, owner: String, position: String?) {
        let table = map.schema.table(of: destination)
        let rows = "\(map.table(of: destination)) AS t0"
        if case .join(let index, let isFirst) = relationship.storage {
            let join = map.schema.joins[index]
            let ends = join.ends(isFirst: isFirst)
            return (
                "\(SQLFragment.quoted(join.name)) AS j JOIN \(rows) "
                    + "ON t0.\"_id\" = j.\(SQLFragment.quoted(ends.far.key))",
                "j." + SQLFragment.quoted(ends.own.key),
                ends.own.position.map { "j." + SQLFragment.quoted($0) }
            )
        }
        guard let inverse = relationship.inverseIndex,
            let cell = destination.properties[inverse].column
        else { return (rows, "NULL", nil) }
        let position =
            relationship.description.isOrdered ? table.position(ofCell: cell)?.name : nil
        return (
            rows, "t0." + SQLFragment.quoted(table.column(ofCell: cell).name),
            position.map { "t0." + SQLFragment.quoted($0) }
        )
    }

    private func compile(
        _ query: StoreQuery, selecting selection: QueryCompiler.Selection
    ) throws -> CompiledQuery {
        if let known = shapes.query(for: query, selecting: selection) { return known }
        let compiled = try QueryCompiler.compile(
            query, selecting: selection, map: map, space: space)
        shapes.remember(compiled, for: query, selecting: selection)
        return compiled
    }

    // MARK: Lists of keys

    private struct Chunk {
        let marks: String
        let bindings: [SQLBinding]
    }

    /// Keys in lists of few lengths, so that all lists share some statements.
    private func chunks(of keys: [Int64]) -> [Chunk] {
        stride(from: 0, to: keys.count, by: QueryCompiler.longestBoundList).map { start in
            let end = min(start + QueryCompiler.longestBoundList, keys.count)
            var values = keys[start..<end].map { SQLBinding.integer($0) }
            let count = QueryCompiler.paddedCount(values.count)
            values += Array(repeating: values[values.count - 1], count: count - values.count)
            return Chunk(
                marks: "?" + String(repeating: ",?", count: count - 1), bindings: values)
        }
    }
}
