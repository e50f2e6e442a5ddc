// SPDX-License-Identifier: MIT

import CacheStoreModel

extension ManagedObjectContext {
    /// Deletes an object: at once for the context, with the next save for the store.
    ///
    /// ``ManagedObject/prepareForDeletion()`` is called and the delete rules of its relationships are
    /// applied, both before this returns: objects at the other end lose their reference (nullify) or
    /// are deleted as well (cascade; cycles end). A relationship with the rule "deny" that still has
    /// members makes the save fail. Relationships that are not loaded are loaded: one query each.
    public func delete(_ object: ManagedObject) {
        guard object.context === self, object.status.isDisjoint(with: [.deleted, .gone]) else {
            return
        }
        guard object.plan.hasCascades else {
            object.prepareForDeletion()
            object.loadIfNeeded()
            return finishDeletion(of: CollectionOfOne(object))
        }
        // A work list instead of recursion: a cascade along a chain can be long.
        var queue = [object]
        var marked: Set<ManagedObject> = [object]
        var position = 0
        while position < queue.count {
            let next = queue[position]
            position += 1
            next.prepareForDeletion()
            next.loadIfNeeded()
            for property in next.plan.relationships {
                guard property.relationship?.description.deleteRule == .cascade else { continue }
                for target in next.targets(of: property)
                where !target.isDeleted && marked.insert(target).inserted {
                    queue.append(target)
                }
            }
        }
        finishDeletion(of: queue)
    }

    private func finishDeletion(of objects: some Collection<ManagedObject>) {
        for object in objects { markDeleted(object) }
        for object in objects { disconnect(object) }
        for object in objects where object.status.contains(.inserted) { removeUnsaved(object) }
    }

    private func markDeleted(_ object: ManagedObject) {
        mutate {
            object.status.insert(.deleted)
            noteChange(of: object)
        }
    }

    /// Takes a deleted object out of the relationships of those that stay.
    private func disconnect(_ object: ManagedObject) {
        for property in object.plan.relationships {
            guard let relationship = property.relationship,
                let inverseIndex = relationship.inverseIndex
            else { continue }
            let rule = relationship.description.deleteRule
            // An object that was never saved simply vanishes, and nothing may refer to it.
            if rule == .deny || rule == .noAction, !object.status.contains(.inserted) { continue }
            for target in object.targets(of: property) where !target.isDeleted {
                target.loseRaw(object, inverseIndex: inverseIndex)
            }
        }
    }

    /// Inserted and deleted before any save: it never was.
    private func removeUnsaved(_ object: ManagedObject) {
        mutate {
            removePending(object)
            object.status.insert(.gone)
            forget(object)
        }
    }
}

extension ManagedObject {
    /// The objects at the other end of a relationship of either kind.
    final func targets(of property: Property) -> ContiguousArray<ManagedObject> {
        if property.isToMany { return toMany(property) }
        return toOne(property).map { [$0] } ?? []
    }
}
