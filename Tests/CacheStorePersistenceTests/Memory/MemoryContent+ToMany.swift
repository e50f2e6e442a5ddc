// SPDX-License-Identifier: MIT

import CacheStoreModel

@testable import CacheStorePersistence

extension MemoryContent {
    /// Applies the changed members and orders of to-many relationships: all removals, then all
    /// additions, then all orders.
    mutating func applyToManyChanges(
        _ changes: [ChangeSet.ToManyChange], _ keys: AssignedKeys
    ) throws {
        for change in changes {
            guard case .join(let index, let isFirst) = relationship(change)?.storage else {
                continue
            }
            let owner = try keys.permanent(change.owner).key
            for member in try change.removed.map({ try keys.permanent($0).key }) {
                remove(owner, member, from: model.joins[index], isFirst: isFirst)
            }
        }
        for change in changes {
            guard case .join(let index, let isFirst) = relationship(change)?.storage else {
                continue
            }
            let owner = try keys.permanent(change.owner).key
            for member in try change.added.map({ try keys.permanent($0).key }) {
                add(owner, member, to: model.joins[index], isFirst: isFirst)
            }
        }
        for change in changes { try order(change, keys) }
    }

    private func relationship(_ change: ChangeSet.ToManyChange) -> Property.Relationship? {
        change.owner.resolvedEntity.properties[change.propertyIndex].relationship
    }

    // MARK: - Members

    private mutating func remove(
        _ owner: Int64, _ member: Int64, from join: JoinTable, isFirst: Bool
    ) {
        let (first, second) = isFirst ? (owner, member) : (member, owner)
        joins[join.index].removeAll {
            ($0.first == first && $0.second == second)
                || (join.isSymmetric && $0.first == second && $0.second == first)
        }
    }

    private mutating func add(
        _ owner: Int64, _ member: Int64, to join: JoinTable, isFirst: Bool
    ) {
        let (first, second) = isFirst ? (owner, member) : (member, owner)
        insert(Pair(first: first, second: second), into: join)
        if join.isSymmetric { insert(Pair(first: second, second: first), into: join) }
    }

    /// Adds a pair unless it is there: both ends may say that they have each other.
    private mutating func insert(_ pair: Pair, into join: JoinTable) {
        let isThere = joins[join.index].contains {
            $0.first == pair.first && $0.second == pair.second
        }
        if !isThere { joins[join.index].append(pair) }
    }

    // MARK: - Order

    private mutating func order(
        _ change: ChangeSet.ToManyChange, _ keys: AssignedKeys
    ) throws {
        guard let relationship = relationship(change), relationship.description.isOrdered,
            change.order != nil || !change.added.isEmpty
        else { return }
        let owner = try keys.permanent(change.owner).key
        let members: [Int64]
        if let order = change.order {
            members = try order.map { try keys.permanent($0).key }
        } else {
            let added = try change.added.map { try keys.permanent($0).key }
            let others = self.members(of: relationship, owner: owner).map(\.key)
            members = others.filter { !added.contains($0) } + added
        }
        for (position, member) in members.enumerated() {
            place(member, at: position, owner: owner, relationship)
        }
    }

    private mutating func place(
        _ member: Int64, at position: Int, owner: Int64, _ relationship: Property.Relationship
    ) {
        switch relationship.storage {
        case .ownColumn: break
        case .inverseColumn:
            let root = model.entities[relationship.destinationIndex].rootIndex
            guard let inverse = relationship.inverseIndex,
                case .object(let id) = tables[root]?[member]?.values[inverse], id.key == owner
            else { return }
            tables[root]?[member]?.positions[inverse] = position
        case .join(let index, let isFirst):
            for place in joins[index].indices {
                let pair = joins[index][place]
                if isFirst, pair.first == owner, pair.second == member {
                    joins[index][place].positionOfSecond = position
                } else if !isFirst, pair.second == owner, pair.first == member {
                    joins[index][place].positionOfFirst = position
                }
            }
        }
    }
}
