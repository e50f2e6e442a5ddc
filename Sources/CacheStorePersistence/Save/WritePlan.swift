// SPDX-License-Identifier: MIT

import CCacheStoreShims
import CacheStoreModel
import CacheStoreSQLite

/// An INSERT or UPDATE, and which value goes to which of its parameters.
///
/// A class, because plans are handed around for every row of a save.
final class WritePlan: Sendable {
    struct Slot: Sendable {
        let property: Int
        let parameter: Int32
        /// The parameter for the entity of a reference; 0 where the table has no column for it.
        let entityParameter: Int32
    }

    let sql: String
    let slots: [Slot]
    /// The first parameter of the slots, and the first behind them.
    let firstParameter: Int32
    let nextParameter: Int32
    let key = StatementKey()
    /// The same for many rows; `nil` where a row has more cells than those can have.
    let rows: RowsPlan?

    private init(
        sql: String, slots: [Slot], firstParameter: Int32, nextParameter: Int32, rows: RowsPlan
    ) {
        self.sql = sql
        self.slots = slots
        self.firstParameter = firstParameter
        self.nextParameter = nextParameter
        self.rows =
            Int(nextParameter - firstParameter) <= Int(CACHESTORE_ROW_WIDTH) ? rows : nil
    }

    /// How many cells a row of ``rows`` has.
    var width: Int { Int(nextParameter - firstParameter) }

    /// The INSERT of an entity: key, entity where the table says it, then the properties.
    static func insert(_ entity: Entity, schema: SQLiteSchema) -> WritePlan {
        let table = schema.table(of: entity)
        var columns = ["_id"]
        if table.hasEntityColumn { columns.append("_entity") }
        var slots: [Slot] = []
        for property in entity.properties {
            guard let cell = property.column else { continue }
            columns.append(table.column(ofCell: cell).name)
            let parameter = Int32(columns.count)
            if let entityCell = property.entityColumn {
                columns.append(table.column(ofCell: entityCell).name)
            }
            slots.append(
                Slot(
                    property: property.index, parameter: parameter,
                    entityParameter: property.entityColumn == nil ? 0 : parameter + 1))
        }
        let names = columns.map { SQLFragment.quoted($0) }.joined(separator: ", ")
        let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        let first: Int32 = table.hasEntityColumn ? 3 : 2
        let next = Int32(columns.count) + 1
        return WritePlan(
            sql: "INSERT INTO \(SQLFragment.quoted(table.name)) (\(names), \"_version\") "
                + "VALUES (\(marks), 1)",
            slots: slots, firstParameter: first, nextParameter: next,
            rows: .insert(
                into: SQLFragment.quoted(table.name), columns: names,
                hasEntityColumn: table.hasEntityColumn, cellCount: Int(next - first)))
    }

    /// The UPDATE of some properties, with the key and the expected version as last parameters.
    static func update(
        _ entity: Entity, changed: PropertySet, schema: SQLiteSchema
    ) -> WritePlan {
        let table = schema.table(of: entity)
        var assignments: [String] = []
        // The same, with the values of a row among many.
        var fromRows: [String] = []
        var slots: [Slot] = []
        var parameter: Int32 = 1
        for property in entity.properties where changed.contains(property.index) {
            guard let cell = property.column else { continue }
            let own = parameter
            func assign(_ name: String) {
                let column = SQLFragment.quoted(name)
                assignments.append("\(column) = ?")
                fromRows.append("\(column) = \(RowsPlan.cell(Int(parameter) - 1))")
                parameter += 1
            }
            assign(table.column(ofCell: cell).name)
            if let entityCell = property.entityColumn {
                assign(table.column(ofCell: entityCell).name)
            }
            if let position = table.position(ofCell: cell) {
                // The place among the members of the old owner means nothing to the new one.
                let clearing = "\(SQLFragment.quoted(position.name)) = NULL"
                assignments.append(clearing)
                fromRows.append(clearing)
            }
            slots.append(
                Slot(
                    property: property.index, parameter: own,
                    entityParameter: property.entityColumn == nil ? 0 : own + 1))
        }
        let name = SQLFragment.quoted(table.name)
        // If only to-many relationships changed, the row stays as it is, but must be there still.
        let version = slots.isEmpty ? "\"_version\"" : "\"_version\" + 1"
        assignments.append("\"_version\" = \(version)")
        fromRows.append("\"_version\" = \(version)")
        return WritePlan(
            sql: "UPDATE \(name) SET \(assignments.joined(separator: ", ")) "
                + "WHERE \"_id\" = ? AND \"_version\" = ?",
            slots: slots, firstParameter: 1, nextParameter: parameter,
            rows: .selecting("UPDATE OR FAIL \(name) SET \(fromRows.joined(separator: ", "))"))
    }
}
