// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreSQLite

extension GraphChecker {
    /// A to-one relationship in the columns of its table.
    struct Reference {
        let property: Property
        /// The entity that declares it.
        let entity: Entity
        let table: EntityTable
        let column: String
        /// The column with the entity of the row that is referred to, where that can vary.
        let entityColumn: String?
        /// The column with the place among the members of an ordered inverse.
        let position: String?
        let destination: Entity
        let destinationTable: EntityTable
        let inverse: Property?
    }

    func reference(_ property: Property, of entity: Entity) -> Reference? {
        guard let relationship = property.relationship, relationship.storage == .ownColumn,
            let cell = property.column
        else { return nil }
        let table = map.schema.table(of: entity)
        let destination = model.entities[relationship.destinationIndex]
        return Reference(
            property: property, entity: entity, table: table,
            column: table.column(ofCell: cell).name,
            entityColumn: property.entityColumn.map { table.column(ofCell: $0).name },
            position: table.position(ofCell: cell)?.name, destination: destination,
            destinationTable: map.schema.table(of: destination),
            inverse: relationship.inverseIndex.map { destination.properties[$0] })
    }

    /// Finds references to rows that do not exist, or that the relationship cannot lead to.
    func checkReference(_ property: Property, of entity: Entity) throws {
        guard let reference = reference(property, of: entity) else { return }
        let column = "t.\(quoted(reference.column))"
        let target = entityColumn(reference.destinationTable, alias: "d")
        let isStray =
            entity.index == entity.rootIndex
            ? "0" : "\(entityColumn(reference.table, alias: "t")) NOT IN (\(family(entity)))"
        let isDangling =
            "d.\"_id\" IS NULL OR d.\"_id\" < 1 OR \(target) NOT IN (\(family(reference.destination)))"
        let isMislabelled =
            reference.entityColumn.map { "t.\(quoted($0)) IS NOT \(target)" } ?? "0"
        let faults = try collect(
            """
            SELECT t."_id", t."_version", \(entityColumn(reference.table, alias: "t")), \
            \(isStray), \(isDangling), \(target), \(column) \
            FROM \(quoted(reference.table.name)) AS t \
            LEFT JOIN \(quoted(reference.destinationTable.name)) AS d ON d."_id" = \(column) \
            WHERE \(column) IS NOT NULL AND (\(isStray) OR \(isDangling) OR \(isMislabelled))
            """
        ) { row in
            (
                row: Row(
                    key: row.int64(at: 0), version: row.int64(at: 1),
                    entity: entityIndex(row.int64(at: 2), in: reference.table)),
                isStray: row.int64(at: 3) == 1, isDangling: row.int64(at: 4) == 1,
                targetEntity: row.int64(at: 5), target: row.int64(at: 6)
            )
        }
        for fault in faults {
            if fault.isStray {
                guard note(.strayReference, entity, property.name) else { continue }
                try set(reference, of: fault.row, to: nil)
                // The row has no property to show it; the object that had it as a member has.
                if let inverse = reference.inverse, inverse.isToMany, !fault.isDangling {
                    let owner = entityIndex(fault.targetEntity, in: reference.destinationTable)
                    noteMembers(
                        of: id(fault.target, entity: owner), inverse.index,
                        removed: [id(of: fault.row)])
                }
            } else if fault.isDangling {
                if note(
                    .danglingReference, entity, property.name, isRepairable: property.isOptional)
                {
                    try set(reference, of: fault.row, to: nil)
                }
            } else if note(.wrongReferenceEntity, entity, property.name) {
                let index = entityIndex(fault.targetEntity, in: reference.destinationTable)
                try set(reference, of: fault.row, to: id(fault.target, entity: index))
            }
        }
    }

    private func set(
        _ reference: Reference, of row: Row, to target: ManagedObjectID?
    ) throws {
        var assignments = ["\(quoted(reference.column)) = ?1"]
        if let column = reference.entityColumn { assignments.append("\(quoted(column)) = ?2") }
        if target == nil, let position = reference.position {
            assignments.append("\(quoted(position)) = NULL")
        }
        var bindings: [SQLBinding] = [target.map { .integer($0.key) } ?? .null]
        let number = target.map { map.numbers.numbers[Int($0.entityIndex)] }
        if reference.entityColumn != nil {
            bindings.append(number.map { .integer($0) } ?? .null)
        }
        bindings.append(.integer(row.key))
        try run(
            "UPDATE \(quoted(reference.table.name)) SET \(assignments.joined(separator: ", ")), "
                + "\"_version\" = \"_version\" + 1 WHERE \"_id\" = ?\(bindings.count)", bindings)
        noteUpdate(of: row, reference.property, to: target.map { .object($0) } ?? .null)
    }

    // MARK: One-to-one

    /// Makes the two ends of a one-to-one relationship agree.
    ///
    /// First those are emptied whose other end belongs to somebody else. What is then not returned
    /// leads to an object that belongs to nobody: the first who claims it gets it.
    func checkOneToOne(_ property: Property, of entity: Entity) throws {
        guard let one = reference(property, of: entity), let inverse = one.inverse,
            !inverse.isToMany
        else { return }
        let inverseEntity = model.entities[inverse.declaringEntityIndex]
        // Once for both ends.
        let isSymmetric =
            inverseEntity.index == entity.index && inverse.index == property.index
        guard isSymmetric || (entity.index, property.index) < (inverseEntity.index, inverse.index),
            let other = reference(inverse, of: inverseEntity)
        else { return }
        let directions = isSymmetric ? [(one, one)] : [(one, other), (other, one)]
        guard repairs else {
            for (from, to) in directions {
                for fault in try oneSided(from, to) {
                    _ = note(
                        .oneSidedReference, from.entity, from.property.name,
                        isRepairable: fault.isFree || from.property.isOptional)
                }
            }
            return
        }
        for (from, to) in directions {
            for fault in try oneSided(from, to) where !fault.isFree {
                if note(
                    .oneSidedReference, from.entity, from.property.name,
                    isRepairable: from.property.isOptional)
                {
                    try set(from, of: fault.row, to: nil)
                }
            }
        }
        for (from, to) in directions {
            var taken: Set<Int64> = []
            for fault in try oneSided(from, to) where fault.isFree {
                let isFirst = taken.insert(fault.target.key).inserted
                guard
                    note(
                        .oneSidedReference, from.entity, from.property.name,
                        isRepairable: isFirst || from.property.isOptional)
                else { continue }
                if isFirst {
                    try set(to, of: fault.target, to: id(of: fault.row))
                } else {
                    try set(from, of: fault.row, to: nil)
                }
            }
        }
    }

    private struct OneSided {
        let row: Row
        let target: Row
        /// Whether the other end refers to nothing.
        let isFree: Bool
    }

    private func oneSided(_ from: Reference, _ to: Reference) throws -> [OneSided] {
        let back = "d.\(quoted(to.column))"
        let column = "t.\(quoted(from.column))"
        return try collect(
            """
            SELECT t."_id", t."_version", \(entityColumn(from.table, alias: "t")), d."_id", \
            d."_version", \(entityColumn(to.table, alias: "d")), \(back) IS NULL \
            FROM \(quoted(from.table.name)) AS t \
            JOIN \(quoted(to.table.name)) AS d ON d."_id" = \(column) \
            WHERE \(back) IS NOT t."_id" ORDER BY t."_id"
            """
        ) { row in
            OneSided(
                row: Row(
                    key: row.int64(at: 0), version: row.int64(at: 1),
                    entity: entityIndex(row.int64(at: 2), in: from.table)),
                target: Row(
                    key: row.int64(at: 3), version: row.int64(at: 4),
                    entity: entityIndex(row.int64(at: 5), in: to.table)),
                isFree: row.int64(at: 6) == 1)
        }
    }
}
