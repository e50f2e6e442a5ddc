// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery

@testable import CacheStorePersistence

extension MemoryContent {
    /// The objects of a save that, with everything applied, have values which another object has.
    ///
    /// Of two objects of the save that were both given the values, the later one is reported:
    /// updates come before insertions.
    func uniquenessConflicts(
        _ changes: ChangeSet, insertedKeys: [Int64]
    ) -> [StoreConflicts.Conflict] {
        var saved: [Saved] = changes.updated.map {
            Saved(id: $0.id, key: $0.id.key, changed: $0.changed)
        }
        saved += zip(changes.inserted, insertedKeys).map {
            Saved(id: $0.id, key: $1, changed: nil)
        }
        let places = Dictionary(
            saved.enumerated().map { (RowKey(root: $1.entity.rootIndex, key: $1.key), $0) },
            uniquingKeysWith: { first, _ in first })
        var buckets = Buckets()
        var conflicts: [StoreConflicts.Conflict] = []
        for (place, object) in saved.enumerated() {
            for constraint in object.entity.constraints where object.isGiven(constraint) {
                guard let rival = rival(of: object, in: constraint, &buckets) else { continue }
                let names = constraint.propertyIndexes.map { object.entity.properties[$0].name }
                let rivalKey = RowKey(root: object.entity.rootIndex, key: rival)
                if let other = places[rivalKey] {
                    if saved[other].isGiven(constraint), other > place { continue }
                    conflicts.append(
                        StoreConflicts.Conflict(
                            id: object.id,
                            kind: .notUniqueInSave(properties: names, other: saved[other].id)))
                } else if let batch = batch(of: object.entity, key: rival) {
                    conflicts.append(
                        StoreConflicts.Conflict(
                            id: object.id, kind: .notUnique(properties: names, existing: batch)))
                }
            }
        }
        return conflicts
    }

    private struct Saved {
        let id: ManagedObjectID
        let key: Int64
        /// `nil` for an inserted object.
        let changed: PropertySet?

        var entity: Entity { id.resolvedEntity }

        /// Whether the save gave the object a value that the constraint is about.
        func isGiven(_ constraint: Entity.Constraint) -> Bool {
            guard entity.constraints.contains(constraint) else { return false }
            return changed.map { constraint.propertyIndexes.contains(where: $0.contains) } ?? true
        }
    }

    private struct RowKey: Hashable {
        let root: Int
        let key: Int64
    }

    /// The keys of the rows under one constraint by their values in its properties. Values with
    /// equal hashes and Swift equality need not be equal to a store: text in two normal forms is not.
    private typealias Buckets = [Entity.Constraint: [[PropertyValue]: [Int64]]]

    private func bucket(_ constraint: Entity.Constraint) -> [[PropertyValue]: [Int64]] {
        let declaring = model.entities[constraint.declaringEntityIndex]
        var bucket: [[PropertyValue]: [Int64]] = [:]
        for (key, row) in tables[declaring.rootIndex] ?? [:]
        where declaring.familyIndexes.contains(row.entityIndex) {
            bucket[constraint.propertyIndexes.map { row.values[$0] }, default: []].append(key)
        }
        return bucket
    }

    /// The key of another row with the same values in the properties of a constraint.
    private func rival(
        of object: Saved, in constraint: Entity.Constraint, _ buckets: inout Buckets
    ) -> Int64? {
        guard let rows = tables[object.entity.rootIndex], let own = rows[object.key] else {
            return nil
        }
        let values = constraint.propertyIndexes.map { own.values[$0] }
        // No value is not equal to another one here, unlike in predicates.
        guard !values.contains(where: \.isNull) else { return nil }
        let bucket = buckets[constraint] ?? self.bucket(constraint)
        buckets[constraint] = bucket
        let rivals = (bucket[values] ?? []).filter { key in
            guard key != object.key, let row = rows[key] else { return false }
            return zip(constraint.propertyIndexes, values).allSatisfy {
                row.values[$0].isQueryEqual(to: $1)
            }
        }
        return rivals.min()
    }
}
