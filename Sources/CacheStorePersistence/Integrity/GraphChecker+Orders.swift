// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreSQLite

extension GraphChecker {
    /// Numbers the members anew where two share a place, or one has none.
    ///
    /// Nobody sees a change: the order becomes what reading made of it before. A single member is in
    /// order whatever its place.
    func checkOrders() throws {
        for entity in model.entities {
            for property in entity.properties where property.declaringEntityIndex == entity.index {
                guard let places = map.places(of: property.relationship) else { continue }
                let condition = condition(property, of: entity, places)
                for owner in try unclearOwners(places, condition)
                where note(.unclearOrder, entity, property.name) {
                    try renumber(places, condition, owner: owner)
                }
            }
        }
    }

    /// Which rows can be members: those that have the relationship back.
    private func condition(
        _ property: Property, of entity: Entity, _ places: StoreMap.Places
    ) -> String {
        guard let relationship = property.relationship, relationship.storage == .inverseColumn,
            let inverse = relationship.inverseIndex
        else { return "1" }
        let destination = model.entities[relationship.destinationIndex]
        let declaring = model.entities[destination.properties[inverse].declaringEntityIndex]
        let family =
            map.schema.table(of: destination).hasEntityColumn
            ? "\"_entity\" IN (\(family(declaring))) AND " : ""
        return family + "\(places.owner) IN (SELECT \"_id\" FROM \(map.table(of: entity)))"
    }

    private func unclearOwners(_ places: StoreMap.Places, _ condition: String) throws -> [Int64] {
        try collect(
            """
            SELECT \(places.owner) FROM \(places.table) \
            WHERE \(places.owner) IS NOT NULL AND \(condition) GROUP BY 1 \
            HAVING count(*) > 1 AND (count(DISTINCT \(places.position)) < count(*) \
            OR sum(typeof(\(places.position)) <> 'integer' OR \(places.position) < 0) > 0)
            """
        ) { $0.int64(at: 0) }
    }

    private func renumber(
        _ places: StoreMap.Places, _ condition: String, owner: Int64
    ) throws {
        let select = try connection.statement(
            sql: """
                SELECT \(places.member) FROM \(places.table) \
                WHERE \(places.owner) = ? AND \(condition) \
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
