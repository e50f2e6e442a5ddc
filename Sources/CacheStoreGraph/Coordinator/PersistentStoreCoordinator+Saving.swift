// SPDX-License-Identifier: MIT

package import CacheStoreModel
import CacheStorePersistence

extension PersistentStoreCoordinator {
    /// How often conflicts are resolved and the save tried again, with others saving meanwhile.
    private static let maximumAttempts = 20

    /// Writes a change set to the store, resolves conflicts by a policy, and tells others.
    ///
    /// Any thread may call it; the store does its own locking.
    package func save(
        _ changes: ChangeSet, policy: MergePolicy, source: ContextHandle?
    ) throws -> SaveOutcome {
        let store = try store()
        var resolution = MergeResolution(changes: withCurrentIDs(changes), space: store.space)
        var attempt = 0
        while true {
            do {
                let receipt =
                    resolution.changes.isEmpty
                    ? SaveReceipt(insertedKeys: []) : try store.save(resolution.changes)
                return finish(resolution, receipt, source: source)
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
        for (insertion, key) in zip(resolution.changes.inserted, receipt.insertedKeys)
        where insertion.id.isTemporaryID {
            let id = ManagedObjectID(
                space: resolution.space, entityIndex: Int(insertion.id.entityIndex), key: key)
            outcome.permanentIDs.append((insertion.id, id))
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
