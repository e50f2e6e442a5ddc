// SPDX-License-Identifier: MIT

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
    /// The first parameter behind those of the slots.
    let nextParameter: Int32
    let key = StatementKey()

    private init(sql: String, slots: [Slot], nextParameter: Int32) {
        self.sql = sql
        self.slots = slots
        self.nextParameter = nextParameter
    }

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
        return WritePlan(
            sql: "INSERT INTO \(SQLFragment.quoted(table.name)) (\(names), \"_version\") "
                + "VALUES (\(marks), 1)",
            slots: slots, nextParameter: Int32(columns.count) + 1)
    }

    /// The UPDATE of some properties, with the key and the expected version as last parameters.
    static func update(
        _ entity: Entity, changed: PropertySet, schema: SQLiteSchema
    ) -> WritePlan {
        let table = schema.table(of: entity)
        var assignments: [String] = []
        var slots: [Slot] = []
        var parameter: Int32 = 1
        for property in entity.properties where changed.contains(property.index) {
            guard let cell = property.column else { continue }
            assignments.append("\(SQLFragment.quoted(table.column(ofCell: cell).name)) = ?")
            let own = parameter
            parameter += 1
            if let entityCell = property.entityColumn {
                let column = table.column(ofCell: entityCell).name
                assignments.append("\(SQLFragment.quoted(column)) = ?")
                parameter += 1
            }
            if let position = table.position(ofCell: cell) {
                // The place among the members of the old owner means nothing to the new one.
                assignments.append("\(SQLFragment.quoted(position.name)) = NULL")
            }
            slots.append(
                Slot(
                    property: property.index, parameter: own,
                    entityParameter: property.entityColumn == nil ? 0 : own + 1))
        }
        let name = SQLFragment.quoted(table.name)
        guard !slots.isEmpty else {
            // Only to-many relationships changed: the row stays as it is, but must be there still.
            return WritePlan(
                sql: "UPDATE \(name) SET \"_version\" = \"_version\" "
                    + "WHERE \"_id\" = ? AND \"_version\" = ?",
                slots: [], nextParameter: 1)
        }
        return WritePlan(
            sql: "UPDATE \(name) SET \(assignments.joined(separator: ", ")), "
                + "\"_version\" = \"_version\" + 1 WHERE \"_id\" = ? AND \"_version\" = ?",
            slots: slots, nextParameter: parameter)
    }
}
