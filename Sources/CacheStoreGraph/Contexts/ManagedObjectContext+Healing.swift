// SPDX-License-Identifier: MIT

import CacheStoreModel

extension ManagedObjectContext {
    /// Runs an operation on the store. Where the store turns out to be damaged, removed or replaced,
    /// it is healed, this context goes over to what is there then, and the operation is run again.
    func recovering<Result>(_ operation: () throws -> Result) throws -> Result {
        try coordinator.recovering(
            epoch: { epoch },
            goOver: {
                takeInMerges()
                // A context that is made while a store is replaced may get no message of it.
                if epoch != coordinator.storeEpoch { adoptStore() }
            }, operation)
    }

    /// Goes over to the store that has taken the place of the one this context's objects are from.
    ///
    /// Unsaved changes become changes of the new store, by the same objects: a changed object whose
    /// values are all in memory is new there, a reference to a lost object is empty. All other
    /// objects are gone; they keep what they have loaded, and can load nothing any more.
    func adoptStore() {
        knownStore = nil
        epoch = coordinator.storeEpoch
        if case .saving(let saving) = parent { saving.adoptStore() }
        let objects = registeredObjects
        guard objects.contains(where: { isForeign($0.objectID) }) else { return }
        let own = coordinator.rescued(changesWithMembers())
        let inserted = Set(own.inserted.map(\.id))
        let above = unsavedChangesAbove()
        mutate {
            removeAllPending()
            // All before any: a new key may be the old one of another object.
            for object in objects { forget(object) }
            for object in objects {
                let id = coordinator.currentID(for: object.objectID)
                let isAbove = above?.entries[id] != nil
                if inserted.contains(id) || isAbove || !(isForeign(id) || id.isTemporaryID) {
                    object.beginAnew(as: id)
                    register(object)
                } else {
                    object.lose()
                }
            }
        }
        takeIn(own)
    }

    /// Whether an ID is permanent and of another store than this context's.
    func isForeign(_ id: ManagedObjectID) -> Bool {
        guard !id.isTemporaryID else { return false }
        if let knownStore, knownStore.space === id.space { return false }
        let space = space
        return id.space !== space && id.storeIdentifier != space.storeIdentifier
    }

    /// An object that is not there and never will be: nothing can be registered under its key, which
    /// means another object in this context's store.
    func makeLostObject(_ id: ManagedObjectID) -> ManagedObject {
        let object = graphModel.makeObject(id: id, in: self)
        object.lose()
        return object
    }

    /// The unsaved changes, and of each changed object the members of its relationships that are
    /// changed as well, whether or not the relationship is.
    private func changesWithMembers() -> ChangeSet {
        var changes = unsavedChangeSet()
        for case let object? in pending where !object.isDeleted && !object.isInserted {
            for property in object.plan.relationships {
                guard let relationship = property.relationship,
                    let state = object.toManyState(of: property), state.isLoaded,
                    relationship.storage != .inverseColumn || state.isOrdered
                else { continue }
                let members = state.members.filter { $0.hasChanges && !$0.isDeleted }
                changes.toMany.removeAll {
                    $0.owner == object.objectID && $0.propertyIndex == property.index
                }
                changes.toMany.append(
                    ChangeSet.ToManyChange(
                        owner: object.objectID, propertyIndex: property.index,
                        added: members.map(\.objectID), removed: [],
                        order: state.isOrdered ? members.map(\.objectID) : nil))
            }
        }
        return changes
    }
}

extension ManagedObject {
    /// Forgets the row and all values: the object is a fault, under another ID. Inside `mutate`.
    fileprivate final func beginAnew(as id: ManagedObjectID) {
        objectID = id
        detachRow()
        source = .nothing
        version = 0
        values.removeAll()
        extras = nil
        status = []
    }

    /// What a row does not hold has its default in a fetched object, and needs one in a new one.
    final func setMissingTransients() {
        for (index, make) in plan.defaults
        where plan.entity.properties[index].isTransient && values[index].isNull {
            values[index] = make()
        }
    }

    /// The row is gone for good. What was loaded stays readable.
    fileprivate final func lose() {
        status.becomeGone()
        extras?.forgetChanges()
    }
}
