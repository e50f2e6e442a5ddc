// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreSQLite

extension SaveOperation {
    /// Notes the to-one relationships that are set to an object that another has deleted.
    ///
    /// Only what this save sets is looked at: one query for each hierarchy that is referred to, and
    /// none where nothing is.
    func checkTargets() throws {
        var wanted: [Int: Set<Int64>] = [:]
        forEachTarget { _, _, target in
            wanted[map.root(of: target), default: []].insert(target.key)
        }
        guard !wanted.isEmpty else { return }
        let own = Set(zip(changes.inserted, insertedKeys).map { Row($0.id, key: $1, map) })
        var found: Set<Row> = own
        for (root, keys) in wanted {
            let missing = keys.filter { !own.contains(Row(root: root, key: $0)) }
            for key in try existing(missing, root: root) { found.insert(Row(root: root, key: key)) }
        }
        var missing: [ManagedObjectID: [Int]] = [:]
        forEachTarget { owner, property, target in
            if !found.contains(Row(target, key: target.key, map)) {
                missing[owner, default: []].append(property)
            }
        }
        for (id, properties) in missing {
            conflicts.append(
                StoreConflicts.Conflict(id: id, kind: .missingTargets(propertyIndexes: properties)))
        }
    }

    /// Takes the deleted objects out of references that the deleting context did not know of, because
    /// another saved them meanwhile. One look into an index for each relationship that can lead to a
    /// deleted object.
    func clearReferencesToDeleted() throws {
        for index in changes.deleted.indices {
            let id = changes.deleted[index].id
            for plan in map.clearings[Int(id.entityIndex)] {
                let statement = try connection.statement(plan.key) { plan.sql }
                try statement.bind(id.key, at: 1)
                try statement.run()
            }
        }
    }

    private struct Row: Hashable {
        let root: Int
        let key: Int64

        init(root: Int, key: Int64) {
            self.root = root
            self.key = key
        }

        init(_ id: ManagedObjectID, key: Int64, _ map: StoreMap) {
            self.init(root: map.root(of: id), key: key)
        }
    }

    /// Calls the closure with each saved object that a changed to-one relationship is set to.
    private func forEachTarget(
        _ body: (_ owner: ManagedObjectID, _ property: Int, _ target: ManagedObjectID) -> Void
    ) {
        for index in changes.inserted.indices {
            let owner = changes.inserted[index].id
            for property in map.references[Int(owner.entityIndex)] {
                if case .object(let id) = changes.inserted[index].values[property], id.key > 0 {
                    body(owner, property, id)
                }
            }
        }
        for index in changes.updated.indices {
            let owner = changes.updated[index].id
            for property in map.references[Int(owner.entityIndex)]
            where changes.updated[index].changed.contains(property) {
                if case .object(let id) = changes.updated[index].values[property], id.key > 0 {
                    body(owner, property, id)
                }
            }
        }
    }

    /// The keys of a hierarchy's table that exist, of some.
    private func existing(_ keys: Set<Int64>, root: Int) throws -> [Int64] {
        var found: [Int64] = []
        var rest = Array(keys)[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(QueryCompiler.longestBoundList)
            rest = rest.dropFirst(chunk.count)
            let count = QueryCompiler.paddedCount(chunk.count)
            let marks = "?" + String(repeating: ",?", count: count - 1)
            let statement = try connection.statement(
                sql: "SELECT \"_id\" FROM \(map.table(of: map.model.entities[root])) "
                    + "WHERE \"_id\" IN (\(marks))")
            var bindings = chunk.map { SQLBinding.integer($0) }
            if let last = bindings.last {
                bindings += Array(repeating: last, count: count - bindings.count)
            }
            try statement.bind(bindings)
            try statement.rows { found.append($0.int64(at: 0)) }
        }
        return found
    }
}
