// SPDX-License-Identifier: MIT

import CacheStoreModel

extension ManagedObjectContext {
    /// Takes in what waits in the inbox. One atomic load when there is nothing.
    func takeInMerges() {
        guard hasMessages else { return }
        for message in handle.takeMessages() {
            switch message {
            case .changes(let changes): takeIn(coordinator.rescued(changes))
            case .merge(let save): mergeChanges(from: save)
            case .saved(let outcome): apply(outcome)
            case .storeReplaced: adoptStore()
            }
        }
    }

    /// Takes in what other contexts have sent: saves of children, merges, permanent IDs.
    ///
    /// The context does it by itself whenever it is used to fetch, insert, save or list objects; call
    /// this in a run loop that only reads objects it holds. No I/O.
    public func processPendingChanges() { takeInMerges() }

    // MARK: - A child's save

    /// Makes a child's changes unsaved changes of this context.
    func takeIn(_ changes: ChangeSet) {
        var inserted: [ManagedObject] = []
        for insertion in changes.inserted {
            let plan = graphModel.plans[Int(insertion.id.entityIndex)]
            let id = coordinator.currentID(for: insertion.id)
            let object = registered(id) ?? makeObject(id)
            mutate {
                object.values = plan.makeEmptyValues()
                object.status = .new
                plan.valueProperties.forEach { index in
                    if plan.entity.properties[index].relationship == nil {
                        object.values[index] = insertion.values[index]
                    }
                }
                if coordinator.hasFormerStores { object.setMissingTransients() }
                noteChange(of: object)
            }
            inserted.append(object)
        }
        for (object, insertion) in zip(inserted, changes.inserted) {
            for property in object.plan.entity.properties
            where property.relationship != nil && !property.isToMany {
                takeIn(insertion.values[property.index], of: property, in: object)
            }
        }
        let above = changes.updated.isEmpty ? nil : unsavedChangesAbove()
        for update in changes.updated {
            let object = object(with: update.id)
            guard !object.isDeleted else { continue }
            adoptBase(of: update, in: object, above: above)
            update.changed.forEach { index in
                takeIn(update.values[index], of: object.plan.entity.properties[index], in: object)
            }
        }
        for change in changes.toMany { takeIn(change) }
        for deletion in changes.deleted { takeIn(deletion) }
    }

    /// Spares the query for a row that the child has loaded already.
    private func adoptBase(
        of update: ChangeSet.Update, in object: ManagedObject, above: ChangeLedger?
    ) {
        guard !object.isLoaded, let base = update.base, !object.objectID.isTemporaryID else {
            return
        }
        adopt(base.batch, row: base.row, in: object)
        mutate { object.version = update.version }
        if let entry = above?.entries[object.objectID] { overlay(entry, on: object) }
    }

    private func takeIn(
        _ value: PropertyValue, of property: Property, in object: ManagedObject
    ) {
        guard let relationship = property.relationship else {
            object.setValue(value, of: property)
            return
        }
        let target: ManagedObject? =
            if case .object(let id) = value { self.object(with: id) } else { nil }
        // The child has kept both ends right, but the to-many side of a column is in no change set.
        let inverse = relationship.inverseIndex.map { index in
            graphModel.model.entities[relationship.destinationIndex].properties[index]
        }
        if let inverse, inverse.isToMany {
            object.setToOne(property, to: target)
        } else {
            object.setRawToOne(property, to: target)
        }
    }

    private func takeIn(_ change: ChangeSet.ToManyChange) {
        let owner = object(with: change.owner)
        guard !owner.isDeleted, change.propertyIndex < owner.plan.entity.properties.count else {
            return
        }
        let property = owner.plan.entity.properties[change.propertyIndex]
        guard let relationship = property.relationship else { return }
        let added = change.added.map { object(with: $0) }.filter { !$0.isDeleted }
        if case .join = relationship.storage {
            // One end only: the other has a change of its own, with its own order.
            for id in change.removed {
                let member = object(with: id)
                owner.changeToMany(property) { $0.remove(member) }
            }
            for member in added { owner.gainMember(member, of: property) }
        }
        if let state = owner.ensureToManyState(of: property) { mutate { state.moveToEnd(added) } }
        if let order = change.order, let state = owner.loadedToManyState(of: property) {
            let objects = order.map { object(with: $0) }
            mutate {
                state.reorder(objects)
                noteChange(of: owner)
            }
        }
    }

    private func takeIn(_ deletion: ChangeSet.Deletion) {
        let object = object(with: deletion.id)
        guard !object.isDeleted else { return }
        mutate {
            if object.version == 0 { object.version = deletion.version }
            object.status.insert(.deleted)
            if object.status.contains(.inserted) {
                removePending(object)
                object.status.insert(.gone)
                forget(object)
            } else {
                noteChange(of: object)
            }
        }
    }

    // MARK: - Another context's save

    /// Merges what another context has saved.
    ///
    /// Core Data's rule: properties this context has not changed follow the save, changed ones keep
    /// this context's values; deleted objects become deleted; loaded relationships are brought up to
    /// date. No I/O, except that relationships are loaded again when they are next read.
    public func mergeChanges(from save: ContextSave) {
        for deletion in save.changes.deleted {
            guard let object = registered(deletion.id) else { continue }
            leaveRelationships(object)
            markGone(object)
        }
        dropReferences(to: Set(save.changes.deleted.map(\.id)))
        for update in save.changes.updated {
            let object = registered(update.id)
            for property in update.id.resolvedEntity.properties
            where property.relationship != nil && update.changed.contains(property.index) {
                let old =
                    object.flatMap { $0.isLoaded ? $0.committedValue(at: property.index) : nil }
                    ?? update.base?.value(of: property, in: coordinator.space) ?? .null
                unloadInverse(of: property, at: old)
                unloadInverse(of: property, at: update.values[property.index])
            }
            guard let object, !object.isDeleted, object.isLoaded else { continue }
            mutate {
                if object.values.isEmpty { object.values = object.plan.makeEmptyValues() }
                update.changed.forEach { object.takeUnderneath(update.values[$0], at: $0) }
                object.version = update.version + 1
            }
        }
        for update in save.changes.updated {
            settleReferences(of: update.id, values: update.values) { update.changed.contains($0) }
        }
        for insertion in save.changes.inserted {
            settleReferences(of: insertion.id, values: insertion.values) { _ in true }
        }
        for insertion in save.changes.inserted {
            for property in insertion.id.resolvedEntity.properties where !property.isToMany {
                unloadInverse(of: property, at: insertion.values[property.index])
            }
        }
        for change in save.changes.toMany {
            unload(owner: change.owner, propertyIndex: change.propertyIndex)
            guard
                let inverseIndex =
                    change.owner.resolvedEntity.properties[change.propertyIndex]
                    .relationship?.inverseIndex
            else { continue }
            for id in change.added + change.removed {
                unload(owner: id, propertyIndex: inverseIndex)
            }
        }
    }

    /// A saved reference to an object that this context has deleted, or has given to another, is
    /// taken out again: an unsaved change.
    private func settleReferences(
        of id: ManagedObjectID, values: ContiguousArray<PropertyValue>,
        where isSaved: (Int) -> Bool
    ) {
        for property in id.resolvedEntity.properties where isSaved(property.index) {
            guard let relationship = property.relationship, !property.isToMany,
                let inverseIndex = relationship.inverseIndex,
                case .object(let targetID) = values[property.index],
                let target = registered(targetID)
            else { continue }
            let inverse = target.plan.entity.properties[inverseIndex]
            let isTaken: Bool
            if target.status.contains(.deleted) {
                isTaken = inverse.relationship?.description.deleteRule != .deny
            } else {
                isTaken =
                    !inverse.isToMany && target.changed.contains(inverseIndex)
                    && target.value(of: inverse) != .object(id)
            }
            guard isTaken else { continue }
            let object = object(with: id)
            if object.toOne(property) === target { object.setRawToOne(property, to: nil) }
        }
    }

    /// Unsaved references to objects that are gone are taken out.
    private func dropReferences(to gone: Set<ManagedObjectID>) {
        guard !gone.isEmpty else { return }
        for case let object? in pending {
            for property in object.plan.entity.properties
            where property.relationship != nil && !property.isToMany {
                if object.present.contains(property.index),
                    case .object(let id) = object.values[property.index], gone.contains(id)
                {
                    object.setRawToOne(property, to: nil)
                }
            }
            mutate {
                for state in object.toManyStates { state?.forgetMembers { $0.isDeleted } }
                noteChange(of: object)
            }
        }
    }

    /// The to-many relationship at the other end of a reference is loaded again when it is read.
    private func unloadInverse(of property: Property, at value: PropertyValue) {
        guard case .object(let id) = value, let index = property.relationship?.inverseIndex else {
            return
        }
        unload(owner: id, propertyIndex: index)
    }

    private func unload(owner id: ManagedObjectID, propertyIndex: Int) {
        guard let owner = registered(id),
            propertyIndex < owner.plan.entity.properties.count
        else { return }
        let property = owner.plan.entity.properties[propertyIndex]
        guard property.isToMany, let state = owner.toManyState(of: property) else { return }
        mutate { state.unload(keepingChanges: true) }
    }

    private func leaveRelationships(_ object: ManagedObject) {
        guard object.isLoaded else { return }
        for property in object.plan.entity.properties where !property.isToMany {
            unloadInverse(of: property, at: object.value(of: property))
        }
        for property in object.plan.entity.properties where property.isToMany {
            guard let state = object.toManyState(of: property), state.isLoaded,
                let index = property.relationship?.inverseIndex
            else { continue }
            for member in state.members { unload(owner: member.objectID, propertyIndex: index) }
        }
    }
}
