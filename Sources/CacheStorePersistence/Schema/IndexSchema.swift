// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreSQLite

/// An index of a table, with everything that decides whether two are the same.
package struct IndexSchema: Sendable, Hashable {
    package let name: String
    package let table: String
    package let columns: [String]
    package let isUnique: Bool
    /// The names of the entities whose rows are in the index; `nil` for all rows of the table.
    package let entities: [String]?

    func createStatement(_ numbers: EntityNumbers) -> String {
        let list = columns.map { SQLFragment.quoted($0) }.joined(separator: ", ")
        var text = isUnique ? "CREATE UNIQUE INDEX " : "CREATE INDEX "
        text += "\(SQLFragment.quoted(name)) ON \(SQLFragment.quoted(table)) (\(list))"
        if let entities {
            let family = entities.compactMap { numbers.number(ofEntityNamed: $0) }
            text += " WHERE \"_entity\" IN (\(EntityNumbers.list(family)))"
        }
        return text
    }
}

extension IndexSchema {
    /// The indexes that a hierarchy's table has.
    static func indexes(
        of root: Entity, table: EntityTable, model: ManagedObjectModel, names: inout NameAllocator
    ) -> [IndexSchema] {
        var indexes: [IndexSchema] = []
        var seen: Set<[String]> = []
        func add(
            _ columns: [String], _ suffix: String = "", unique: Bool = false,
            entities: [String]? = nil
        ) {
            // A unique index over all rows serves for lookups too.
            if !unique, !seen.insert(columns).inserted { return }
            if unique, entities == nil { seen.insert(columns) }
            let name = names.takeTable(
                ([table.name] + columns).joined(separator: "_") + suffix)
            indexes.append(
                IndexSchema(
                    name: name, table: table.name, columns: columns, isUnique: unique,
                    entities: entities))
        }
        let family = root.familyIndexes.map { model.entities[$0] }
        for entity in family {
            for constraint in entity.constraints
            where constraint.declaringEntityIndex == entity.index {
                let columns = constraint.propertyIndexes.compactMap {
                    entity.properties[$0].column.map { table.column(ofCell: $0).name }
                }
                add(
                    columns, "_unique", unique: true,
                    entities: entity.index == root.index
                        ? nil : entity.familyIndexes.map { model.entities[$0].name }.sorted())
            }
        }
        for column in table.columns {
            switch column.role {
            case .reference: add([column.name])
            case .attribute(_, let options) where options.contains(.indexed): add([column.name])
            default: break
            }
        }
        for entity in family {
            for index in entity.description.indexes {
                let columns = index.properties.compactMap { name in
                    entity.property(named: name)?.column.map { table.column(ofCell: $0).name }
                }
                add(columns)
            }
        }
        return indexes
    }
}
