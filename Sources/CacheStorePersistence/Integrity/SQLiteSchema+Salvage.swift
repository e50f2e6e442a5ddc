// SPDX-License-Identifier: MIT

package import CacheStoreHealing
import CacheStoreModel
package import CacheStoreSQLite
package import Foundation

extension SQLiteSchema {
    /// The index that has the name and the number of each entity: where the table itself is lost, it
    /// tells which entity a number stands for.
    private static let entityIndex = "sqlite_autoindex_cachestore_entities_1"

    package var indexesForRepair: [String] { [Self.entityIndex] }

    /// Makes salvaged rows fit together, by the rules of ``GraphChecker``, but for one: a row that
    /// must have a reference to one that is lost is lost as well.
    package func repairSalvaged(
        in connection: Connection, from stored: Data, entries: [String: [[SQLBinding]]]
    ) throws -> SalvageRepair {
        let schema: SQLiteSchema
        do {
            let old = try StoredModel.decode(stored)
            schema = old.fingerprint == model.fingerprint ? self : SQLiteSchema(model: old)
        } catch {
            throw Unmigratable(reason: "The store's own description of its model cannot be read.")
        }
        // What the description does not promise cannot be repaired by it.
        guard try schema.schemaHasTables(in: connection) else {
            throw Unmigratable(reason: "Tables are missing.")
        }
        try schema.restoreEntities(in: connection, entries[Self.entityIndex] ?? [])
        let numbers = try EntityNumbers.load(from: connection, model: schema.model)
        var repair = SalvageRepair()
        try schema.removeRowsWithoutTarget(in: connection, numbers, &repair)
        let checker = GraphChecker(
            connection, map: StoreMap(schema: schema, numbers: numbers),
            space: IdentitySpace.space(storeIdentifier: UUID(), model: schema.model), repairs: true)
        try checker.checkRows()
        schema.add(checker.finish().report.findings, to: &repair)
        return repair
    }

    private func schemaHasTables(in connection: Connection) throws -> Bool {
        var names: Set<String> = []
        try connection.prepare(sql: "SELECT name FROM sqlite_schema WHERE type = 'table'").rows {
            if let name = $0.text(at: 0) { names.insert(name) }
        }
        let expected = tables.values.map(\.name) + joins.map(\.name)
        return names.isSuperset(of: expected + ["cachestore_entities", "cachestore_metadata"])
    }

    /// Completes the table of entities: from the index, and where that is lost too, by the order in
    /// which a new store numbers them. That order is not that of a store which was migrated, so it
    /// counts only where no row says an entity's number.
    private func restoreEntities(in connection: Connection, _ entries: [[SQLBinding]]) throws {
        for entry in entries where entry.count == 2 {
            guard let name = entry[0].text, let number = entry[1].integer else { continue }
            let root = model.entity(named: name)?.root.name ?? name
            try connection.execute(
                """
                INSERT OR IGNORE INTO "cachestore_entities" ("number", "name", "root")
                VALUES (\(number), \(name), \(root))
                """)
        }
        let known = try EntityNumbers.load(from: connection, model: model)
        let isUnknown = model.entities.contains { known.numbers[$0.index] < 0 }
        if isUnknown, try rowsSayNumbers(in: connection) {
            throw Unmigratable(reason: "It is not known any more which entities the rows are of.")
        }
        try EntityNumbers.assign(in: connection, model: model)
    }

    private func rowsSayNumbers(in connection: Connection) throws -> Bool {
        let named = tables.values.filter(\.hasEntityColumn).map(\.name)
        for table in named {
            let isThere = try connection.prepare(
                sql: "SELECT 1 FROM \(SQLFragment.quoted(table)) LIMIT 1"
            ).first { _ in true }
            if isThere == true { return true }
        }
        return false
    }

    /// Deletes rows whose required reference leads nowhere, until there are none.
    private func removeRowsWithoutTarget(
        in connection: Connection, _ numbers: EntityNumbers, _ repair: inout SalvageRepair
    ) throws {
        var statements: [(table: String, sql: String)] = []
        for entity in model.entities {
            for property in entity.properties where property.declaringEntityIndex == entity.index {
                guard !property.isOptional, let relationship = property.relationship,
                    relationship.storage == .ownColumn, let cell = property.column
                else { continue }
                let table = self.table(of: entity)
                let target = self.table(of: model.entities[relationship.destinationIndex])
                let column = SQLFragment.quoted(table.column(ofCell: cell).name)
                let family =
                    table.hasEntityColumn
                    ? " AND \"_entity\" IN (\(numbers.list(family: entity, includesSubentities: true)))"
                    : ""
                statements.append(
                    (
                        table.name,
                        "DELETE FROM \(SQLFragment.quoted(table.name)) WHERE \(column) IS NOT NULL "
                            + "AND \(column) NOT IN (SELECT \"_id\" FROM "
                            + "\(SQLFragment.quoted(target.name)))\(family)"
                    ))
            }
        }
        var isDone = false
        while !isDone {
            isDone = true
            for (table, sql) in statements {
                try connection.statement(sql: sql).run()
                let count = Int(connection.changes)
                if count > 0 {
                    isDone = false
                    repair.removed[table, default: 0] += count
                }
            }
        }
    }

    private func add(_ findings: [GraphReport.Finding], to repair: inout SalvageRepair) {
        for finding in findings {
            guard let entity = finding.entity.flatMap({ model.entity(named: $0) }) else { continue }
            let table = self.table(of: entity).name
            switch finding.kind {
            case .unknownEntity: repair.removed[table, default: 0] += finding.repairedCount
            case .danglingPair:
                guard
                    case .join(let index, _)? = finding.property
                        .flatMap({ entity.property(named: $0)?.relationship?.storage })
                else { continue }
                repair.removed[joins[index].name, default: 0] += finding.repairedCount
            case .danglingReference, .strayReference, .oneSidedReference, .impossibleRow:
                repair.emptied[table, default: 0] += finding.repairedCount
            default: continue
            }
        }
    }
}
