// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import CacheStoreSQLite

/// The tables of one SELECT: that of a scope's object, and those it reaches through to-one paths.
final class QueryFrame {
    let alias: String
    /// The root entity of the scope's object.
    let rootIndex: Int
    private var aliases: [[PropertyPath.Step]: String] = [:]
    /// The joins so far. They bind no values, so their place in the text is free.
    private(set) var joins = ""

    init(alias: String, rootIndex: Int) {
        self.alias = alias
        self.rootIndex = rootIndex
    }

    /// The alias of the table at the end of some to-one relationships; each path is joined once.
    func alias(
        following steps: ArraySlice<PropertyPath.Step>, map: StoreMap, newAlias: () -> String
    ) -> String {
        var current = alias
        var path: [PropertyPath.Step] = []
        for step in steps {
            path.append(step)
            if let known = aliases[path] {
                current = known
                continue
            }
            let entity = map.model.entities[step.entityIndex]
            let property = entity.properties[step.propertyIndex]
            guard let cell = property.column, let relationship = property.relationship else {
                continue
            }
            let column = map.schema.table(of: entity).column(ofCell: cell).name
            let destination = map.model.entities[relationship.destinationIndex]
            let next = newAlias()
            joins +=
                " LEFT JOIN \(map.table(of: destination)) AS \(next)"
                + " ON \(next).\"_id\" = \(current).\(SQLFragment.quoted(column))"
            aliases[path] = next
            current = next
        }
        return current
    }
}
