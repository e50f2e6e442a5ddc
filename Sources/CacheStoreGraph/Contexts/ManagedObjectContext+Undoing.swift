// SPDX-License-Identifier: MIT

public import CacheStoreModel

extension ManagedObjectContext {
    /// Undoes all unsaved changes: new objects vanish, deleted ones are back, changed ones have what
    /// was last loaded or saved. No I/O.
    public func rollback() {
        takeInMerges()
        discard(pending.compactMap { $0 })
        mutate { removeAllPending() }
    }

    /// Gives up the unsaved changes of some objects; the way out after a save that failed because of
    /// them. Changes of others that refer to a discarded new object lose the reference.
    public func discard(_ ids: [ManagedObjectID]) {
        discard(ids.compactMap { registered(coordinator.currentID(for: $0)) })
    }

    private func discard(_ objects: [ManagedObject]) {
        var vanished: Set<ManagedObjectID> = []
        for object in objects {
            if object.status.contains(.inserted) { vanished.insert(object.objectID) }
            mutate { undo(object) }
        }
        guard !vanished.isEmpty else { return }
        for case let object? in pending {
            for property in object.plan.entity.properties
            where property.relationship != nil && !property.isToMany {
                if object.present.contains(property.index),
                    case .object(let id) = object.values[property.index], vanished.contains(id)
                {
                    object.setValue(.null, of: property)
                }
            }
            mutate { for state in object.toManyStates { state?.forgetMembers { $0.isDeleted } } }
        }
    }

    /// Undoes one object's changes. Inside `mutate`.
    private func undo(_ object: ManagedObject) {
        removePending(object)
        if object.status.contains(.inserted) {
            object.status = .gone
            forget(object)
            return
        }
        object.status.remove([.deleted, .updated])
        object.changed.forEach { index in
            if let original = object.originals[index] {
                object.values[index] = original
            } else {
                object.present.remove(index)
            }
        }
        object.changed = PropertySet()
        object.originals.removeAll()
        for state in object.toManyStates { state?.unload(keepingChanges: false) }
    }

    /// Makes an object a fault again, so that it follows the store when it is next read.
    ///
    /// With `mergeChanges` its unsaved changes stay on top of what is loaded; without, they are
    /// dropped (a new object, which has no row, keeps its values). No I/O now, one query later.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        guard object.context === self, !object.status.contains(.gone) else { return }
        if object.status.contains(.inserted) { return }
        mutate {
            if !mergeChanges { undo(object) }
            object.present = object.changed
            object.originals.removeAll()
            object.detachRow()
            object.status.remove(.awake)
            if object.changed.isEmpty { object.values.removeAll() }
            for state in object.toManyStates { state?.unload(keepingChanges: mergeChanges) }
        }
    }

    /// Makes all objects faults again; unsaved changes stay. No I/O.
    public func refreshAllObjects() {
        takeInMerges()
        for object in registeredObjects { refresh(object, mergeChanges: true) }
    }

    /// Forgets all objects and all unsaved changes. Objects that the program still holds have no
    /// context any more: they keep the values they have loaded and cannot be saved.
    public func reset() {
        _ = handle.takeMessages()
        mutate {
            removeAllPending()
            for object in registeredObjects {
                forget(object)
                object.leaveContext()
            }
        }
    }
}
