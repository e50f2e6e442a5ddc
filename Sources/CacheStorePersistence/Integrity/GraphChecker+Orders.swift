// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreSQLite

extension GraphChecker {
    /// Where the members of an ordered relationship have their places.
    private struct Places {
        let entity: Entity
        let property: String
        let table: String
        let owner: String
        let member: String
        let position: String
        /// The rows that can be members: those that have the relationship back.
        let condition: String
    }

    /// Numbers the members anew where two share a place, or one has none.
    ///
    /// Nobody sees a change: the order becomes what reading made of it before. A single member is in
    /// order whatever its place.
    func checkOrders() throws {
        for entity in model.entities {
            for property in entity.properties where property.declaringEntityIndex == entity.index {
                guard let places = places(property, of: entity) else { continue }
                for owner in try unclearOwners(places)
                where note(.unclearOrder, entity, property.name) {
                    try renumber(places, owner: owner)
                }
            }
        }
    }

    private func places(_ property: Property, of entity: Entity) -> Places? {
        guard let relationship = property.relationship, relationship.description.isOrdered else {
            return nil
        }
        switch relationship.storage {
        case .ownColumn: return nil
        case .join(let index, let isFirst):
            let join = map.schema.joins[index]
            let ends = join.ends(isFirst: isFirst)
            guard let position = ends.own.position else { return nil }
            return Places(
                entity: entity, property: property.name, table: quoted(join.name),
                owner: quoted(ends.own.key), member: quoted(ends.far.key),
                position: quoted(position), condition: "1")
        case .inverseColumn:
            let destination = model.entities[relationship.destinationIndex]
            guard let inverse = relationship.inverseIndex.map({ destination.properties[$0] }),
                let cell = inverse.column,
                let position = map.schema.table(of: destination).position(ofCell: cell)
            else { return nil }
            let table = map.schema.table(of: destination)
            let declaring = model.entities[inverse.declaringEntityIndex]
            let owner = quoted(table.column(ofCell: cell).name)
            return Places(
                entity: entity, property: property.name, table: quoted(table.name), owner: owner,
                member: "\"_id\"",
                position: quoted(position.name),
                condition: (table.hasEntityColumn
                    ? "\"_entity\" IN (\(family(declaring))) AND " : "")
                    + "\(owner) IN (SELECT \"_id\" FROM \(quoted(map.schema.table(of: entity).name)))"
            )
        }
    }

    private func unclearOwners(_ places: Places) throws -> [Int64] {
        try collect(
            """
            SELECT \(places.owner) FROM \(places.table) \
            WHERE \(places.owner) IS NOT NULL AND \(places.condition) GROUP BY 1 \
            HAVING count(*) > 1 AND (count(DISTINCT \(places.position)) < count(*) \
            OR sum(typeof(\(places.position)) <> 'integer' OR \(places.position) < 0) > 0)
            """
        ) { $0.int64(at: 0) }
    }

    private func renumber(_ places: Places, owner: Int64) throws {
        let select = try connection.statement(
            sql: """
                SELECT \(places.member) FROM \(places.table) \
                WHERE \(places.owner) = ? AND \(places.condition) \
                ORDER BY \(places.position) IS NULL, \(places.position), \(places.member)
                """)
        try select.bind([.integer(owner)])
        var members: [Int64] = []
        try select.rows { members.append($0.int64(at: 0)) }
        for (place, member) in members.enumerated() {
            try run(
                "UPDATE \(places.table) SET \(places.position) = ?1 "
                    + "WHERE \(places.owner) = ?2 AND \(places.member) = ?3",
                [.integer(Int64(place)), .integer(owner), .integer(member)])
        }
    }
}
