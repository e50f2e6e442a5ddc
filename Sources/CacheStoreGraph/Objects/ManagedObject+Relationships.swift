// SPDX-License-Identifier: MIT

import CacheStoreModel

// Relationships, with both ends kept right at once.
//
// The rule for every mutation: the end that is written changes first, then the other end is told in
// a "raw" form that does not tell back. What must be loaded is loaded before anything changes.

extension ManagedObject {
    // MARK: - To-one

    final func toOne(_ property: Property) -> ManagedObject? {
        guard case .object(let id) = value(of: property), let context else { return nil }
        let object = context.object(with: id)
        return object.status.contains(.gone) ? nil : object
    }

    final func setToOne(_ property: Property, to target: ManagedObject?) {
        guard let relationship = property.relationship, let context else { return }
        if let target, target.context !== context || target.status.contains(.gone) { return }
        let old = toOne(property)
        guard old !== target else {
            // A reference to a row that is gone still has to be taken out.
            if target == nil { setValue(.null, of: property) }
            return
        }
        guard let inverseIndex = relationship.inverseIndex else {
            setRawToOne(property, to: target)
            return
        }
        if let old { old.loseRaw(self, inverseIndex: inverseIndex) }
        if let target {
            let inverse = target.plan.entity.properties[inverseIndex]
            if !inverse.isToMany, let previous = target.toOne(inverse), previous !== self {
                previous.setRawToOne(property, to: nil)
            }
        }
        setRawToOne(property, to: target)
        target?.gainRaw(self, inverseIndex: inverseIndex)
    }

    /// Sets the reference of this end only.
    final func setRawToOne(_ property: Property, to target: ManagedObject?) {
        setValue(target.map { .object($0.objectID) } ?? .null, of: property)
    }

    /// The other end no longer refers to this object.
    final func loseRaw(_ object: ManagedObject, inverseIndex: Int) {
        let inverse = plan.entity.properties[inverseIndex]
        if inverse.isToMany {
            changeToMany(inverse) { $0.remove(object) }
        } else if toOne(inverse) === object {
            setRawToOne(inverse, to: nil)
        }
    }

    /// The other end refers to this object from now on.
    final func gainRaw(_ object: ManagedObject, inverseIndex: Int) {
        let inverse = plan.entity.properties[inverseIndex]
        if inverse.isToMany {
            gainMember(object, of: inverse)
        } else {
            setRawToOne(inverse, to: object)
        }
    }

    // MARK: - To-many

    final func toManyState(of property: Property) -> ToManyState? {
        guard let ordinal = plan.toManyOrdinals[property.index], ordinal < toManyStates.count
        else { return nil }
        return toManyStates[ordinal]
    }

    /// The state of a to-many relationship, made if there is none; not loaded by this.
    final func ensureToManyState(of property: Property) -> ToManyState? {
        guard let ordinal = plan.toManyOrdinals[property.index] else { return nil }
        if toManyStates.isEmpty {
            toManyStates = ContiguousArray(repeating: nil, count: plan.toManyCount)
        }
        if let state = toManyStates[ordinal] { return state }
        let isOrdered = property.relationship?.description.isOrdered ?? false
        let state = ToManyState(isOrdered: isOrdered)
        if status.contains(.inserted), objectID.isTemporaryID { state.loadEmpty() }
        toManyStates[ordinal] = state
        return state
    }

    /// The state with its members loaded: one query for this object and those fetched with it.
    final func loadedToManyState(of property: Property) -> ToManyState? {
        guard let state = ensureToManyState(of: property) else { return nil }
        if !state.isLoaded { context?.loadToMany(property, of: self) }
        return state
    }

    /// The members that are not deleted.
    final func toMany(_ property: Property) -> ContiguousArray<ManagedObject> {
        guard let members = loadedToManyState(of: property)?.members else { return [] }
        // A relationship without an inverse is not told when a member is deleted.
        return members.contains(where: \.isDeleted) ? members.filter { !$0.isDeleted } : members
    }

    /// Changes the members of this end only.
    final func changeToMany(_ property: Property, _ change: (ToManyState) -> Void) {
        guard let context, !status.contains(.gone),
            let state = ensureToManyState(of: property)
        else { return }
        context.mutate {
            change(state)
            context.noteChange(of: self)
        }
    }

    private func isOrdered(_ property: Property) -> Bool {
        property.isToMany && property.relationship?.description.isOrdered ?? false
    }

    /// Adds a member at this end only.
    final func gainMember(_ object: ManagedObject, of property: Property) {
        if let state = toManyState(of: property), state.isOrdered, !state.isLoaded,
            state.removed.contains(object)
        {
            // A saved member that was removed comes back at the end: that is a change of the order,
            // which only loaded members have.
            context?.loadToMany(property, of: self)
        }
        changeToMany(property) { $0.add(object) }
    }

    final func addMember(_ object: ManagedObject, to property: Property) {
        guard let relationship = property.relationship, let context,
            object.context === context, !object.status.contains(.gone)
        else { return }
        if let inverseIndex = relationship.inverseIndex,
            object.plan.toManyOrdinals[inverseIndex] == nil
        {
            // The reference of the object says whose member it is. Where the list was loaded later and
            // does not have it, another context has given it away since: then it is loaded again.
            let inverse = object.plan.entity.properties[inverseIndex]
            if let state = toManyState(of: property), state.isLoaded, !state.contains(object),
                !object.changed.contains(inverseIndex), object.toOne(inverse) === self
            {
                context.refresh(object, mergeChanges: true)
            }
            object.setToOne(inverse, to: self)
            return
        }
        if let state = toManyState(of: property), state.contains(object) { return }
        // Only a loaded order tells whether the object has a place in it already.
        if isOrdered(property), loadedToManyState(of: property)?.contains(object) ?? true { return }
        if let inverseIndex = relationship.inverseIndex {
            let inverse = object.plan.entity.properties[inverseIndex]
            if isOrdered(inverse), object.loadedToManyState(of: inverse)?.contains(self) ?? true {
                return
            }
        }
        if let inverseIndex = relationship.inverseIndex {
            let inverse = object.plan.entity.properties[inverseIndex]
            gainMember(object, of: property)
            // A symmetric relationship of an object with itself has one end only.
            if !(object === self && inverseIndex == property.index) {
                object.gainMember(self, of: inverse)
            }
        } else {
            gainMember(object, of: property)
        }
    }

    final func removeMember(_ object: ManagedObject, from property: Property) {
        guard let relationship = property.relationship else { return }
        if let inverseIndex = relationship.inverseIndex {
            let inverse = object.plan.entity.properties[inverseIndex]
            if !inverse.isToMany {
                if object.toOne(inverse) === self { object.setToOne(inverse, to: nil) }
                return
            }
            changeToMany(property) { $0.remove(object) }
            if !(object === self && inverseIndex == property.index) {
                object.changeToMany(inverse) { $0.remove(self) }
            }
        } else {
            changeToMany(property) { $0.remove(object) }
        }
    }

    /// Makes the members exactly these, in this order where the relationship has one.
    final func setMembers(_ objects: ContiguousArray<ManagedObject>, of property: Property) {
        guard let state = loadedToManyState(of: property) else { return }
        let wanted = Set(objects)
        for object in state.members where !wanted.contains(object) {
            removeMember(object, from: property)
        }
        for object in objects { addMember(object, to: property) }
        if state.isOrdered { changeToMany(property) { $0.reorder(objects) } }
    }

    // MARK: - Wrappers

    private func relationshipProperty(slot: Int) -> Property? {
        guard slot < plan.slots.count else { return nil }
        return plan.entity.properties[plan.slots[slot].propertyIndex]
    }

    final func readToOne(slot: Int) -> ManagedObject? {
        relationshipProperty(slot: slot).flatMap { toOne($0) }
    }

    final func writeToOne(slot: Int, _ target: ManagedObject?) {
        guard let property = relationshipProperty(slot: slot) else { return }
        setToOne(property, to: target)
    }

    /// The members of a wrapper's relationship; none for an object that only notes what is read.
    @usableFromInline
    final func _members(slot: Int) -> ContiguousArray<ManagedObject> {
        if let recorder {
            recorder.record(slot: slot)
            return []
        }
        return relationshipProperty(slot: slot).map { toMany($0) } ?? []
    }

    final func writeToMany(slot: Int, _ members: ContiguousArray<ManagedObject>) {
        guard let property = relationshipProperty(slot: slot) else { return }
        setMembers(members, of: property)
    }
}
