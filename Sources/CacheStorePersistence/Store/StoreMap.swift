// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreSQLite

/// What a store knows of its model and its file from the moment it is open: prepared once, read by
/// every thread.
final class StoreMap: Sendable {
    let model: ManagedObjectModel
    let schema: SQLiteSchema
    let numbers: EntityNumbers
    /// By the entity's index.
    let selects: [SelectPlan]
    /// By the entity's index.
    let inserts: [WritePlan]
    /// The DELETE of an entity, by its index.
    let deletes: [DeletePlan]
    /// The SELECT of rows by their keys, up to the comparison, by the entity's index.
    let rowsByKey: [KeySelect]
    /// The to-one relationships of an entity, by its index.
    let references: [[Int]]
    /// The UPDATEs that take an object of an entity out of the references to it, by its index.
    let clearings: [[DeletePlan]]
    /// The index of an entity's root, by its own.
    private let roots: [Int]
    /// Whether an entity has uniqueness constraints, by its index.
    let hasConstraints: [Bool]
    /// The quoted name of an entity's table, by its index.
    private let tables: [String]
    /// The columns of a join table in which objects of an entity stand, by the entity's index.
    let joinColumns: [[JoinColumn]]
    /// The properties of an entity whose values may have files of their own.
    let externals: [[Property]]

    struct JoinColumn: Sendable {
        let table: String
        let column: String
    }

    struct KeySelect: Sendable {
        /// Selects many rows, with ``selection``.
        let sql: String
        let selection: RowSelection
        /// Selects a single row, with ``singleSelection``.
        let singleSQL: String
        let singleSelection: RowSelection
        /// For the statement that selects a single row.
        let singleKey = StatementKey()

        init(_ plan: SelectPlan, table: String) {
            func statement(_ wanted: RowSelection) -> (String, RowSelection) {
                let (sql, selection) = plan.selection(wanted)
                return ("SELECT \(sql) FROM \(table) AS t0 WHERE t0.\"_id\"", selection)
            }
            (sql, selection) = statement(.tableCall)
            (singleSQL, singleSelection) = statement(.rowCall)
        }
    }

    /// A statement about one deleted row, with its key as the first parameter.
    struct DeletePlan: Sendable {
        let sql: String
        let key = StatementKey()
    }

    /// The DELETEs of many rows of an entity's table, by its index.
    let deletesOfRows: [RowsPlan]

    init(schema: SQLiteSchema, numbers: EntityNumbers) {
        self.schema = schema
        self.numbers = numbers
        model = schema.model
        selects = model.entities.map { SelectPlan(entity: $0, schema: schema, numbers: numbers) }
        inserts = model.entities.map { WritePlan.insert($0, schema: schema) }
        let tables = model.entities.map { SQLFragment.quoted(schema.table(of: $0).name) }
        self.tables = tables
        deletes = tables.map {
            DeletePlan(sql: "DELETE FROM \($0) WHERE \"_id\" = ? AND \"_version\" = ?")
        }
        deletesOfRows = tables.map { .selecting("DELETE FROM \($0)") }
        references = model.entities.map { entity in
            entity.properties.filter { $0.relationship != nil && !$0.isToMany }.map(\.index)
        }
        clearings = Self.clearings(schema: schema, tables: tables)
        roots = model.entities.map(\.rootIndex)
        hasConstraints = model.entities.map { !$0.constraints.isEmpty }
        rowsByKey = zip(selects, tables).map { KeySelect($0, table: $1) }
        externals = model.entities.map { entity in
            ValueEncoder.opaqueProperties(of: entity).filter {
                $0.attribute?.options.contains(.externalStorage) ?? false
            }
        }
        var columns = [[JoinColumn]](repeating: [], count: model.entities.count)
        for join in model.joins {
            let table = schema.joins[join.index]
            for (side, end) in [(join.first, table.first), (join.second, table.second)] {
                for index in model.entities[side.entityIndex].familyIndexes {
                    columns[index].append(JoinColumn(table: table.name, column: end.key))
                }
            }
        }
        joinColumns = columns
    }

    /// One UPDATE for each to-one relationship that can lead to an entity, unless the rule on the
    /// entity's own side is "no action".
    private static func clearings(schema: SQLiteSchema, tables: [String]) -> [[DeletePlan]] {
        let model = schema.model
        var clearings = [[DeletePlan]](repeating: [], count: model.entities.count)
        for owner in model.entities {
            let table = schema.table(of: owner)
            for property in owner.properties where property.declaringEntityIndex == owner.index {
                guard let relationship = property.relationship, let cell = property.column else {
                    continue
                }
                let destination = model.entities[relationship.destinationIndex]
                if let inverse = relationship.inverseIndex,
                    destination.properties[inverse].relationship?.description.deleteRule
                        == .noAction
                {
                    continue
                }
                let column = SQLFragment.quoted(table.column(ofCell: cell).name)
                var assignments = "\(column) = NULL"
                if let entityCell = property.entityColumn {
                    let name = SQLFragment.quoted(table.column(ofCell: entityCell).name)
                    assignments += ", \(name) = NULL"
                }
                if let position = table.position(ofCell: cell) {
                    assignments += ", \(SQLFragment.quoted(position.name)) = NULL"
                }
                let plan = DeletePlan(
                    sql: "UPDATE \(tables[owner.index]) SET \(assignments), "
                        + "\"_version\" = \"_version\" + 1 WHERE \(column) = ?")
                for index in destination.familyIndexes { clearings[index].append(plan) }
            }
        }
        return clearings
    }

    func root(of id: ManagedObjectID) -> Int { roots[Int(id.entityIndex)] }

    func entity(of id: ManagedObjectID) -> Entity { model.entities[Int(id.entityIndex)] }

    /// The quoted name of an entity's table.
    func table(of entity: Entity) -> String { tables[entity.index] }
}
