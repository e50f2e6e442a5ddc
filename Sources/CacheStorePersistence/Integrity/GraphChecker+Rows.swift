// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreSQLite

extension GraphChecker {
    /// Counts the rows of a hierarchy, and looks at what each row says about itself.
    func checkTable(of root: Entity) throws {
        let table = map.schema.table(of: root)
        let entity = entityColumn(table, alias: "t")
        // One pass over the table tells whether there is anything to look for.
        let groups = try collect(
            """
            SELECT \(entity), count(*), min(t."_id"), \
            sum(typeof(t."_version") <> 'integer' OR t."_version" < 1) \
            FROM \(quoted(table.name)) AS t GROUP BY 1
            """
        ) { row in
            (
                number: row.type(at: 0) == .integer ? row.int64(at: 0) : -1,
                count: Int(row.int64(at: 1)), hasBadKeys: row.int64(at: 2) < 1,
                hasBadVersions: row.int64(at: 3) > 0
            )
        }
        var hasStrangers = false
        for group in groups {
            let index = map.numbers.index(ofNumber: group.number)
            if let index, root.familyIndexes.contains(index) {
                noteCount(group.count, of: model.entities[index])
            } else {
                hasStrangers = true
            }
        }
        if hasStrangers, table.hasEntityColumn { try removeStrangers(from: table, root: root) }
        if groups.contains(where: \.hasBadKeys) { try removeBadKeys(from: table, root: root) }
        if groups.contains(where: \.hasBadVersions) { try correctVersions(in: table, root: root) }
        try checkLastKey(of: root, table: table)
    }

    private func removeStrangers(from table: EntityTable, root: Entity) throws {
        for row in try rows(of: table, where: "t.\"_entity\" NOT IN (\(family(root)))")
        where note(.unknownEntity, root) {
            try remove(row, from: table)
        }
    }

    private func removeBadKeys(from table: EntityTable, root: Entity) throws {
        for row in try rows(of: table, where: "t.\"_id\" < 1") where note(.impossibleRow, root) {
            try remove(row, from: table)
        }
    }

    private func correctVersions(in table: EntityTable, root: Entity) throws {
        let rows = try rows(
            of: table, where: "typeof(t.\"_version\") <> 'integer' OR t.\"_version\" < 1")
        for row in rows where note(.impossibleRow, model.entities[row.entity]) {
            try run(
                "UPDATE \(quoted(table.name)) SET \"_version\" = 1 WHERE \"_id\" = ?",
                [.integer(row.key)])
        }
    }

    private func remove(_ row: Row, from table: EntityTable) throws {
        try run("DELETE FROM \(quoted(table.name)) WHERE \"_id\" = ?", [.integer(row.key)])
        noteDeletion(of: row)
    }

    private func checkLastKey(of root: Entity, table: EntityTable) throws {
        let isLow = try connection.statement(
            sql: """
                SELECT coalesce((SELECT max("_id") FROM \(quoted(table.name))), 0) > "last_key" \
                OR typeof("last_key") <> 'integer' OR "last_key" < 0 \
                FROM "cachestore_entities" WHERE "name" = ?
                """)
        try isLow.bind([.text(root.name)])
        guard try isLow.first({ $0.int64(at: 0) }) == 1, note(.lowKeyCount, root) else { return }
        try run(
            """
            UPDATE "cachestore_entities" \
            SET "last_key" = coalesce((SELECT max("_id") FROM \(quoted(table.name))), 0) \
            WHERE "name" = ?
            """, [.text(root.name)])
    }

    /// The rows of a table for which a condition over the alias `t` holds.
    func rows(of table: EntityTable, where condition: String) throws -> [Row] {
        try collect(
            """
            SELECT t."_id", t."_version", \(entityColumn(table, alias: "t")) \
            FROM \(quoted(table.name)) AS t WHERE \(condition)
            """
        ) { row in
            Row(
                key: row.int64(at: 0), version: row.int64(at: 1),
                entity: entityIndex(row.int64(at: 2), in: table))
        }
    }
}
