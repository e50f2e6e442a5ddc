// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreSQLite

extension GraphChecker {
    /// One end of the pairs of a join table, as SQL.
    private struct End {
        let side: JoinTableSchema.Side
        let entity: Entity
        let property: Property?
        let table: EntityTable

        init(_ end: JoinTable.Side, _ side: JoinTableSchema.Side, _ map: StoreMap) {
            self.side = side
            entity = map.model.entities[end.entityIndex]
            property = end.propertyIndex.map { map.model.entities[end.entityIndex].properties[$0] }
            table = map.schema.table(of: entity)
        }
    }

    private struct Pair {
        let first: Int64
        let second: Int64
        let isDangling: Bool
        let firstEntity: Int64
        let secondEntity: Int64
    }

    /// Finds memberships of objects that do not exist, or cannot be members.
    func checkPairs(_ join: JoinTable) throws {
        let schema = map.schema.joins[join.index]
        let first = End(join.first, schema.first, map)
        let second = End(join.second, schema.second, map)
        guard let property = first.property?.name else { return }
        let name = quoted(schema.name)
        let matches = "\(quoted(schema.first.key)) = ?1 AND \(quoted(schema.second.key)) = ?2"
        for pair in try faultyPairs(schema, first, second) {
            let keys: [SQLBinding] = [.integer(pair.first), .integer(pair.second)]
            if pair.isDangling {
                guard note(.danglingPair, first.entity, property) else { continue }
                try run("DELETE FROM \(name) WHERE \(matches)", keys)
                tell(of: pair, first, second, isRemoved: true)
            } else if note(.wrongPairEntity, first.entity, property) {
                let assignments = [
                    (schema.first, pair.firstEntity), (schema.second, pair.secondEntity),
                ]
                .compactMap { side, number in side.entity.map { "\(quoted($0)) = \(number)" } }
                try run(
                    "UPDATE \(name) SET \(assignments.joined(separator: ", ")) WHERE \(matches)",
                    keys)
            }
        }
        if join.isSymmetric { try completePairs(schema, first, second, property) }
    }

    private func faultyPairs(
        _ schema: JoinTableSchema, _ first: End, _ second: End
    ) throws -> [Pair] {
        let ends = [(first, "a"), (second, "b")]
        let dangling = ends.map { end, alias in
            "\(alias).\"_id\" IS NULL OR \(alias).\"_id\" < 1 "
                + "OR \(entityColumn(end.table, alias: alias)) NOT IN (\(family(end.entity)))"
        }.joined(separator: " OR ")
        let mislabelled = ends.compactMap { end, alias in
            end.side.entity.map {
                "j.\(quoted($0)) IS NOT \(entityColumn(end.table, alias: alias))"
            }
        }
        let joins = ends.map { end, alias in
            "LEFT JOIN \(quoted(end.table.name)) AS \(alias) "
                + "ON \(alias).\"_id\" = j.\(quoted(end.side.key))"
        }.joined(separator: " ")
        return try collect(
            """
            SELECT j.\(quoted(schema.first.key)), j.\(quoted(schema.second.key)), \(dangling), \
            \(entityColumn(first.table, alias: "a")), \(entityColumn(second.table, alias: "b")) \
            FROM \(quoted(schema.name)) AS j \(joins) \
            WHERE \(([dangling] + mislabelled).joined(separator: " OR "))
            """
        ) { row in
            Pair(
                first: row.int64(at: 0), second: row.int64(at: 1),
                isDangling: row.int64(at: 2) == 1, firstEntity: row.int64(at: 3),
                secondEntity: row.int64(at: 4))
        }
    }

    /// Adds the missing direction where a relationship is its own inverse.
    private func completePairs(
        _ schema: JoinTableSchema, _ first: End, _ second: End, _ property: String
    ) throws {
        let (one, two) = (quoted(schema.first.key), quoted(schema.second.key))
        let missing = try collect(
            """
            SELECT j.\(two), j.\(one), \(entityColumn(second.table, alias: "b")), \
            \(entityColumn(first.table, alias: "a")) FROM \(quoted(schema.name)) AS j \
            JOIN \(quoted(first.table.name)) AS a ON a."_id" = j.\(one) \
            JOIN \(quoted(second.table.name)) AS b ON b."_id" = j.\(two) \
            WHERE NOT EXISTS (SELECT 1 FROM \(quoted(schema.name)) AS k \
            WHERE k.\(one) = j.\(two) AND k.\(two) = j.\(one))
            """
        ) { row in
            Pair(
                first: row.int64(at: 0), second: row.int64(at: 1), isDangling: false,
                firstEntity: row.int64(at: 2), secondEntity: row.int64(at: 3))
        }
        var columns = [one, two]
        for side in [schema.first, schema.second] {
            if let entity = side.entity { columns.append(quoted(entity)) }
        }
        for pair in missing where note(.oneSidedPair, first.entity, property) {
            var values: [SQLBinding] = [.integer(pair.first), .integer(pair.second)]
            if schema.first.entity != nil { values.append(.integer(pair.firstEntity)) }
            if schema.second.entity != nil { values.append(.integer(pair.secondEntity)) }
            let marks = values.map { _ in "?" }.joined(separator: ", ")
            try run(
                "INSERT INTO \(quoted(schema.name)) (\(columns.joined(separator: ", "))) "
                    + "VALUES (\(marks))", values)
            tell(of: pair, first, second, isRemoved: false)
        }
    }

    private func tell(of pair: Pair, _ first: End, _ second: End, isRemoved: Bool) {
        // What a context has in memory is found by the key; which entity of the hierarchy an ID
        // says does not matter for that.
        let one = id(pair.first, entity: first.entity.index)
        let two = id(pair.second, entity: second.entity.index)
        guard let property = first.property else { return }
        noteMembers(
            of: one, property.index, added: isRemoved ? [] : [two], removed: isRemoved ? [two] : [])
    }
}
