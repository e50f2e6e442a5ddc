// SPDX-License-Identifier: MIT

public import CacheStoreModel
import CacheStorePersistence
import CacheStoreQuery
import Foundation

extension ManagedObjectContext {
    /// Fetches objects: one query, and their rows with it.
    ///
    /// Objects that the context has already are the same objects; what they have not changed follows
    /// the store.
    ///
    /// - Throws: `QueryError` for a predicate or order that a store cannot evaluate; ``ModelError`` with
    ///   code `unknownEntity` or `unknownProperty`; ``ContextError`` with code `noStore` or
    ///   `invalidRequest`; `PersistentStoreError` if the store could not be read.
    public func fetch<Result: ManagedObject>(_ request: FetchRequest<Result>) throws -> [Result] {
        let found = try recovering {
            let found = try objects(of: request)
            for keyPath in request.relationshipKeyPathsForPrefetching {
                try prefetch(keyPath, of: found)
            }
            return found
        }
        return typed(found, as: Result.self)
    }

    /// The objects as objects of a class; those of another class are left out.
    private func typed<Result: ManagedObject>(
        _ objects: [ManagedObject], as result: Result.Type
    ) -> [Result] {
        let family = graphModel.entity(of: result)?.familyIndexes ?? []
        let isCertain = family.allSatisfy { graphModel.plans[$0].objectClass is Result.Type }
        guard Result.self == ManagedObject.self || (isCertain && !family.isEmpty) else {
            return objects.compactMap { $0 as? Result }
        }
        // Each object is of an entity of the family, and so of the class; an array of references has
        // the same form whatever their static class, and copying it would count each one twice.
        return unsafeBitCast(objects, to: [Result].self)
    }

    /// How many objects a fetch would give; one query, no objects are made unless changes are
    /// pending.
    ///
    /// - Throws: as ``fetch(_:)``.
    public func count<Result: ManagedObject>(for request: FetchRequest<Result>) throws -> Int {
        takeInMerges()
        let query = try request.storeQuery(in: graphModel)
        return try recovering {
            if request.includesPendingChanges, try !pendingObjects(for: query).isEmpty {
                return try objects(of: request).count
            }
            let store = try self.store()
            return try store.count(matching: query)
        }
    }

    /// The IDs of the objects that a fetch would give; no objects are made unless changes are
    /// pending.
    ///
    /// - Throws: as ``fetch(_:)``.
    public func objectIDs<Result: ManagedObject>(
        for request: FetchRequest<Result>
    ) throws -> [ManagedObjectID] {
        takeInMerges()
        let query = try request.storeQuery(in: graphModel)
        return try recovering {
            if request.includesPendingChanges, try !pendingObjects(for: query).isEmpty {
                return try objects(of: request).map(\.objectID)
            }
            return try store().objectIDs(matching: query)
        }
    }

    private func objects<Result: ManagedObject>(
        of request: FetchRequest<Result>
    ) throws -> [ManagedObject] {
        takeInMerges()
        var query = try request.storeQuery(in: graphModel)
        let above = unsavedChangesAbove()
        let pending = request.includesPendingChanges ? try pendingObjects(for: query) : []
        guard !pending.isEmpty else {
            if let batchSize = request.fetchBatchSize, batchSize > 0, above == nil {
                return try faults(matching: query, batchSize: batchSize)
            }
            return materialize(
                try store().rows(matching: query), rootIndex: query.entity.rootIndex,
                above: above)
        }
        // As many more rows as could drop out; the window is cut after the overlay.
        let window = (limit: query.limit, offset: query.offset)
        query.offset = 0
        query.limit = window.limit.map { $0 + window.offset + pending.count }
        var result = materialize(
            try store().rows(matching: query), rootIndex: query.entity.rootIndex,
            above: above)
        let changed = Set(pending)
        result.removeAll { changed.contains($0) || $0.isDeleted }
        let evaluator = try query.predicate.map { try QueryEvaluator($0) }
        for object in pending where !object.isDeleted {
            if evaluator?.matches(QueriedObject(object: object)) ?? true { result.append(object) }
        }
        let sorted = QueryOrder(query.sort).sorted(result) { QueriedObject(object: $0) }
        return Array(sorted.dropFirst(window.offset).prefix(window.limit ?? .max))
    }

    /// Objects whose rows are loaded batch by batch, when one of a batch is first read.
    private func faults(
        matching query: StoreQuery, batchSize: Int
    ) throws -> [ManagedObject] {
        let ids = try store().objectIDs(matching: query)
        let group = FaultGroup(keys: ContiguousArray(ids.map(\.key)), batchSize: batchSize)
        var objects: [ManagedObject] = []
        objects.reserveCapacity(ids.count)
        for (position, id) in ids.enumerated() {
            let object = registered(id) ?? makeObject(id)
            // One with unsaved changes keeps the version that they are based on.
            if !object.isLoaded, !object.hasChanges { object.join(group, at: position) }
            objects.append(object)
        }
        return objects
    }

    private func materialize(
        _ batches: [RowBatch], rootIndex: Int, above: ChangeLedger?
    ) -> [ManagedObject] {
        var objects: [ManagedObject] = []
        let count = batches.reduce(0) { $0 + $1.count }
        objects.reserveCapacity(count)
        if batches.count > 1 { reserveRegistrations(rootIndex: rootIndex, count: count) }
        for batch in batches { materialize(batch, above: above, into: &objects) }
        return objects
    }

    /// The objects of a query's entities that have unsaved changes, here or in a context above.
    private func pendingObjects(
        for query: StoreQuery
    ) throws -> ContiguousArray<ManagedObject> {
        let above = unsavedChangesAbove()
        guard !pending.isEmpty || above != nil else { return [] }
        let family = Set(
            query.includesSubentities ? query.entity.familyIndexes : [query.entity.index])
        var objects: ContiguousArray<ManagedObject> = []
        for case let object? in pending where family.contains(object.plan.entity.index) {
            objects.append(object)
        }
        // One that only lost or gained a member may turn out to be gone.
        var faults = objects.filter { !$0.isLoaded }
        guard let above else {
            try load(Array(faults))
            return objects
        }
        var known = Set(objects)
        func add(_ id: ManagedObjectID) {
            guard family.contains(Int(id.entityIndex)) else { return }
            let object = object(with: id)
            guard known.insert(object).inserted else { return }
            objects.append(object)
            if !object.isLoaded { faults.append(object) }
        }
        func add(_ value: PropertyValue) {
            if case .object(let id) = value { add(id) }
        }
        let model = graphModel.model
        for (id, entry) in above.entries {
            add(id)
            // Whose members these were or are: their owners are in no change set.
            for property in id.resolvedEntity.properties
            where property.isReferenceToOwner(in: model) {
                switch entry {
                case .inserted(let insertion): add(insertion.values[property.index])
                case .updated(let update) where update.changed.contains(property.index):
                    add(update.values[property.index])
                    add(update.base?.value(of: property, in: coordinator.space) ?? .null)
                case .updated: break
                case .deleted(let deletion):
                    add(deletion.base?.value(of: property, in: coordinator.space) ?? .null)
                }
            }
        }
        for key in above.toMany.keys { add(key.owner) }
        try load(Array(faults))
        return objects
    }

    // MARK: - Prefetching

    private func prefetch(
        _ keyPath: AnyKeyPath, of objects: [ManagedObject]
    ) throws {
        guard let first = objects.first else { return }
        let steps = try graphModel.steps(of: keyPath, from: type(of: first))
        guard let step = steps.first else { return }
        let property = graphModel.model.entities[step.entityIndex].properties[step.propertyIndex]
        guard property.relationship != nil else { return }
        if property.isToMany {
            let owners = objects.filter { !($0.toManyState(of: property)?.isLoaded ?? false) }
            for start in stride(from: 0, to: owners.count, by: 256) {
                try loadMembers(
                    of: property, owners: Array(owners[start..<min(start + 256, owners.count)]))
            }
        } else {
            // Held until all are loaded: nothing else keeps unchanged objects.
            var targets: [ManagedObject] = []
            for object in objects {
                if case .object(let id) = object.value(of: property) {
                    let target = self.object(with: id)
                    if !target.isLoaded { targets.append(target) }
                }
            }
            for (_, group) in Dictionary(grouping: Set(targets), by: { $0.plan.rootIndex }) {
                try load(group)
            }
        }
    }
}

extension Property {
    /// Whether this is the to-one side of a to-many relationship.
    fileprivate func isReferenceToOwner(in model: ManagedObjectModel) -> Bool {
        guard let relationship, !isToMany, let index = relationship.inverseIndex else {
            return false
        }
        return model.entities[relationship.destinationIndex].properties[index].isToMany
    }
}
