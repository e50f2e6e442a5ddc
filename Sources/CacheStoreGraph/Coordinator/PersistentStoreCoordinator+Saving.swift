// SPDX-License-Identifier: MIT

package import CacheStoreModel
import CacheStoreHealing
import CacheStorePersistence
import Foundation

extension PersistentStoreCoordinator {
    /// How often conflicts are resolved and the save tried again, with others saving meanwhile.
    private static let maximumAttempts = 20

    /// Writes a change set to the store, resolves conflicts by a policy, and tells others.
    ///
    /// Any thread may call it; the store does its own locking.
    ///
    /// - Parameter epoch: that of the store which the saving context's objects are from; a later store
    ///   refuses, for its keys may be those of other objects in the context.
    package func save(
        _ changes: ChangeSet, policy: MergePolicy, source: ContextHandle?, epoch: Int? = nil
    ) throws -> SaveOutcome {
        let (store, current) = try storeAndEpoch()
        guard epoch == nil || epoch == current else {
            throw PersistentStoreError(
                .storeReplaced, "The store was replaced since it was opened.", path: store.url?.path
            )
        }
        // After the store: should that be a former one by now, it refuses what is for the next.
        var changes = rescued(changes)
        let saved = makeUpdatesOfSavedInsertions(&changes)
        var resolution = MergeResolution(changes: withCurrentIDs(changes), space: store.space)
        var attempt = 0
        while true {
            do {
                let receipt =
                    resolution.changes.isEmpty
                    ? SaveReceipt(insertedKeys: []) : try store.save(resolution.changes)
                var outcome = finish(resolution, receipt, source: source)
                outcome.permanentIDs += saved
                return outcome
            } catch let conflicts as StoreConflicts {
                attempt += 1
                let policy = attempt < Self.maximumAttempts ? policy : .error
                try resolution.resolve(conflicts.conflicts, by: policy)
            }
        }
    }

    private func finish(
        _ resolution: MergeResolution, _ receipt: SaveReceipt, source: ContextHandle?
    ) -> SaveOutcome {
        var outcome = SaveOutcome()
        outcome.permanentIDs.reserveCapacity(receipt.insertedKeys.count)
        for (index, key) in receipt.insertedKeys.enumerated() {
            // The ID alone: a copy of the insertion would count a reference.
            let temporary = resolution.changes.inserted[index].id
            guard temporary.isTemporaryID else { continue }
            let id = ManagedObjectID(
                space: resolution.space, entityIndex: Int(temporary.entityIndex), key: key)
            outcome.permanentIDs.append((temporary, id))
        }
        remember(outcome.permanentIDs)
        outcome.versions = resolution.changes.updated.map { ($0.id, $0.version + 1) }
        outcome.stale = Set(resolution.stale.map { currentID(for: $0) })
        outcome.gone = resolution.gone
        for (temporary, replacement) in resolution.replacements {
            let id = currentID(for: replacement)
            outcome.replacements[temporary] = id
            if !id.isTemporaryID { remember([(temporary, id)]) }
        }
        if hasListeners(besides: source) {
            let saved = withCurrentIDs(resolution.changes)
            announce(ContextSave(changes: saved, source: source.map { ObjectIdentifier($0) }))
        }
        return outcome
    }

    /// Turns insertions of objects that the store has already into updates.
    ///
    /// That is so after an emergency save: the context that made the objects was not there to learn
    /// that they had been written.
    private func makeUpdatesOfSavedInsertions(
        _ changes: inout ChangeSet
    ) -> [(temporary: ManagedObjectID, permanent: ManagedObjectID)] {
        guard hasPermanentKeys else { return [] }
        var saved: [(temporary: ManagedObjectID, permanent: ManagedObjectID)] = []
        var updates: [ChangeSet.Update] = []
        changes.inserted.removeAll { insertion in
            let id = currentID(for: insertion.id)
            guard insertion.id.isTemporaryID, id != insertion.id else { return false }
            var changed = PropertySet()
            for property in id.resolvedEntity.properties
            where !property.isToMany && !property.isTransient { changed.insert(property.index) }
            saved.append((insertion.id, id))
            updates.append(
                ChangeSet.Update(id: id, version: 1, changed: changed, values: insertion.values))
            return true
        }
        changes.updated += updates
        return saved
    }

    /// The same changes with every temporary ID that has become permanent replaced.
    private func withCurrentIDs(_ changes: ChangeSet) -> ChangeSet {
        guard hasPermanentKeys else { return changes }
        var changes = changes
        for index in changes.inserted.indices {
            changes.inserted[index].id = currentID(for: changes.inserted[index].id)
            makeCurrent(&changes.inserted[index].values)
        }
        for index in changes.updated.indices {
            changes.updated[index].id = currentID(for: changes.updated[index].id)
            makeCurrent(&changes.updated[index].values)
        }
        for index in changes.deleted.indices {
            changes.deleted[index].id = currentID(for: changes.deleted[index].id)
        }
        for index in changes.toMany.indices {
            let change = changes.toMany[index]
            changes.toMany[index].owner = currentID(for: change.owner)
            changes.toMany[index].added = change.added.map { currentID(for: $0) }
            changes.toMany[index].removed = change.removed.map { currentID(for: $0) }
            changes.toMany[index].order = change.order?.map { currentID(for: $0) }
        }
        return changes
    }

    private func makeCurrent(_ values: inout ContiguousArray<PropertyValue>) {
        for index in values.indices {
            guard case .object(let id) = values[index], id.isTemporaryID else { continue }
            let current = currentID(for: id)
            if current != id { values[index] = .object(current) }
        }
    }
}
