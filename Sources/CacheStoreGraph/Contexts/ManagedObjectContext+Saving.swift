// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStorePersistence

// The order of a save:
//
// 1. what waits in the inbox is taken in;
// 2. `willSave` on every changed object, again until nothing changes any more;
// 3. validation of every changed object, all failures collected;
// 4. the changes go to the parent as values: to the store in one transaction, with conflicts
//    resolved by the merge policy, or in memory to a context above;
// 5. objects get their permanent IDs and new versions, and count as unchanged;
// 6. `didSave` on every saved object.
//
// Up to step 4 nothing but hooks has changed anything; a failure leaves the context as it was.

extension ManagedObjectContext {
    /// How often `willSave` may change something before the save gives up.
    private static let maximumWillSaveRounds = 100

    /// Saves the changes to the parent: to the store if that is the coordinator, else in memory.
    ///
    /// Does nothing, and no I/O, if there are no changes.
    ///
    /// - Throws: ``ValidationError`` with all broken rules; ``ContextError`` with code
    ///   `mergeConflict`, `constraintConflict`, `noStore`, `saveInProgress` or `willSaveNeverEnds`;
    ///   `PersistentStoreError` if the store could not be written. The context then has its changes
    ///   as before, and can be mended and saved again.
    public func save() throws {
        guard !isSaving else {
            throw ContextError(.saveInProgress, "the context is being saved")
        }
        takeInMerges()
        guard pending.contains(where: { $0 != nil }) else { return }
        isSaving = true
        defer { isSaving = false }
        try callWillSave()
        try validate()
        var objects = pending
        switch parent {
        case .coordinator:
            var known = epoch
            let outcome = try recovering {
                if known != epoch {
                    // Objects are new in another store, and may have lost what they need.
                    known = epoch
                    try validate()
                    objects = pending
                }
                return try coordinator.save(
                    unsavedChangeSet(), policy: mergePolicy, source: handle, epoch: epoch)
            }
            finishSave(of: objects, outcome)
        case .saving(let saving):
            saving.collect {
                // Only this, in memory: the rest of the inbox may need what is being locked.
                for outcome in handle.takeSaved() { apply(outcome) }
                return unsavedChangeSet()
            }
            finishSave(of: objects, nil)
        case .context(let above, let isLocal):
            above.send(.changes(unsavedChangeSet()))
            above.takeInIfOwned(byCaller: isLocal)
            finishSave(of: objects, nil)
        }
        for case let object? in objects where !object.status.contains(.gone) { object.didSave() }
    }

    /// Saves the changes all the way to the store: this context into its parent, and every parent in
    /// turn.
    ///
    /// A parent that belongs to another isolation domain is left to save itself: its changes are then
    /// in its memory.
    ///
    /// - Throws: as ``save()``.
    public func saveToPersistentStore() throws {
        try save()
        switch parent {
        case .coordinator: break
        case .saving(let saving):
            try saving.save()
            takeInMerges()
        case .context(let above, let isLocal):
            try above.saveToPersistentStoreIfOwned(byCaller: isLocal)
            takeInMerges()
        }
    }

    private func callWillSave() throws {
        var rounds = 0
        var generation = mutationCount
        while true {
            // Hooks may add to the list; what they add is called too.
            var position = 0
            while position < pending.count {
                if let object = pending[position], !object.status.contains(.gone) {
                    object.willSave()
                }
                position += 1
            }
            let current = mutationCount
            guard current != generation else { return }
            generation = current
            rounds += 1
            guard rounds < Self.maximumWillSaveRounds else {
                throw ContextError(
                    .willSaveNeverEnds, "willSave changed something each time it was called")
            }
        }
    }

    private func validate() throws {
        var failures: [ValidationError.Failure] = []
        for case let object? in pending {
            do {
                if object.status.contains(.deleted) {
                    try object.validateForDelete()
                } else if object.status.contains(.inserted) {
                    try object.validateForInsert()
                } else {
                    try object.validateForUpdate()
                }
            } catch let error as ValidationError {
                failures.append(contentsOf: error.failures)
            }
        }
        guard failures.isEmpty else { throw ValidationError(failures) }
    }

    // MARK: - Change sets

    /// The unsaved changes as values.
    func unsavedChangeSet() -> ChangeSet {
        var changes = ChangeSet()
        reserveCapacity(in: &changes)
        for case let object? in pending {
            if object.status.contains(.deleted) {
                if !object.status.contains(.inserted) {
                    changes.deleted.append(
                        ChangeSet.Deletion(
                            id: object.objectID, version: object.version,
                            base: object.batch.map { RowReference(batch: $0, row: object.row) }))
                }
                continue
            }
            if object.status.contains(.inserted) {
                changes.inserted.append(
                    ChangeSet.Insertion(id: object.objectID, values: object.values))
            } else if !object.changed.isEmpty {
                changes.updated.append(
                    ChangeSet.Update(
                        id: object.objectID, version: object.version, changed: object.changed,
                        values: object.values,
                        base: object.batch.map { RowReference(batch: $0, row: object.row) },
                        known: object.present))
            }
            if !object.toManyStates.isEmpty { appendToManyChanges(of: object, to: &changes) }
        }
        return changes
    }

    /// Spares the lists of a large save from growing step by step.
    private func reserveCapacity(in changes: inout ChangeSet) {
        var counts = (inserted: 0, updated: 0, deleted: 0)
        for case let object? in pending {
            if object.status.contains(.deleted) {
                counts.deleted += 1
            } else if object.status.contains(.inserted) {
                counts.inserted += 1
            } else {
                counts.updated += 1
            }
        }
        changes.inserted.reserveCapacity(counts.inserted)
        changes.updated.reserveCapacity(counts.updated)
        changes.deleted.reserveCapacity(counts.deleted)
    }

    /// Members of join tables and orders; members of other relationships are said by the to-one side.
    private func appendToManyChanges(of object: ManagedObject, to changes: inout ChangeSet) {
        for property in object.plan.relationships {
            guard let relationship = property.relationship,
                let state = object.toManyState(of: property), state.hasChanges
            else { continue }
            let isJoin = relationship.storage != .inverseColumn
            guard isJoin || state.isOrdered else { continue }
            let isInserted = object.status.contains(.inserted)
            // Without the whole order, the store appends in the order given here.
            let added =
                state.isOrdered
                ? Array(state.list.filter { state.added.contains($0) }) : Array(state.added)
            changes.toMany.append(
                ChangeSet.ToManyChange(
                    owner: object.objectID, propertyIndex: property.index,
                    added: added.filter { !$0.isDeleted }.map(\.objectID),
                    // What was never saved cannot be removed from anything.
                    removed: isInserted
                        ? []
                        : state.removed.filter { !$0.isDeleted || !$0.objectID.isTemporaryID }
                            .map(\.objectID),
                    order: state.isOrdered && state.isLoaded
                        ? state.list.filter { !$0.isDeleted }.map(\.objectID) : nil))
        }
    }

    /// The same for other threads, which hold the lock of the handle meanwhile.
    func ledgerOfUnsavedChanges() -> ChangeLedger {
        pending.isEmpty ? ChangeLedger() : ChangeLedger(unsavedChangeSet())
    }

    // MARK: - After the save

    private func finishSave(of objects: ContiguousArray<ManagedObject?>, _ outcome: SaveOutcome?) {
        // What the store says of the objects comes in their order, so most need not be looked up.
        var inserted = 0
        var updated = 0
        mutate {
            for case let object? in objects {
                object.pendingIndex = -1
                if object.status.contains(.deleted) {
                    object.status.becomeGone()
                    object.detachRow()
                    object.extras?.toManyStates.removeAll()
                    forget(object)
                } else if let outcome {
                    if object.status.contains(.inserted) {
                        if inserted < outcome.permanentIDs.count,
                            outcome.permanentIDs[inserted].temporary == object.objectID
                        {
                            take(outcome.permanentIDs[inserted].permanent, for: object)
                            inserted += 1
                        }
                    } else if !object.changed.isEmpty {
                        object.version += 1
                        if updated < outcome.versions.count,
                            outcome.versions[updated].id == object.objectID
                        {
                            take(version: outcome.versions[updated].version, for: object)
                            updated += 1
                        }
                    }
                    commit(object)
                } else {
                    commit(object)
                }
            }
            removeAllPending()
        }
        if let outcome { apply(outcome, inserted: inserted, updated: updated) }
    }

    private func take(_ permanent: ManagedObjectID, for object: ManagedObject) {
        changeID(of: object, to: permanent)
        if object.version == 0 { object.version = 1 }
        makeReferencesPermanent(in: object)
    }

    private func take(version: Int64, for object: ManagedObject) {
        if object.version < version { object.version = version }
        makeReferencesPermanent(in: object)
    }

    /// Makes an object's values the saved ones.
    func commit(_ object: ManagedObject) {
        object.extras?.commit()
        object.status.remove([.inserted, .updated])
    }

    /// Gives objects what a save to the store decided: IDs, versions, what must be loaded anew.
    ///
    /// - Parameters:
    ///   - inserted: how many of the permanent IDs the objects have already.
    ///   - updated: how many of the versions.
    func apply(_ outcome: SaveOutcome, inserted: Int = 0, updated: Int = 0) {
        // Of a store that was replaced since, a permanent ID is none.
        let mayBeForeign = coordinator.hasFormerStores
        mutate {
            for (temporary, permanent) in outcome.permanentIDs.dropFirst(inserted) {
                guard let object = registered(temporary), !mayBeForeign || !isForeign(permanent)
                else { continue }
                take(permanent, for: object)
            }
            for (id, version) in outcome.versions.dropFirst(updated) {
                if let object = registered(id) { take(version: version, for: object) }
            }
        }
        if !(outcome.stale.isEmpty && outcome.gone.isEmpty && outcome.replacements.isEmpty) {
            // What the other ends of these objects' relationships hold is not what was saved.
            mutate {
                for object in registeredObjects {
                    for state in object.toManyStates { state?.unload(keepingChanges: true) }
                }
            }
        }
        for (temporary, existing) in outcome.replacements {
            guard let object = registered(temporary) else { continue }
            mutate {
                if registered(existing) == nil {
                    changeID(of: object, to: existing)
                } else {
                    object.status.becomeGone()
                    forget(object)
                }
            }
            refresh(object, mergeChanges: false)
        }
        for id in outcome.stale {
            if let object = registered(id) { refresh(object, mergeChanges: true) }
        }
        for id in outcome.gone {
            if let object = registered(id) { markGone(object) }
        }
    }

    private func makeReferencesPermanent(in object: ManagedObject) {
        guard object.plan.hasToOne, !object.values.isEmpty else { return }
        for index in object.plan.toOneIndexes {
            guard case .object(let id) = object.values[index], id.isTemporaryID else { continue }
            object.values[index] = .object(coordinator.currentID(for: id))
        }
    }

    // MARK: - Permanent IDs

    /// Gives new objects their permanent IDs before they are saved. One short transaction for each
    /// entity hierarchy; the objects themselves are not written.
    ///
    /// - Throws: ``ContextError`` with code `noStore`; `PersistentStoreError`.
    public func obtainPermanentIDs(for objects: [ManagedObject]) throws {
        try recovering { try obtainPermanentIDs(from: store(), for: objects) }
    }

    private func obtainPermanentIDs(
        from store: any PersistentStore, for objects: [ManagedObject]
    ) throws {
        let fresh = objects.filter {
            $0.context === self && $0.isInserted && $0.objectID.isTemporaryID
        }
        let groups = Dictionary(grouping: fresh) { $0.plan.rootIndex }
        for (rootIndex, group) in groups {
            let keys = try store.reserveKeys(
                for: graphModel.model.entities[rootIndex], count: group.count)
            mutate {
                for (object, key) in zip(group, keys) {
                    let old = object.objectID
                    let id = ManagedObjectID(
                        space: store.space, entityIndex: object.plan.entity.index, key: key)
                    changeID(of: object, to: id)
                    coordinator.remember([(old, id)])
                }
            }
        }
        mutate { for case let object? in pending { makeReferencesPermanent(in: object) } }
    }
}
