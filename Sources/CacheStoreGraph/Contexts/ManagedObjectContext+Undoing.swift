// SPDX-License-Identifier: MIT

public import CacheStoreModel

extension ManagedObjectContext {
    /// Undoes all unsaved changes: new objects vanish, deleted ones are back, changed ones have what
    /// was last loaded or saved. No I/O.
    public func rollback() {
        takeInMerges()
        discard(pending.compactMap { $0 }, restoringOtherEnds: false)
        mutate { removeAllPending() }
    }

    /// Gives up the unsaved changes of some objects; the way out after a save that failed because of
    /// them. Changes of others that refer to a discarded new object lose the reference.
    public func discard(_ ids: [ManagedObjectID]) {
        discard(
            ids.compactMap { registered(coordinator.currentID(for: $0)) },
            restoringOtherEnds: true)
    }

    private func discard(_ objects: [ManagedObject], restoringOtherEnds: Bool) {
        var vanished: Set<ManagedObjectID> = []
        for object in objects {
            if object.status.contains(.inserted) {
                vanished.insert(object.objectID)
            } else if restoringOtherEnds {
                restoreRelationships(of: object)
            }
            mutate { undo(object, keepingRelationships: restoringOtherEnds) }
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
            mutate {
                for state in object.toManyStates { state?.forgetMembers { $0.isDeleted } }
                noteChange(of: object)
            }
        }
    }

    /// Takes an object's relationships back to what is saved, at both ends.
    ///
    /// Where the other end has been given away since, the object is left without: that is then an
    /// unsaved change of its own.
    private func restoreRelationships(of object: ManagedObject) {
        let wasDeleted = object.status.contains(.deleted)
        mutate { object.status.remove(.deleted) }
        for property in object.plan.entity.properties {
            guard let relationship = property.relationship else { continue }
            if wasDeleted, let inverseIndex = relationship.inverseIndex {
                // The others have lost it, it has not lost them.
                for target in object.targets(of: property) where !target.isDeleted {
                    let inverse = target.plan.entity.properties[inverseIndex]
                    if inverse.isToMany || target.toOne(inverse) == nil {
                        target.gainRaw(object, inverseIndex: inverseIndex)
                    } else if target.toOne(inverse) !== object {
                        object.loseRaw(target, inverseIndex: property.index)
                    }
                }
            }
            if property.isToMany {
                guard let state = object.toManyState(of: property), state.hasChanges else {
                    continue
                }
                for member in state.added { object.removeMember(member, from: property) }
                for member in state.removed where !member.isDeleted {
                    object.addMember(member, to: property)
                }
            } else if object.changed.contains(property.index) {
                guard case .object(let id) = object.committedValue(at: property.index) else {
                    object.setToOne(property, to: nil)
                    continue
                }
                let target = self.object(with: id)
                object.setToOne(property, to: target.isDeleted ? nil : target)
            }
        }
    }

    /// Undoes one object's changes. Inside `mutate`.
    private func undo(_ object: ManagedObject, keepingRelationships: Bool = false) {
        removePending(object)
        if object.status.contains(.inserted) {
            object.status.becomeGone()
            forget(object)
            return
        }
        object.status.remove([.deleted, .updated])
        guard let extras = object.extras else { return }
        var kept = PropertySet()
        extras.changed.forEach { index in
            if keepingRelationships, object.plan.entity.properties[index].relationship != nil {
                kept.insert(index)
            } else if let original = extras.originals[index] {
                object.values[index] = original
            } else {
                object.present.remove(index)
            }
        }
        extras.changed = kept
        extras.originals = extras.originals.filter { kept.contains($0.key) }
        for state in extras.toManyStates { state?.unload(keepingChanges: keepingRelationships) }
        if keepingRelationships { noteChange(of: object) }
    }

    /// Makes an object a fault again, so that it follows the store when it is next read.
    ///
    /// With `mergeChanges` its unsaved changes stay on top of what is loaded; without, they are
    /// dropped (a new object, which has no row, keeps its values). No I/O now, one query later.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        guard object.context === self, !object.status.contains(.gone) else { return }
        if object.status.contains(.inserted) { return }
        if !mergeChanges { restoreRelationships(of: object) }
        mutate {
            if !mergeChanges { undo(object, keepingRelationships: true) }
            object.detachRow()
            object.status.remove(.awake)
            if object.changed.isEmpty {
                object.forgetUnchangedValues()
            } else {
                object.present = object.changed
            }
            guard let extras = object.extras else { return }
            extras.originals.removeAll()
            for state in extras.toManyStates { state?.unload(keepingChanges: true) }
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
