// SPDX-License-Identifier: MIT

package import CacheStoreHealing
import CacheStoreModel
package import CacheStoreSQLite
package import Foundation

extension SQLiteSchema {
    /// The way from an older model to this one.
    ///
    /// - Throws: ``Unmigratable`` with the first change that cannot be made.
    package func migrationPlan(from old: SQLiteSchema) throws(Unmigratable) -> MigrationPlan {
        try MigrationPlanner.plan(from: old, to: self)
    }

    package func migrate(
        in connection: Connection, from stored: Data
    ) throws -> MigrationSummary {
        let old: ManagedObjectModel
        do {
            old = try StoredModel.decode(stored)
        } catch {
            throw Unmigratable(reason: "The store's own description of its model cannot be read.")
        }
        let plan = try migrationPlan(from: SQLiteSchema(model: old))
        let runner = MigrationRunner(connection: connection, model: model)
        let lost = try runner.countLosses(plan)
        try EntityNumbers.assign(in: connection, model: model)
        try runner.run(plan)
        return MigrationSummary(changes: plan.changes, rowsLost: lost)
    }
}

/// Runs the steps of a migration inside the transaction of its caller.
struct MigrationRunner {
    let connection: Connection
    let model: ManagedObjectModel

    func countLosses(_ plan: MigrationPlan) throws -> [String: Int] {
        var lost: [String: Int] = [:]
        for loss in plan.lossy {
            let table = SQLFragment.quoted(loss.table)
            var query: SQLFragment = "SELECT count(*) FROM \(sql: table)"
            if loss.hasEntityColumn {
                query +=
                    " WHERE \"_entity\" = (SELECT \"number\" FROM \"cachestore_entities\" WHERE \"name\" = \(loss.entity))"
            }
            let count = try connection.statement(query).first { $0.int64(at: 0) } ?? 0
            if count > 0 { lost[loss.entity] = Int(count) }
        }
        return lost
    }

    func run(_ plan: MigrationPlan) throws {
        let numbers = try EntityNumbers.load(from: connection, model: model)
        for step in plan.steps {
            // A statement that is still prepared would keep its table from being changed.
            connection.clearStatementCache()
            do {
                try run(step, numbers)
            } catch let error as SQLiteError where error.code == .SQLITE_CONSTRAINT_UNIQUE {
                guard case .createIndex(let index) = step else { throw error }
                throw Unmigratable(
                    reason: "Rows of \(index.table) have the same values in "
                        + "\(index.columns.joined(separator: ", ")), which are to be unique.")
            }
        }
    }

    private func run(_ step: MigrationPlan.Step, _ numbers: EntityNumbers) throws {
        func quoted(_ name: String) -> String { SQLFragment.quoted(name) }
        func list(_ entities: [String]) -> String {
            EntityNumbers.list(entities.compactMap { numbers.number(ofEntityNamed: $0) })
        }
        switch step {
        case .createTable(_, let sql): try connection.execute(sql: sql)
        case .dropTable(let table): try connection.execute(sql: "DROP TABLE \(quoted(table))")
        case .renameColumn(let table, let old, let new):
            try connection.execute(
                sql: "ALTER TABLE \(quoted(table)) RENAME COLUMN \(quoted(old)) TO \(quoted(new))")
        case .addColumn(let table, let column, let definition):
            try connection.execute(
                sql: "ALTER TABLE \(quoted(table)) ADD COLUMN \(quoted(column)) \(definition)")
        case .dropColumn(let table, let column):
            try connection.execute(
                sql: "ALTER TABLE \(quoted(table)) DROP COLUMN \(quoted(column))")
        case .fill(let table, let column, let value, let entities):
            let rows = entities.map { " WHERE \"_entity\" IN (\(list($0)))" } ?? ""
            try connection.execute(
                "UPDATE \(identifier: table) SET \(identifier: column) = \(value)\(sql: rows)")
        case .fillEntity(let table, let column, let entity, let condition):
            let number = numbers.number(ofEntityNamed: entity) ?? 0
            let rows = condition.map { " WHERE \(quoted($0)) IS NOT NULL" } ?? ""
            try connection.execute(
                "UPDATE \(identifier: table) SET \(identifier: column) = \(number)\(sql: rows)")
        case .deleteRows(let table, let entities):
            try connection.execute(
                sql: "DELETE FROM \(quoted(table)) WHERE \"_entity\" IN (\(list(entities)))")
        case .clearReferences(let table, let column, let target):
            try connection.execute(
                sql: "UPDATE \(quoted(table)) SET \(quoted(column)) = NULL "
                    + "WHERE \(quoted(column)) NOT IN (SELECT \"_id\" FROM \(quoted(target)))")
        case .deletePairs(let table, let column, let target):
            try connection.execute(
                sql: "DELETE FROM \(quoted(table)) "
                    + "WHERE \(quoted(column)) NOT IN (SELECT \"_id\" FROM \(quoted(target)))")
        case .dropIndex(let name): try connection.execute(sql: "DROP INDEX \(quoted(name))")
        case .createIndex(let index):
            try connection.execute(sql: index.createStatement(numbers))
        }
    }
}
