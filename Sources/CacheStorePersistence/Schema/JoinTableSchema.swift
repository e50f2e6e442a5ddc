// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreSQLite

/// The table of pairs behind a many-to-many relationship, or behind one without an inverse.
package struct JoinTableSchema: Sendable {
    /// One end of the pairs.
    package struct Side: Sendable, Hashable {
        /// The column with the key of the object at this end.
        package let key: String
        /// The column with its entity, where that can vary.
        package let entity: String?
        /// The column with the place of the other end's object among this end's members.
        package let position: String?
        package let rootIndex: Int
    }

    package let index: Int
    package let name: String
    package let first: Side
    package let second: Side
    package let isSymmetric: Bool

    init(_ join: JoinTable, in model: ManagedObjectModel, name: String) {
        index = join.index
        self.name = name
        isSymmetric = join.isSymmetric
        var names = NameAllocator()
        let (one, two) = (
            model.entities[join.first.entityIndex], model.entities[join.second.entityIndex]
        )
        let property = join.first.propertyIndex.map { one.properties[$0].name } ?? one.name
        let firstName = Self.columnName(one.name)
        var secondName = Self.columnName(two.name)
        if secondName.lowercased() == firstName.lowercased() { secondName = property }
        let firstKey = names.take(firstName + "_id")
        let secondKey = names.take(secondName + "_id")
        func side(_ side: JoinTable.Side, key: String, name: String) -> Side {
            let entity = model.entities[side.entityIndex]
            let property = side.propertyIndex.map { entity.properties[$0].name } ?? ""
            return Side(
                key: key, entity: entity.hasSubentities ? names.take(name + "_entity") : nil,
                position: side.isOrdered ? names.take(property + "_position") : nil,
                rootIndex: entity.rootIndex)
        }
        first = side(join.first, key: firstKey, name: firstName)
        second =
            join.isSymmetric
            ? Side(
                key: secondKey,
                entity: two.hasSubentities ? names.take(secondName + "_entity") : nil,
                position: nil, rootIndex: two.rootIndex)
            : side(join.second, key: secondKey, name: secondName)
    }

    private static func columnName(_ entity: String) -> String {
        entity.prefix(1).lowercased() + entity.dropFirst()
    }

    /// The end of the owner, and the end of its members.
    func ends(isFirst: Bool) -> (own: Side, far: Side) {
        isFirst ? (first, second) : (second, first)
    }

    /// The definitions of all columns, by name, in the order of the table.
    var definitions: [(name: String, definition: String)] {
        var definitions = [(first.key, "INTEGER NOT NULL"), (second.key, "INTEGER NOT NULL")]
        for side in [first, second] {
            if let entity = side.entity { definitions.append((entity, "INTEGER NOT NULL")) }
            if let position = side.position { definitions.append((position, "INTEGER")) }
        }
        return definitions
    }

    var createStatement: String {
        let columns = definitions.map { "\(SQLFragment.quoted($0.name)) \($0.definition)" }
        let keys = [first.key, second.key].map { SQLFragment.quoted($0) }
        return "CREATE TABLE \(SQLFragment.quoted(name)) (\(columns.joined(separator: ", ")), "
            + "PRIMARY KEY (\(keys.joined(separator: ", ")))) WITHOUT ROWID"
    }
}
