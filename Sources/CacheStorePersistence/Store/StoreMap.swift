// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreSQLite

/// What a store knows of its model and its file from the moment it is open: prepared once, read by
/// every thread.
final class StoreMap: Sendable {
    let model: ManagedObjectModel
    let schema: SQLiteSchema
    let numbers: EntityNumbers
    /// By the entity's index.
    let selects: [SelectPlan]
    /// By the entity's index.
    let inserts: [WritePlan]
    /// The columns of a join table in which objects of an entity stand, by the entity's index.
    let joinColumns: [[JoinColumn]]
    /// The properties of an entity whose values may have files of their own.
    let externals: [[Property]]

    struct JoinColumn: Sendable {
        let table: String
        let column: String
    }

    init(schema: SQLiteSchema, numbers: EntityNumbers) {
        self.schema = schema
        self.numbers = numbers
        model = schema.model
        selects = model.entities.map { SelectPlan(entity: $0, schema: schema) }
        inserts = model.entities.map { WritePlan.insert($0, schema: schema) }
        externals = model.entities.map { entity in
            ValueEncoder.opaqueProperties(of: entity).filter {
                $0.attribute?.options.contains(.externalStorage) ?? false
            }
        }
        var columns = [[JoinColumn]](repeating: [], count: model.entities.count)
        for join in model.joins {
            let table = schema.joins[join.index]
            for (side, end) in [(join.first, table.first), (join.second, table.second)] {
                for index in model.entities[side.entityIndex].familyIndexes {
                    columns[index].append(JoinColumn(table: table.name, column: end.key))
                }
            }
        }
        joinColumns = columns
    }

    func root(of id: ManagedObjectID) -> Int { model.entities[Int(id.entityIndex)].rootIndex }

    func entity(of id: ManagedObjectID) -> Entity { model.entities[Int(id.entityIndex)] }

    /// The quoted name of an entity's table.
    func table(of entity: Entity) -> String { SQLFragment.quoted(schema.table(of: entity).name) }
}
