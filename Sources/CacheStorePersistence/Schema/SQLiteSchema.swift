// SPDX-License-Identifier: MIT

package import CacheStoreModel
import CacheStoreSQLite

/// The tables that a model has in a SQLite store.
///
/// One table for each hierarchy of entities, named as its root, with one column for each stored
/// property, named as the property: a person with a SQLite shell can read it. Names that SQLite
/// would take for the same, or for its own, get a suffix.
package final class SQLiteSchema: Sendable {
    package let model: ManagedObjectModel
    /// By the index of the root entity.
    package let tables: [Int: EntityTable]
    /// By the index of the join table in the model.
    package let joins: [JoinTableSchema]
    package let indexes: [IndexSchema]

    package init(model: ManagedObjectModel) {
        self.model = model
        var names = NameAllocator()
        let roots = model.entities.filter { $0.rootIndex == $0.index }
        var tables: [Int: EntityTable] = [:]
        for root in roots {
            tables[root.index] = EntityTable(
                root: root, ordered: Self.orderedInverses(of: root, in: model),
                name: names.takeTable(root.name))
        }
        joins = model.joins.map { join in
            let owner = model.entities[join.first.entityIndex]
            let property = join.first.propertyIndex.map { owner.properties[$0].name } ?? "members"
            return JoinTableSchema(
                join, in: model, name: names.takeTable("\(owner.name)_\(property)"))
        }
        var indexes: [IndexSchema] = []
        for root in roots {
            guard let table = tables[root.index] else { continue }
            indexes += IndexSchema.indexes(of: root, table: table, model: model, names: &names)
        }
        for join in joins {
            indexes.append(
                IndexSchema(
                    name: names.takeTable(join.name + "_reverse"), table: join.name,
                    columns: [join.second.key, join.first.key], isUnique: false, entities: nil))
        }
        self.tables = tables
        self.indexes = indexes
    }

    package func table(of entity: Entity) -> EntityTable {
        guard let table = tables[entity.rootIndex] else {
            preconditionFailure("an entity of another model")
        }
        return table
    }

    /// The positions that rows of a hierarchy keep, for ordered to-many relationships to them.
    private static func orderedInverses(
        of root: Entity, in model: ManagedObjectModel
    ) -> [EntityTable.Position] {
        var positions: [EntityTable.Position] = []
        for entity in model.entities {
            for property in entity.properties where property.declaringEntityIndex == entity.index {
                guard let relationship = property.relationship,
                    relationship.description.isOrdered, relationship.storage == .inverseColumn,
                    let inverse = relationship.inverseIndex
                else { continue }
                let destination = model.entities[relationship.destinationIndex]
                let reference = destination.properties[inverse]
                guard destination.rootIndex == root.index, let cell = reference.column else {
                    continue
                }
                positions.append(
                    EntityTable.Position(
                        name: reference.name + "_position", referenceCell: cell,
                        property: reference.name,
                        declaringEntityIndex: reference.declaringEntityIndex))
            }
        }
        return positions
    }
}
