// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery

@testable import CacheStorePersistence

/// A row of an in-memory store as queries see it.
struct MemoryQueryObject: QueryObject {
    let content: MemoryContent
    let space: IdentitySpace
    let key: Int64
    let row: MemoryContent.Row

    private var entity: Entity { content.model.entities[row.entityIndex] }

    var queryID: ManagedObjectID {
        ManagedObjectID(space: space, entityIndex: row.entityIndex, key: key)
    }

    func queryValue(ofProperty index: Int) -> PropertyValue {
        // A path may lead to an object of another entity than the model says: what is kept in a
        // store is data.
        row.values.indices.contains(index) ? row.values[index] : .null
    }

    func queryObject(toOne index: Int) -> (any QueryObject)? {
        guard case .object(let id) = queryValue(ofProperty: index) else { return nil }
        return content.row(id).map {
            MemoryQueryObject(content: content, space: space, key: id.key, row: $0)
        }
    }

    func queryObjects(toMany index: Int) -> [any QueryObject] {
        guard let relationship = entity.properties[index].relationship else { return [] }
        let destination = content.model.entities[relationship.destinationIndex]
        return content.members(of: relationship, owner: key).compactMap { member in
            content.row(of: destination, key: member.key).map {
                MemoryQueryObject(content: content, space: space, key: member.key, row: $0)
            }
        }
    }
}
