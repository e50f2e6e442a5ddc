// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreSQLite
import Foundation

extension SaveOperation {
    /// Notes that a row is not what the save was based on.
    func reportChanged(_ id: ManagedObjectID) throws {
        let current = try row(of: map.entity(of: id).root, where: "t0.\"_id\" = ?") {
            try $0.bind(id.key, at: 1)
        }
        conflicts.append(
            StoreConflicts.Conflict(
                id: id, kind: current.map { .changed(current: $0) } ?? .deleted))
    }

    /// Finds the rows that stand in the way of the insertions and updates that SQLite refused.
    func reportViolations(_ violations: [Violation]) throws {
        guard !violations.isEmpty else { return }
        var saved: [Int: [Int64: ManagedObjectID]] = [:]
        for (index, insertion) in changes.inserted.enumerated() {
            saved[map.root(of: insertion.id), default: [:]][insertedKeys[index]] = insertion.id
        }
        for update in changes.updated {
            saved[map.root(of: update.id), default: [:]][update.id.key] = update.id
        }
        for violation in violations {
            var isExplained = false
            let entity = map.entity(of: violation.id)
            for constraint in entity.constraints {
                guard let existing = try self.existing(violation, constraint) else { continue }
                isExplained = true
                let names = constraint.propertyIndexes.map { entity.properties[$0].name }
                let key = existing.key(ofRow: 0)
                let kind: StoreConflicts.Conflict.Kind =
                    if let other = saved[entity.rootIndex]?[key] {
                        .notUniqueInSave(properties: names, other: other)
                    } else { .notUnique(properties: names, existing: existing) }
                conflicts.append(StoreConflicts.Conflict(id: violation.id, kind: kind))
            }
            // An index that refuses what no constraint of the model explains is not ours to judge.
            if !isExplained, conflicts.isEmpty { throw violation.error }
        }
    }

    /// The row that has the values which the violating object was to get.
    private func existing(
        _ violation: Violation, _ constraint: Entity.Constraint
    ) throws -> RowBatch? {
        let entity = map.entity(of: violation.id)
        let table = map.schema.table(of: entity)
        var conditions: [String] = []
        for index in constraint.propertyIndexes {
            guard let cell = entity.properties[index].column else { return nil }
            let column = SQLFragment.quoted(table.column(ofCell: cell).name)
            if violation.changed?.contains(index) ?? true {
                if violation.values[index].isNull { return nil }
                conditions.append("t0.\(column) = ?")
            } else {
                conditions.append(
                    "t0.\(column) = (SELECT \(column) FROM \(map.table(of: entity)) "
                        + "WHERE \"_id\" = ?)")
            }
        }
        conditions.append("t0.\"_id\" <> ?")
        let declaring = map.model.entities[constraint.declaringEntityIndex]
        if declaring.index != declaring.rootIndex {
            let family = map.numbers.list(family: declaring, includesSubentities: true)
            conditions.append("t0.\"_entity\" IN (\(family))")
        }
        let own = violation.id.key < 0 ? -1 : violation.id.key
        return try row(of: entity.root, where: conditions.joined(separator: " AND ")) { statement in
            var parameter: Int32 = 1
            binder.beginRow()
            for index in constraint.propertyIndexes {
                if violation.changed?.contains(index) ?? true {
                    try binder.bind(violation.values[index], to: statement, at: parameter)
                } else {
                    try statement.bind(own, at: parameter)
                }
                parameter += 1
            }
            try statement.bind(own, at: parameter)
        }
    }

    /// The first row that satisfies a condition over the alias `t0`.
    private func row(
        of root: Entity, where condition: String, bind: (Statement) throws -> Void
    ) throws -> RowBatch? {
        let plan = map.selects[root.index]
        let statement = try connection.statement(
            sql:
                "SELECT \(plan.columns) FROM \(map.table(of: root)) AS t0 WHERE \(condition) LIMIT 1"
        )
        try bind(statement)
        let packer = RowPacker(form: plan.form, resolver: resolver, expectedRows: 1)
        defer { statement.clearBindings() }
        return try packer.packOne(statement, selecting: .columns, on: connection)
    }
}
