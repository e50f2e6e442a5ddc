// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreSQLite

extension StoreMap {
    /// Where the members of an ordered relationship have their places: a table, and columns of it.
    /// All names are quoted.
    struct Places: Sendable {
        let table: String
        /// The key of the object that has the relationship.
        let owner: String
        let member: String
        let position: String

        fileprivate init(table: String, owner: String, member: String, position: String) {
            self.table = SQLFragment.quoted(table)
            self.owner = SQLFragment.quoted(owner)
            self.member = SQLFragment.quoted(member)
            self.position = SQLFragment.quoted(position)
        }
    }

    /// `nil` for what is no ordered relationship.
    func places(of relationship: Property.Relationship?) -> Places? {
        guard let relationship, relationship.description.isOrdered else { return nil }
        switch relationship.storage {
        case .ownColumn: return nil
        case .join(let index, let isFirst):
            let join = schema.joins[index]
            let ends = join.ends(isFirst: isFirst)
            guard let position = ends.own.position else { return nil }
            return Places(
                table: join.name, owner: ends.own.key, member: ends.far.key, position: position)
        case .inverseColumn:
            let destination = model.entities[relationship.destinationIndex]
            let table = schema.table(of: destination)
            guard let inverse = relationship.inverseIndex,
                let cell = destination.properties[inverse].column,
                let position = table.position(ofCell: cell)
            else { return nil }
            return Places(
                table: table.name, owner: table.column(ofCell: cell).name, member: "_id",
                position: position.name)
        }
    }
}
