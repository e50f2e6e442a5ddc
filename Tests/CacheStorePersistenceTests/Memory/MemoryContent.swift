// SPDX-License-Identifier: MIT

import CacheStoreModel

@testable import CacheStorePersistence

/// What an in-memory store holds, as one value: a save works on a copy and replaces the whole.
///
/// Written to be evidently right rather than fast: it is what the SQLite store is compared with.
struct MemoryContent {
    struct Row {
        var entityIndex: Int
        var version: Int64
        /// One value for each property; to-many relationships and transient attributes are null.
        var values: ContiguousArray<PropertyValue>
        /// The places among the members of the object that a to-one relationship refers to, by the
        /// index of the to-one relationship.
        var positions: [Int: Int] = [:]
    }

    /// One row of a join table.
    struct Pair {
        /// The keys of the first and the second side.
        var first: Int64
        var second: Int64
        /// The place of the second among the members of the first, and the other way round.
        var positionOfSecond: Int?
        var positionOfFirst: Int?
    }

    /// A member of a to-many relationship.
    struct Member {
        var key: Int64
        var position: Int?
    }

    let model: ManagedObjectModel
    /// The rows of each hierarchy by key, by the index of its root entity.
    var tables: [Int: [Int64: Row]] = [:]
    /// The pairs of each join table, by its index.
    var joins: [[Pair]]
    /// The last key that was given out, by the index of the root entity.
    var lastKeys: [Int: Int64] = [:]
    var metadata: [String: PropertyValue] = [:]

    init(model: ManagedObjectModel) {
        self.model = model
        joins = Array(repeating: [], count: model.joins.count)
    }

    func row(of entity: Entity, key: Int64) -> Row? { tables[entity.rootIndex]?[key] }

    func row(_ id: ManagedObjectID) -> Row? { row(of: id.resolvedEntity, key: id.key) }

    mutating func reserveKeys(for entity: Entity, count: Int) -> Range<Int64> {
        guard count > 0 else { return 0..<0 }
        let first = lastKeys[entity.rootIndex, default: 0] + 1
        lastKeys[entity.rootIndex] = first + Int64(count) - 1
        return first..<first + Int64(count)
    }

    /// The members of one object's to-many relationship, by position where it is ordered, those
    /// without a position behind the others, and then by key.
    func members(of relationship: Property.Relationship, owner: Int64) -> [Member] {
        let destination = model.entities[relationship.destinationIndex]
        let isOrdered = relationship.description.isOrdered
        var members: [Member] = []
        switch relationship.storage {
        case .ownColumn: break
        case .inverseColumn:
            guard let inverse = relationship.inverseIndex else { break }
            let declaring = destination.properties[inverse].declaringEntityIndex
            for (key, row) in tables[destination.rootIndex] ?? [:]
            where model.entities[declaring].familyIndexes.contains(row.entityIndex) {
                guard case .object(let id) = row.values[inverse], id.key == owner else { continue }
                members.append(
                    Member(key: key, position: isOrdered ? row.positions[inverse] : nil))
            }
        case .join(let index, let isFirst):
            for pair in joins[index] where (isFirst ? pair.first : pair.second) == owner {
                let key = isFirst ? pair.second : pair.first
                guard row(of: destination, key: key) != nil else { continue }
                let position = isFirst ? pair.positionOfSecond : pair.positionOfFirst
                members.append(Member(key: key, position: isOrdered ? position : nil))
            }
        }
        return members.sorted {
            ($0.position ?? .max, $0.key) < ($1.position ?? .max, $1.key)
        }
    }
}
