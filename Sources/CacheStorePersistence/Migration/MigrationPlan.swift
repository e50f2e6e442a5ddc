// SPDX-License-Identifier: MIT

import CacheStoreModel
package import CacheStoreSQLite

/// What has to be done to a store's tables to bring them from one model to another.
///
/// A value: it can be made and printed without a store.
package struct MigrationPlan: Sendable, Hashable {
    package enum Step: Sendable, Hashable {
        case createTable(table: String, sql: String)
        case dropTable(table: String)
        /// The column under a name that no property has, out of the way of the final names.
        case renameColumn(table: String, from: String, to: String)
        case addColumn(table: String, column: String, definition: String)
        case dropColumn(table: String, column: String)
        /// Gives a value to a column in the rows of some entities, or of all.
        case fill(table: String, column: String, value: SQLBinding, entities: [String]?)
        /// Marks the rows of the only entity that a table had so far.
        case fillEntity(table: String, column: String, entity: String, where: String?)
        case deleteRows(table: String, entities: [String])
        /// Clears references to rows that are gone.
        case clearReferences(table: String, column: String, target: String)
        /// Deletes the pairs of a join table in which a row is gone.
        case deletePairs(table: String, column: String, target: String)
        case dropIndex(name: String)
        case createIndex(IndexSchema)
    }

    package internal(set) var steps: [Step] = []
    /// What changes for the program, one sentence each.
    package internal(set) var changes: [String] = []
    /// Tables whose rows are lost, by the entity, with the entities to count where not all.
    package internal(set) var lossy: [Loss] = []

    package struct Loss: Sendable, Hashable {
        package let entity: String
        package let table: String
        package let hasEntityColumn: Bool
    }

    package var isEmpty: Bool { steps.isEmpty && changes.isEmpty }
}

extension MigrationPlan.Step: CustomStringConvertible {
    /// The step in words; never a value.
    package var description: String {
        switch self {
        case .createTable(let table, _): "create table \(table)"
        case .dropTable(let table): "drop table \(table)"
        case .renameColumn(let table, let old, let new): "rename \(table).\(old) to \(new)"
        case .addColumn(let table, let column, let definition):
            "add column \(table).\(column) \(definition)"
        case .dropColumn(let table, let column): "drop column \(table).\(column)"
        case .fill(let table, let column, _, let entities):
            "fill \(table).\(column) with the default"
                + (entities.map { " in rows of \($0.joined(separator: ", "))" } ?? "")
        case .fillEntity(let table, let column, let entity, _):
            "fill \(table).\(column) with the number of \(entity)"
        case .deleteRows(let table, let entities):
            "delete the rows of \(entities.joined(separator: ", ")) from \(table)"
        case .clearReferences(let table, let column, let target):
            "clear \(table).\(column) where the row of \(target) is gone"
        case .deletePairs(let table, let column, let target):
            "delete pairs from \(table) where \(column) leads to no row of \(target)"
        case .dropIndex(let name): "drop index \(name)"
        case .createIndex(let index):
            "create \(index.isUnique ? "unique " : "")index \(index.name) on "
                + "\(index.table) (\(index.columns.joined(separator: ", ")))"
        }
    }
}

extension MigrationPlan: CustomStringConvertible {
    /// The changes and the steps, one a line.
    package var description: String {
        (changes + steps.map { "  \($0)" }).joined(separator: "\n")
    }
}
