// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStorePersistence

/// Works conflicts of a save into its change set, by a merge policy.
struct MergeResolution {
    let space: IdentitySpace
    var changes: ChangeSet
    /// Objects whose row is not what the context thinks: to be loaded anew after the save.
    var stale: Set<ManagedObjectID> = []
    /// Objects that are gone from the store.
    var gone: Set<ManagedObjectID> = []
    /// New objects that turned out to be objects the store has.
    var replacements: [ManagedObjectID: ManagedObjectID] = [:]

    init(changes: ChangeSet, space: IdentitySpace) {
        self.changes = changes
        self.space = space
    }

    /// Resolves conflicts, or throws where the policy is not to.
    mutating func resolve(
        _ conflicts: [StoreConflicts.Conflict], by policy: MergePolicy
    ) throws(ContextError) {
        guard policy != .error else { throw Self.error(for: conflicts) }
        for conflict in conflicts {
            switch conflict.kind {
            case .deleted: drop(conflict.id, isGone: true)
            case .missingTargets(let indexes): clear(indexes, of: conflict.id)
            case .changed(let current):
                resolveChange(of: conflict.id, RowReference(batch: current, row: 0), policy)
            case .notUnique(let properties, let existing):
                try resolveConstraint(
                    conflict.id, properties, RowReference(batch: existing, row: 0), policy)
            case .notUniqueInSave(let properties, let other):
                // Both objects are of this save. The earlier one stays; its values may be replaced.
                try resolveInSave(conflict.id, other: other, properties, policy)
            }
        }
    }

    private static func error(for conflicts: [StoreConflicts.Conflict]) -> ContextError {
        var properties: [String] = []
        for conflict in conflicts {
            switch conflict.kind {
            case .notUnique(let names, _), .notUniqueInSave(let names, _):
                properties = names
            case .changed, .deleted, .missingTargets: break
            }
        }
        let ids = conflicts.map(\.id)
        return properties.isEmpty
            ? ContextError(
                .mergeConflict, "rows were changed or deleted since they were loaded", objects: ids)
            : ContextError(
                .constraintConflict, "values are not unique", objects: ids, properties: properties)
    }

    /// Takes all changes of an object out.
    private mutating func drop(_ id: ManagedObjectID, isGone: Bool) {
        changes.updated.removeAll { $0.id == id }
        changes.deleted.removeAll { $0.id == id }
        changes.toMany.removeAll { $0.owner == id }
        if isGone { gone.insert(id) } else { stale.insert(id) }
    }

    /// Takes the references to objects that are gone out; what the object says otherwise is saved.
    private mutating func clear(_ indexes: [Int], of id: ManagedObjectID) {
        if let position = changes.inserted.firstIndex(where: { $0.id == id }) {
            for index in indexes { changes.inserted[position].values[index] = .null }
        }
        if let position = changes.updated.firstIndex(where: { $0.id == id }) {
            for index in indexes { changes.updated[position].values[index] = .null }
        }
        stale.insert(id)
    }

    // MARK: - Rows that changed

    private mutating func resolveChange(
        of id: ManagedObjectID, _ current: RowReference, _ policy: MergePolicy
    ) {
        let version = current.batch.version(ofRow: current.row)
        if let index = changes.deleted.firstIndex(where: { $0.id == id }) {
            if policy == .mergeByPropertyStoreTrump || policy == .rollback {
                drop(id, isGone: false)
            } else {
                changes.deleted[index].version = version
            }
            return
        }
        guard policy != .rollback,
            let index = changes.updated.firstIndex(where: { $0.id == id })
        else { return drop(id, isGone: false) }
        var update = changes.updated[index]
        let properties = id.resolvedEntity.properties
        switch policy.kind {
        case .propertyStoreTrump:
            for property in properties where update.changed.contains(property.index) {
                let before = update.base?.value(of: property, in: space)
                if before != current.value(of: property, in: space) {
                    update.changed.remove(property.index)
                }
            }
        case .overwrite:
            for property in properties
            where !property.isToMany && !property.isTransient
                && !update.changed.contains(property.index)
            {
                guard let base = update.base else { continue }
                update.values[property.index] = base.value(of: property, in: space)
                update.changed.insert(property.index)
            }
        default: break
        }
        stale.insert(id)
        guard !update.changed.isEmpty else {
            changes.updated.remove(at: index)
            return
        }
        update.version = version
        update.base = current
        changes.updated[index] = update
    }

    // MARK: - Uniqueness

    private mutating func resolveConstraint(
        _ id: ManagedObjectID, _ properties: [String], _ existing: RowReference,
        _ policy: MergePolicy
    ) throws(ContextError) {
        let existingID = existing.objectID(in: space)
        guard let index = changes.inserted.firstIndex(where: { $0.id == id }) else {
            // An update that would collide: only giving it up helps, or removing the other row.
            guard policy == .mergeByPropertyStoreTrump || policy == .rollback else {
                throw ContextError(
                    .constraintConflict, "another object has the same values", objects: [id],
                    properties: properties)
            }
            return drop(id, isGone: false)
        }
        let insertion = changes.inserted.remove(at: index)
        replace(id, by: existingID)
        stale.insert(existingID)
        guard policy == .mergeByPropertyObjectTrump || policy == .overwrite else { return }
        let entity = existingID.resolvedEntity
        let isSameEntity = entity === id.resolvedEntity
        var changed = PropertySet()
        for property in entity.properties
        where isSameEntity && !property.isToMany && !property.isTransient {
            // A missing value of a new object was not set by anyone; it replaces nothing.
            let value = insertion.values[property.index]
            guard !value.isNull || policy == .overwrite,
                value != existing.value(of: property, in: space)
            else { continue }
            changed.insert(property.index)
        }
        guard !changed.isEmpty else { return }
        changes.updated.append(
            ChangeSet.Update(
                id: existingID, version: existing.batch.version(ofRow: existing.row),
                changed: changed, values: insertion.values, base: existing))
    }

    private mutating func resolveInSave(
        _ id: ManagedObjectID, other: ManagedObjectID, _ properties: [String],
        _ policy: MergePolicy
    ) throws(ContextError) {
        guard let index = changes.inserted.firstIndex(where: { $0.id == id }),
            let otherIndex = changes.inserted.firstIndex(where: { $0.id == other })
        else {
            throw ContextError(
                .constraintConflict, "two objects of this save have the same values",
                objects: [id, other], properties: properties)
        }
        let later = changes.inserted[index]
        if policy == .mergeByPropertyObjectTrump || policy == .overwrite {
            for (property, value) in later.values.enumerated() where !value.isNull {
                changes.inserted[otherIndex].values[property] = value
            }
        }
        changes.inserted.remove(at: index)
        replace(id, by: other)
        stale.insert(other)
    }

    /// Makes everything that refers to one object refer to another.
    private mutating func replace(_ id: ManagedObjectID, by other: ManagedObjectID) {
        replacements[id] = other
        func replaced(_ values: inout ContiguousArray<PropertyValue>) {
            for index in values.indices where values[index] == .object(id) {
                values[index] = .object(other)
            }
        }
        for index in changes.inserted.indices { replaced(&changes.inserted[index].values) }
        for index in changes.updated.indices { replaced(&changes.updated[index].values) }
        for index in changes.toMany.indices {
            var change = changes.toMany[index]
            if change.owner == id { change.owner = other }
            change.added = change.added.map { $0 == id ? other : $0 }
            change.removed = change.removed.map { $0 == id ? other : $0 }
            change.order = change.order.map { $0.map { $0 == id ? other : $0 } }
            changes.toMany[index] = change
        }
    }
}
