// SPDX-License-Identifier: MIT

import CacheStoreHealing
import CacheStoreModel
import CacheStoreSQLite
import Foundation

/// One save, inside its transaction: deletions, then updates, then insertions, then the members and
/// orders of to-many relationships.
///
/// Deletions and updates come first because they may free unique values. Conflicts are collected to
/// the end, so that whoever resolves them sees all of them.
final class SaveOperation {
    let connection: Connection
    let map: StoreMap
    let changes: ChangeSet
    let binder: ValueBinder
    let plans: UpdatePlans
    let resolver: ValueResolver
    /// From so many changes of a kind on, one statement writes them all.
    let fewestRows: Int

    /// The keys of the inserted objects.
    private(set) var insertedKeys: [Int64] = []
    var conflicts: [StoreConflicts.Conflict] = []
    /// Files of values that the save replaced or removed.
    private(set) var unneededFiles: [UUID] = []
    /// Insertions and updates that broke a uniqueness constraint, with SQLite's error.
    var violations: [Violation] = []

    struct Violation {
        let id: ManagedObjectID
        let values: ContiguousArray<PropertyValue>
        /// `nil` for an insertion: all properties.
        let changed: PropertySet?
        let error: SQLiteError
    }

    init(
        _ changes: ChangeSet, on connection: Connection, map: StoreMap, plans: UpdatePlans,
        resolver: ValueResolver, fewestRows: Int = SaveOperation.fewestRows
    ) {
        self.fewestRows = fewestRows
        self.plans = plans
        self.changes = changes
        self.connection = connection
        self.map = map
        self.resolver = resolver
        binder = ValueBinder(
            numbers: map.numbers, keys: TemporaryKeys(for: changes.inserted))
    }

    /// What is left of a save that went well.
    struct Outcome: Sendable {
        let insertedKeys: [Int64]
        let unneededFiles: [UUID]
    }

    var outcome: Outcome {
        Outcome(insertedKeys: insertedKeys, unneededFiles: unneededFiles)
    }

    /// - Throws: ``StoreConflicts``; the caller then rolls back.
    func run() throws {
        try assignKeys()
        try delete()
        try checkTargets()
        try update()
        try insert()
        try reportViolations(violations)
        guard conflicts.isEmpty else { throw StoreConflicts(conflicts) }
        try clearReferencesToDeleted()
        try applyToManyChanges()
    }

    // MARK: Keys

    private func assignKeys() throws {
        // By root entity.
        var counts = [Int64](repeating: 0, count: map.model.entities.count)
        for index in changes.inserted.indices where changes.inserted[index].id.key < 0 {
            counts[map.root(of: changes.inserted[index].id)] += 1
        }
        var next = counts
        for (root, count) in counts.enumerated() where count > 0 {
            next[root] = try Self.reserveKeys(
                count, root: map.model.entities[root], connection: connection)
        }
        insertedKeys.reserveCapacity(changes.inserted.count)
        for index in changes.inserted.indices {
            let id = changes.inserted[index].id
            guard id.key < 0 else {
                insertedKeys.append(id.key)
                continue
            }
            let root = map.root(of: id)
            let key = next[root]
            next[root] = key + 1
            binder.keys.set(key, for: id.key)
            insertedKeys.append(key)
        }
    }

    /// Takes keys that no object ever had, and returns the first.
    static func reserveKeys(
        _ count: Int64, root: Entity, connection: Connection
    ) throws -> Int64 {
        let statement = try connection.statement(
            sql: """
                UPDATE "cachestore_entities" SET "last_key" = "last_key" + ? WHERE "name" = ? \
                RETURNING "last_key"
                """)
        try statement.bind([.integer(count), .text(root.name)])
        // To its end: the change is part of the transaction only then
        // (https://sqlite.org/lang_returning.html).
        var last: Int64?
        try statement.rows { last = $0.int64(at: 0) }
        guard let last else {
            throw PersistentStoreError(
                .damaged, "The store does not know the entity \(root.name).")
        }
        return last - count + 1
    }

    // MARK: Deletions

    private func delete() throws {
        for group in groups(of: changes.deleted.indices, by: { changes.deleted[$0].id }) {
            let externals = map.externals[group.entity]
            if !externals.isEmpty {
                for index in group.places {
                    try noteFiles(of: changes.deleted[index].id, properties: externals)
                }
            }
            if try deleteRows(group) { continue }
            let plan = map.deletes[group.entity]
            let statement = try connection.statement(plan.key) { plan.sql }
            for index in group.places {
                let id = changes.deleted[index].id
                try statement.bind(id.key, at: 1)
                try statement.bind(changes.deleted[index].version, at: 2)
                try statement.run()
                try finishDeletion(of: id, isDone: connection.changes > 0)
            }
        }
    }

    /// Takes an object that was deleted out of join tables; one that was not is a conflict.
    func finishDeletion(of id: ManagedObjectID, isDone: Bool) throws {
        guard isDone else { return try reportChanged(id) }
        for join in map.joinColumns[Int(id.entityIndex)] {
            let statement = try connection.statement(
                sql: "DELETE FROM \(SQLFragment.quoted(join.table)) "
                    + "WHERE \(SQLFragment.quoted(join.column)) = ?")
            try statement.bind(id.key, at: 1)
            try statement.run()
        }
    }

    private func noteFiles(of id: ManagedObjectID, properties: [Property]) throws {
        guard !properties.isEmpty else { return }
        let entity = map.entity(of: id)
        let table = map.schema.table(of: entity)
        let columns = properties.compactMap { property in
            property.column.map { SQLFragment.quoted(table.column(ofCell: $0).name) }
        }
        let statement = try connection.statement(
            sql: "SELECT \(columns.joined(separator: ", ")) FROM \(map.table(of: entity)) "
                + "WHERE \"_id\" = ?")
        try statement.bind(id.key, at: 1)
        try statement.rows { row in
            for index in columns.indices where row.type(at: Int32(index)) == .blob {
                let encoded = row.withBlob(at: Int32(index)) { EncodedValue($0) }
                if case .external(let reference) = encoded {
                    unneededFiles.append(reference.name)
                }
            }
        }
    }

    // MARK: Updates

    private struct SwapNeeded: Error {}

    private func update() throws {
        guard !changes.updated.isEmpty else { return }
        // By index: a copy of an update counts four references, and most need none of this.
        for index in changes.updated.indices {
            let externals = map.externals[Int(changes.updated[index].id.entityIndex)]
            guard !externals.isEmpty else { continue }
            let changed = changes.updated[index].changed
            try noteFiles(
                of: changes.updated[index].id,
                properties: externals.filter { changed.contains($0.index) })
        }
        let changesUniqueValues = changes.updated.indices.contains { index in
            map.hasConstraints[Int(changes.updated[index].id.entityIndex)]
                && changesUniqueValue(changes.updated[index])
        }
        guard changes.updated.count > 1, changesUniqueValues else {
            violations += try applyUpdates()
            return
        }
        do {
            // Two objects may swap unique values. No order of single updates does that, so the
            // second try frees all the values first.
            try connection.savepoint {
                guard try applyUpdates().isEmpty else { throw SwapNeeded() }
            }
        } catch is SwapNeeded {
            conflicts.removeAll { conflict in
                changes.updated.contains { $0.id == conflict.id }
            }
            try freeUniqueValues()
            violations += try applyUpdates()
        }
    }

    func changesUniqueValue(_ update: ChangeSet.Update) -> Bool {
        map.entity(of: update.id).constraints.contains { constraint in
            constraint.propertyIndexes.contains { update.changed.contains($0) }
        }
    }

    private func applyUpdates() throws -> [Violation] {
        var violations: [Violation] = []
        // Updates of one shape mostly follow each other.
        var position = 0
        while position < changes.updated.count {
            let shape = UpdatePlans.Shape(
                entity: changes.updated[position].id.entityIndex,
                changed: changes.updated[position].changed)
            var end = position + 1
            while end < changes.updated.count,
                changes.updated[end].id.entityIndex == shape.entity,
                changes.updated[end].changed == shape.changed
            {
                end += 1
            }
            let plan = plans.plan(for: shape, schema: map.schema)
            if try !updateRows(position..<end, plan) {
                violations += try update(position..<end, plan)
            }
            position = end
        }
        return violations
    }

    private func update(_ places: Range<Int>, _ plan: WritePlan) throws -> [Violation] {
        let statement = try connection.statement(plan.key) { plan.sql }
        defer { statement.clearBindings() }
        var violations: [Violation] = []
        for index in places {
            let id = changes.updated[index].id
            binder.beginRow()
            try binder.bind(changes.updated[index].values, to: plan, statement)
            try statement.bind(id.key, at: plan.nextParameter)
            try statement.bind(changes.updated[index].version, at: plan.nextParameter + 1)
            if let error = try violation(running: statement) {
                violations.append(
                    Violation(
                        id: id, values: changes.updated[index].values,
                        changed: changes.updated[index].changed, error: error))
            } else if connection.changes == 0 {
                try reportChanged(id)
            }
        }
        return violations
    }

    /// Runs a statement; SQLite's refusal of values that are not unique is returned, not thrown.
    func violation(running statement: Statement) throws -> SQLiteError? {
        do throws(SQLiteError) {
            try statement.run()
            return nil
        } catch {
            guard error.code == .SQLITE_CONSTRAINT_UNIQUE else { throw error }
            return error
        }
    }

    private func freeUniqueValues() throws {
        for update in changes.updated where changesUniqueValue(update) {
            let entity = map.entity(of: update.id)
            let table = map.schema.table(of: entity)
            let unique = Set(entity.constraints.flatMap(\.propertyIndexes))
            let columns = entity.properties.compactMap { property -> String? in
                guard unique.contains(property.index), update.changed.contains(property.index),
                    let cell = property.column
                else { return nil }
                return "\(SQLFragment.quoted(table.column(ofCell: cell).name)) = NULL"
            }
            let statement = try connection.statement(
                sql: "UPDATE \(map.table(of: entity)) SET \(columns.joined(separator: ", ")) "
                    + "WHERE \"_id\" = ? AND \"_version\" = ?")
            try statement.run([.integer(update.id.key), .integer(update.version)])
        }
    }

    // MARK: Insertions

    private func insert() throws {
        for group in insertionGroups() {
            let plan = map.inserts[group.entity]
            if try insertRows(group, plan) { continue }
            let statement = try connection.statement(plan.key) { plan.sql }
            defer { statement.clearBindings() }
            for index in group.places {
                binder.beginRow()
                try statement.bind(insertedKeys[index], at: 1)
                if map.selects[group.entity].hasEntityColumn {
                    try statement.bind(map.numbers.numbers[group.entity], at: 2)
                }
                try binder.bind(changes.inserted[index].values, to: plan, statement)
                if let error = try violation(running: statement) {
                    noteViolation(ofInsertion: index, error)
                }
            }
        }
    }

    func noteViolation(ofInsertion index: Int, _ error: SQLiteError) {
        violations.append(
            Violation(
                id: changes.inserted[index].id, values: changes.inserted[index].values,
                changed: nil, error: error))
    }
}
