// SPDX-License-Identifier: MIT

import CacheStoreModel
import Synchronization

// Unsaved changes of objects of a store that is gone, as changes for the one in its place. Whatever
// comes from a context may still name the old store, so this is asked wherever changes come in; the
// same changes always give the same result.

extension PersistentStoreCoordinator {
    /// Whether an ID is permanent and of another store.
    func isForeign(_ id: ManagedObjectID) -> Bool {
        guard !id.isTemporaryID else { return false }
        return state.withLock { !$0.isOwn(id) }
    }

    /// Changed objects whose values are all known are inserted anew, under the ID that
    /// ``currentID(for:)`` gives from now on. What says something else about lost objects is dropped,
    /// and references to them are emptied.
    func rescued(_ changes: ChangeSet) -> ChangeSet {
        guard hasFormerStores else { return changes }
        var rescue = Rescue(self, of: changes)
        return rescue.isNeeded ? rescue.run() : changes
    }

    func rescued(_ ledger: ChangeLedger) -> ChangeLedger {
        guard hasFormerStores, !ledger.isEmpty else { return ledger }
        var rescue = Rescue(self, of: ledger.changeSet())
        return rescue.isNeeded ? ChangeLedger(rescue.run()) : ledger
    }

    /// The ID under which an object of a former store is inserted anew.
    fileprivate func move(_ id: ManagedObjectID) -> ManagedObjectID {
        state.withLock { state in
            let current = state.currentID(for: id)
            guard !current.isTemporaryID, !state.isOwn(current) else { return current }
            let new = ManagedObjectID.temporary(
                in: state.space, entityIndex: Int(id.entityIndex))
            state.former.move(id, to: new)
            return new
        }
    }
}

/// The rescue of one change set.
private struct Rescue {
    let coordinator: PersistentStoreCoordinator
    let changes: ChangeSet
    /// What is known of IDs; a copy, since values are read from rows meanwhile.
    var state: PersistentStoreCoordinator.State

    init(_ coordinator: PersistentStoreCoordinator, of changes: ChangeSet) {
        self.coordinator = coordinator
        self.changes = changes
        state = coordinator.state.withLock { $0 }
    }

    private func isForeign(_ id: ManagedObjectID) -> Bool {
        !id.isTemporaryID && !state.isOwn(id)
    }

    var isNeeded: Bool {
        func concerns(_ values: ContiguousArray<PropertyValue>) -> Bool {
            values.contains {
                if case .object(let id) = $0 { isForeign(id) || state.isLost(id) } else { false }
            }
        }
        return changes.inserted.contains { isForeign($0.id) || concerns($0.values) }
            || changes.updated.contains { isForeign($0.id) || concerns($0.values) }
            || changes.deleted.contains { isForeign($0.id) }
            || changes.toMany.contains { change in
                isForeign(change.owner)
                    || (change.added + change.removed + (change.order ?? [])).contains {
                        isForeign($0) || state.isLost($0)
                    }
            }
    }

    private mutating func move(_ id: ManagedObjectID) -> ManagedObjectID {
        let new = coordinator.move(id)
        if new.isTemporaryID { state.former.move(id, to: new) }
        return new
    }

    mutating func run() -> ChangeSet {
        var result = ChangeSet()
        for var insertion in changes.inserted {
            // Its permanent ID was obtained from the old store before it was saved.
            if isForeign(insertion.id) { insertion.id = move(insertion.id) }
            result.inserted.append(insertion)
        }
        for update in changes.updated {
            guard isForeign(update.id) else {
                result.updated.append(update)
                continue
            }
            let current = state.currentID(for: update.id)
            if !state.isOwn(current), let values = update.wholeValues() {
                result.inserted.append(
                    ChangeSet.Insertion(id: move(update.id), values: values))
            } else if !isForeign(current) {
                result.updated.append(
                    ChangeSet.Update(
                        id: current, version: 1, changed: update.changed, values: update.values,
                        known: update.known))
            }
        }
        for deletion in changes.deleted {
            let current = state.currentID(for: deletion.id)
            if current == deletion.id {
                if !isForeign(current) { result.deleted.append(deletion) }
            } else {
                result.deleted.append(ChangeSet.Deletion(id: current, version: 1))
            }
        }
        let inserted = Set(result.inserted.map(\.id))
        for index in result.inserted.indices {
            mend(&result.inserted[index].values, among: inserted)
        }
        for index in result.updated.indices {
            mend(&result.updated[index].values, among: inserted)
        }
        for change in changes.toMany {
            guard let owner = survivor(change.owner, among: inserted) else { continue }
            result.toMany.append(
                ChangeSet.ToManyChange(
                    owner: owner, propertyIndex: change.propertyIndex,
                    added: change.added.compactMap { survivor($0, among: inserted) },
                    // What was a member in the old store is none in the new one.
                    removed: change.removed.filter { !isForeign($0) },
                    order: change.order.map {
                        $0.compactMap { survivor($0, among: inserted) }
                    }))
        }
        return result
    }

    /// The ID that an object has now; `nil` if it is lost.
    private func survivor(
        _ id: ManagedObjectID, among inserted: Set<ManagedObjectID>
    ) -> ManagedObjectID? {
        let current = state.currentID(for: id)
        if inserted.contains(current) { return current }
        return isForeign(current) || state.isLost(current) ? nil : current
    }

    private func mend(
        _ values: inout ContiguousArray<PropertyValue>, among inserted: Set<ManagedObjectID>
    ) {
        for index in values.indices {
            guard case .object(let id) = values[index] else { continue }
            values[index] = survivor(id, among: inserted).map { .object($0) } ?? .null
        }
    }
}
