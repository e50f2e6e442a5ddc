// SPDX-License-Identifier: MIT

import CacheStoreHealing
import CacheStoreModel
import CacheStoreQuery

@testable import CacheStorePersistence

extension MemoryContent {
    /// Applies all changes, and answers with the keys of the inserted objects.
    ///
    /// - Throws: ``StoreConflicts``; the content is then of no use.
    mutating func apply(_ changes: ChangeSet, in space: IdentitySpace) throws -> [Int64] {
        var keys = AssignedKeys(space: space)
        for insertion in changes.inserted {
            keys.inserted.append(assignKey(to: insertion.id, &keys))
        }
        var conflicts: [StoreConflicts.Conflict] = []
        for deletion in changes.deleted {
            if let conflict = conflict(deletion.id, version: deletion.version) {
                conflicts.append(conflict)
            } else {
                delete(deletion.id)
            }
        }
        conflicts += missingTargets(changes, keys)
        for update in changes.updated {
            if let conflict = conflict(update.id, version: update.version) {
                conflicts.append(conflict)
            } else {
                try self.update(update, keys)
            }
        }
        for (insertion, key) in zip(changes.inserted, keys.inserted) {
            try insert(insertion, key: key, keys)
        }
        conflicts += uniquenessConflicts(changes, insertedKeys: keys.inserted)
        guard conflicts.isEmpty else { throw StoreConflicts(conflicts) }
        for deletion in changes.deleted { clearReferences(to: deletion.id) }
        try applyToManyChanges(changes.toMany, keys)
        return keys.inserted
    }

    // MARK: - Keys

    /// The permanent keys of the objects that a save inserts.
    struct AssignedKeys {
        let space: IdentitySpace
        var inserted: [Int64] = []
        var byTemporaryKey: [Int64: Int64] = [:]

        func permanent(_ id: ManagedObjectID) throws -> ManagedObjectID {
            var key = id.key
            if key < 0 {
                guard let assigned = byTemporaryKey[key] else {
                    throw PersistentStoreError(
                        .invalidConfiguration,
                        "A saved object refers to an object of the entity \(id.entityName) that is "
                            + "neither saved nor part of the save.")
                }
                key = assigned
            }
            return ManagedObjectID(space: space, entityIndex: Int(id.entityIndex), key: key)
        }
    }

    private mutating func assignKey(to id: ManagedObjectID, _ keys: inout AssignedKeys) -> Int64 {
        let root = id.resolvedEntity.rootIndex
        guard id.key < 0 else { return id.key }
        let key = lastKeys[root, default: 0] + 1
        lastKeys[root] = key
        keys.byTemporaryKey[id.key] = key
        return key
    }

    // MARK: - Rows

    private func conflict(_ id: ManagedObjectID, version: Int64) -> StoreConflicts.Conflict? {
        guard let row = row(id) else { return StoreConflicts.Conflict(id: id, kind: .deleted) }
        guard row.version != version, let batch = batch(of: id.resolvedEntity, key: id.key) else {
            return nil
        }
        return StoreConflicts.Conflict(id: id, kind: .changed(current: batch))
    }

    /// The to-one relationships that are set to an object which is not there.
    private func missingTargets(
        _ changes: ChangeSet, _ keys: AssignedKeys
    ) -> [StoreConflicts.Conflict] {
        let own = Set(
            zip(changes.inserted, keys.inserted).map { insertion, key in
                ManagedObjectID(
                    space: keys.space, entityIndex: Int(insertion.id.entityIndex), key: key)
            })
        func missing(
            _ id: ManagedObjectID, _ values: ContiguousArray<PropertyValue>,
            _ isChanged: (Int) -> Bool
        ) -> StoreConflicts.Conflict? {
            let indexes = id.resolvedEntity.properties.map(\.index).filter { index in
                guard isChanged(index), case .object(let target) = values[index], target.key > 0
                else { return false }
                return row(target) == nil && !own.contains(target)
            }
            return indexes.isEmpty
                ? nil
                : StoreConflicts.Conflict(
                    id: id, kind: .missingTargets(propertyIndexes: indexes))
        }
        return changes.inserted.compactMap { missing($0.id, $0.values) { _ in true } }
            + changes.updated.compactMap { update in
                missing(update.id, update.values) { update.changed.contains($0) }
            }
    }

    /// Takes a deleted object out of the references to it, unless the rule on its own side is "no
    /// action".
    private mutating func clearReferences(to id: ManagedObjectID) {
        for entity in model.entities {
            for property in entity.properties
            where property.declaringEntityIndex == entity.index && property.column != nil {
                guard let relationship = property.relationship else { continue }
                let destination = model.entities[relationship.destinationIndex]
                let rule = relationship.inverseIndex.flatMap {
                    destination.properties[$0].relationship?.description.deleteRule
                }
                guard rule != .noAction,
                    destination.familyIndexes.contains(Int(id.entityIndex))
                else { continue }
                let family = Set(entity.familyIndexes)
                for (key, row) in tables[entity.rootIndex] ?? [:]
                where family.contains(row.entityIndex)
                    && row.values[property.index] == .object(id)
                {
                    var row = row
                    row.values[property.index] = .null
                    row.positions[property.index] = nil
                    row.version += 1
                    tables[entity.rootIndex]?[key] = row
                }
            }
        }
    }

    private mutating func delete(_ id: ManagedObjectID) {
        let entity = id.resolvedEntity
        tables[entity.rootIndex]?[id.key] = nil
        for join in model.joins {
            let isFirst = model.entities[join.first.entityIndex].rootIndex == entity.rootIndex
            let isSecond = model.entities[join.second.entityIndex].rootIndex == entity.rootIndex
            joins[join.index].removeAll {
                (isFirst && $0.first == id.key) || (isSecond && $0.second == id.key)
            }
        }
    }

    private mutating func update(_ update: ChangeSet.Update, _ keys: AssignedKeys) throws {
        let entity = update.id.resolvedEntity
        guard var row = row(update.id) else { return }
        var changesRow = false
        for property in entity.properties
        where property.column != nil && update.changed.contains(property.index) {
            changesRow = true
            row.values[property.index] = try stored(update.values[property.index], keys)
            // A place among the members of the old owner means nothing to the new one.
            row.positions[property.index] = nil
        }
        if changesRow { row.version += 1 }
        tables[entity.rootIndex]?[update.id.key] = row
    }

    private mutating func insert(
        _ insertion: ChangeSet.Insertion, key: Int64, _ keys: AssignedKeys
    ) throws {
        let entity = insertion.id.resolvedEntity
        var values = ContiguousArray(repeating: PropertyValue.null, count: entity.properties.count)
        for property in entity.properties where property.column != nil {
            values[property.index] = try stored(insertion.values[property.index], keys)
        }
        tables[entity.rootIndex, default: [:]][key] = Row(
            entityIndex: entity.index, version: 1, values: values)
    }

    /// A value as a store keeps it.
    private func stored(_ value: PropertyValue, _ keys: AssignedKeys) throws -> PropertyValue {
        // "Not a number" comes back from SQLite as NULL.
        if value.isQueryNull { return .null }
        guard case .object(let id) = value else { return value }
        return .object(try keys.permanent(id))
    }
}
