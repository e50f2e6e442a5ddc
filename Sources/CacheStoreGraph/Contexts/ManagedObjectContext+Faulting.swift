// SPDX-License-Identifier: MIT

public import CacheStoreModel
import CacheStorePersistence

extension ManagedObjectContext {
    /// The object with an ID, without looking whether it exists: a fault if it is not registered.
    ///
    /// No I/O. If the row turns out to be gone, the object reads as the defaults of its types and its
    /// ``ManagedObject/isDeleted`` is true.
    public func object(with id: ManagedObjectID) -> ManagedObject {
        if let object = registered(id) { return object }
        let current = coordinator.currentID(for: id)
        if let object = registered(current) { return object }
        return isForeign(current) ? makeLostObject(current) : makeObject(current)
    }

    /// The object with an ID if the context has it already. No I/O.
    public func registeredObject(for id: ManagedObjectID) -> ManagedObject? {
        takeInMerges()
        return registered(id) ?? registered(coordinator.currentID(for: id))
    }

    /// The object with an ID, loaded; at most one query.
    ///
    /// - Throws: ``ContextError`` with code `objectNotFound` if there is no such object (any more), or
    ///   the store's error if it could not be read.
    public func existingObject(with id: ManagedObjectID) throws -> ManagedObject {
        takeInMerges()
        let object = try recovering {
            let found = self.object(with: id)
            if !found.isLoaded { try load(found) }
            return found
        }
        guard object.isLoaded, !object.isDeleted else {
            throw ContextError(.objectNotFound, "there is no object with this ID", objects: [id])
        }
        return object
    }

    /// The object with an ID, loaded, as its class.
    ///
    /// - Throws: ``ContextError`` with code `objectNotFound` also if the object has another class.
    public func existingObject<Object: ManagedObject>(
        _ objectClass: Object.Type, with id: ManagedObjectID
    ) throws -> Object {
        guard let object = try existingObject(with: id) as? Object else {
            throw ContextError(
                .objectNotFound, "the object with this ID has another class", objects: [id])
        }
        return object
    }

    /// The unsaved changes of the contexts above this one, as they are now.
    func unsavedChangesAbove() -> ChangeLedger? {
        let ledger: ChangeLedger
        switch parent {
        case .coordinator: return nil
        case .saving(let saving): ledger = saving.unsavedChanges()
        case .context(let handle, _): ledger = handle.unsavedChanges()
        }
        return ledger.isEmpty ? nil : coordinator.rescued(ledger)
    }

    /// Loads an object that was read. Failing to is not an error that a property could throw: the
    /// object is gone, or stays a fault and the coordinator's error handler is told.
    func fulfillFault(_ object: ManagedObject) {
        do {
            try recovering {
                guard !object.isLoaded else { return }
                if let keys = object.keysOfFaultGroup {
                    try load(faults(keys, rootIndex: object.plan.rootIndex))
                } else {
                    try load(object)
                }
            }
        } catch {
            coordinator.report(error, while: "loading an object")
        }
    }

    private func faults(_ keys: ArraySlice<Int64>, rootIndex: Int) -> [ManagedObject] {
        keys.compactMap { key in
            guard let other = registered(rootIndex: rootIndex, key: key), !other.isLoaded else {
                return nil
            }
            return other
        }
    }

    /// Loads one object; without a row it is marked as gone.
    private func load(_ object: ManagedObject) throws {
        let above = unsavedChangesAbove()
        takePermanentID(of: object)
        if object.objectID.key > 0, let batch = try currentStore().row(of: object), batch.count > 0
        {
            adopt(batch, row: 0, in: object)
        }
        finishLoading(object, above: above)
    }

    private func takePermanentID(of object: ManagedObject) {
        guard object.objectID.isTemporaryID else { return }
        let id = coordinator.currentID(for: object.objectID)
        if id != object.objectID { changeID(of: object, to: id) }
    }

    private func finishLoading(_ object: ManagedObject, above: ChangeLedger?) {
        if let entry = above?.entries[object.objectID] { overlay(entry, on: object) }
        if !object.isLoaded { markGone(object) }
    }

    /// Loads objects of one hierarchy; those without a row are marked as gone.
    func load(_ objects: [ManagedObject]) throws {
        guard let first = objects.first else { return }
        let above = unsavedChangesAbove()
        for object in objects { takePermanentID(of: object) }
        let keys = objects.map(\.objectID.key).filter { $0 > 0 }
        let batches =
            keys.isEmpty
            ? [] : try store().rows(of: first.plan.entity.root, keys: keys)
        for batch in batches {
            for row in 0..<batch.count {
                let object = registered(
                    rootIndex: first.plan.rootIndex, key: batch.key(ofRow: row))
                if let object, !object.isLoaded { adopt(batch, row: row, in: object) }
            }
        }
        for object in objects { finishLoading(object, above: above) }
    }

    func markGone(_ object: ManagedObject) {
        mutate {
            object.status.becomeGone()
            object.extras?.forgetChanges()
            removePending(object)
        }
    }

    /// Makes a row what the object's unchanged values come from.
    func adopt(_ batch: RowBatch, row: Int, in object: ManagedObject) {
        let isFirst = !object.status.contains(.awake)
        mutate {
            object.attach(batch, row: row)
            object.status.insert(.awake)
        }
        if isFirst { object.awakeFromFetch() }
    }

    /// Puts a parent's unsaved values over the row, except where this context has its own.
    func overlay(_ entry: ChangeLedger.Entry, on object: ManagedObject) {
        mutate {
            if object.values.isEmpty { object.values = object.plan.makeEmptyValues() }
            switch entry {
            case .inserted(let insertion):
                object.plan.valueProperties.forEach {
                    object.takeUnderneath(insertion.values[$0], at: $0)
                }
                object.status.insert(.awake)
            case .updated(let update):
                update.changed.forEach { object.takeUnderneath(update.values[$0], at: $0) }
                object.status.insert(.awake)
            case .deleted:
                object.status.becomeGone()
            }
        }
    }

    // MARK: - To-many

    /// How many owners' relationships are loaded together.
    private static let ownersPerLoad = 256

    func loadToMany(_ property: Property, of object: ManagedObject) {
        do {
            try recovering {
                guard !object.status.contains(.gone) else { return }
                try loadMembers(
                    of: property, owners: neighbours(of: object, property: property))
            }
        } catch {
            coordinator.report(error, while: "loading a relationship")
        }
    }

    /// The object and those that came from the store with it and lack the same relationship.
    private func neighbours(of object: ManagedObject, property: Property) -> [ManagedObject] {
        guard let batch = object.batch, batch.count > 1 else { return [object] }
        var owners = [object]
        let start = object.row + 1
        for row in start..<min(batch.count, start + Self.ownersPerLoad * 2) {
            guard owners.count < Self.ownersPerLoad else { break }
            guard
                let other = registered(
                    rootIndex: object.plan.rootIndex, key: batch.key(ofRow: row)),
                other.plan.entity.properties.count > property.index,
                other.plan.entity.properties[property.index].declaringEntityIndex
                    == property.declaringEntityIndex,
                !(other.toManyState(of: property)?.isLoaded ?? false), !other.isDeleted
            else { continue }
            owners.append(other)
        }
        return owners
    }

    /// Loads the members of one relationship of several objects.
    func loadMembers(of property: Property, owners: [ManagedObject]) throws {
        guard let relationship = property.relationship else { return }
        let above = unsavedChangesAbove()
        var members: [Int64: ContiguousArray<ManagedObject>] = [:]
        let keys = owners.map(\.objectID.key).filter { $0 > 0 }
        if !keys.isEmpty, let entity = owners.first?.plan.entity {
            let batches = try store().members(of: property, in: entity, owners: keys)
            for batch in batches {
                // Held until they are members: nothing else keeps unchanged objects.
                var objects: [ManagedObject] = []
                objects.reserveCapacity(batch.count)
                materialize(batch, above: above, into: &objects)
                guard objects.count == batch.count else { continue }
                for (row, member) in objects.enumerated() {
                    let owner = batch.integer(row: row, column: batch.cellCount - 1)
                    members[owner, default: []].append(member)
                }
            }
        }
        for owner in owners {
            var saved = members[owner.objectID.key] ?? []
            if let above {
                correct(&saved, of: owner, property: property, relationship, above: above)
            }
            saved.removeAll { $0.status.contains(.gone) }
            guard let state = owner.ensureToManyState(of: property) else { continue }
            mutate {
                state.load(saved) { member in
                    member.isDeleted
                        || isElsewhere(member, owner: owner, relationship: relationship)
                }
                if state.hasChanges { noteChange(of: owner) }
            }
        }
    }

    /// Whether a saved member has been given to another owner since, in this context.
    private func isElsewhere(
        _ member: ManagedObject, owner: ManagedObject, relationship: Property.Relationship
    ) -> Bool {
        guard let inverseIndex = relationship.inverseIndex, member.changed.contains(inverseIndex),
            member.plan.toManyOrdinals[inverseIndex] == nil
        else { return false }
        return member.value(at: inverseIndex) != .object(owner.objectID)
    }

    /// Brings saved members up to the unsaved changes of the contexts above.
    private func correct(
        _ members: inout ContiguousArray<ManagedObject>, of owner: ManagedObject,
        property: Property, _ relationship: Property.Relationship, above: ChangeLedger
    ) {
        func add(_ id: ManagedObjectID) {
            let member = object(with: id)
            if !members.contains(member) { members.append(member) }
        }
        if case .inverseColumn = relationship.storage,
            let inverseIndex = relationship.inverseIndex
        {
            let family = graphModel.model.entities[relationship.destinationIndex].familyIndexes
            for (id, entry) in above.entries where family.contains(Int(id.entityIndex)) {
                switch entry {
                case .inserted(let insertion):
                    if insertion.values[inverseIndex] == .object(owner.objectID) { add(id) }
                case .updated(let update) where update.changed.contains(inverseIndex):
                    if update.values[inverseIndex] == .object(owner.objectID) {
                        add(id)
                    } else {
                        members.removeAll { $0.objectID == id }
                    }
                case .updated: break
                case .deleted: members.removeAll { $0.objectID == id }
                }
            }
        }
        let key = ChangeLedger.ToManyKey(
            owner: owner.objectID, propertyIndex: property.index)
        guard let change = above.toMany[key] else { return }
        if case .join = relationship.storage {
            members.removeAll { change.removed.contains($0.objectID) }
            for id in change.added { add(id) }
        }
        if let order = change.order {
            let places = Dictionary(
                order.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
            let sorted = members.enumerated().sorted {
                (places[$0.element.objectID] ?? order.count + $0.offset)
                    < (places[$1.element.objectID] ?? order.count + $1.offset)
            }
            members = ContiguousArray(sorted.map(\.element))
        }
    }

    // MARK: - Rows

    /// Appends the objects of a batch's rows: those the context has, brought up to date if they are
    /// unchanged, and new ones for the rest.
    func materialize(
        _ batch: RowBatch, above: ChangeLedger?, into objects: inout [ManagedObject]
    ) {
        let space = self.space
        // Rows of one entity mostly follow each other.
        var entityIndex = -1
        var plan = ObjectPlan.none
        for row in 0..<batch.count {
            let index = batch.entityIndex(ofRow: row)
            if index != entityIndex {
                guard graphModel.plans.indices.contains(index) else { continue }
                entityIndex = index
                plan = graphModel.plans[index]
            }
            let key = batch.key(ofRow: row)
            if let object = registered(rootIndex: plan.rootIndex, key: key) {
                update(object, from: batch, row: row, above: above)
                objects.append(object)
                continue
            }
            let id = ManagedObjectID(space: space, entityIndex: entityIndex, key: key)
            let object = plan.makeObject(id: id, in: self)
            register(object)
            // Nobody else knows the object yet, so no lock is needed.
            object.attach(batch, row: row)
            object.status.insert(.awake)
            if let entry = above?.entries[id] { overlay(entry, on: object) }
            object.awakeFromFetch()
            objects.append(consume object)
        }
    }

    /// A registered object met again in a fetch: what it has not changed follows the store.
    private func update(
        _ object: ManagedObject, from batch: RowBatch, row: Int, above: ChangeLedger?
    ) {
        if !object.isLoaded {
            adopt(batch, row: row, in: object)
            if let entry = above?.entries[object.objectID] { overlay(entry, on: object) }
        } else if object.pendingIndex < 0, object.status.isDisjoint(with: [.gone, .deleted]),
            batch.version(ofRow: row) > object.version
        {
            mutate {
                object.forgetUnchangedValues()
            }
            adopt(batch, row: row, in: object)
            if let entry = above?.entries[object.objectID] { overlay(entry, on: object) }
        }
    }
}
