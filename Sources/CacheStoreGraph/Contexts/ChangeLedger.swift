// SPDX-License-Identifier: MIT

package import CacheStoreModel

/// Several change sets, one after another, brought together: one entry for each object.
package struct ChangeLedger: Sendable {
    package enum Entry: Sendable {
        case inserted(ChangeSet.Insertion)
        case updated(ChangeSet.Update)
        case deleted(ChangeSet.Deletion)
    }

    package struct ToManyKey: Hashable, Sendable {
        package var owner: ManagedObjectID
        package var propertyIndex: Int
    }

    package private(set) var entries: [ManagedObjectID: Entry] = [:]
    package private(set) var toMany: [ToManyKey: ChangeSet.ToManyChange] = [:]
    /// The objects in the order in which they came in.
    private var order: [ManagedObjectID] = []

    package init() {}

    package init(_ changes: ChangeSet) { apply(changes) }

    package var isEmpty: Bool { entries.isEmpty && toMany.isEmpty }

    package mutating func apply(_ changes: ChangeSet) {
        for insertion in changes.inserted { set(.inserted(insertion), for: insertion.id) }
        for update in changes.updated { apply(update) }
        for change in changes.toMany { apply(change) }
        guard !changes.deleted.isEmpty else { return }
        for deletion in changes.deleted { apply(deletion) }
        if !toMany.isEmpty {
            // Relationships without an inverse are not told that a member is gone, and what was never
            // saved cannot be removed from anything.
            let gone = Set(changes.deleted.map(\.id))
            let neverSaved = gone.filter(\.isTemporaryID)
            toMany = toMany.filter { !gone.contains($0.key.owner) }
            for (key, change) in toMany
            where change.added.contains(where: gone.contains)
                || change.removed.contains(where: neverSaved.contains)
            {
                toMany[key]?.added.removeAll(where: gone.contains)
                toMany[key]?.removed.removeAll(where: neverSaved.contains)
                toMany[key]?.order?.removeAll(where: gone.contains)
            }
        }
    }

    package mutating func apply(_ other: ChangeLedger) { apply(other.changeSet()) }

    private mutating func set(_ entry: Entry, for id: ManagedObjectID) {
        if entries.updateValue(entry, forKey: id) == nil { order.append(id) }
    }

    private mutating func apply(_ update: ChangeSet.Update) {
        switch entries[update.id] {
        case .inserted(var insertion):
            update.changed.forEach { insertion.values[$0] = update.values[$0] }
            entries[update.id] = .inserted(insertion)
        case .updated(var earlier):
            update.changed.forEach { earlier.values[$0] = update.values[$0] }
            earlier.changed.formUnion(update.changed)
            entries[update.id] = .updated(earlier)
        case .deleted: break
        case nil: set(.updated(update), for: update.id)
        }
    }

    private mutating func apply(_ deletion: ChangeSet.Deletion) {
        switch entries[deletion.id] {
        case .inserted:
            // The ID stays in the order, where nothing is found for it.
            entries[deletion.id] = nil
        case .updated(let update):
            entries[deletion.id] = .deleted(
                ChangeSet.Deletion(
                    id: deletion.id, version: update.version,
                    base: update.base ?? deletion.base))
        case .deleted: break
        case nil: set(.deleted(deletion), for: deletion.id)
        }
    }

    // A context may add or remove without knowing the members, so an addition does not cancel an
    // earlier removal: the last word on a member is what is said.
    private mutating func apply(_ change: ChangeSet.ToManyChange) {
        let key = ToManyKey(owner: change.owner, propertyIndex: change.propertyIndex)
        guard var earlier = toMany[key] else {
            toMany[key] = change
            return
        }
        if !change.removed.isEmpty {
            let removed = Set(change.removed)
            earlier.added.removeAll { removed.contains($0) }
            earlier.removed.removeAll { removed.contains($0) }
            earlier.removed += change.removed
            earlier.order?.removeAll { removed.contains($0) }
        }
        if !change.added.isEmpty {
            let added = Set(change.added)
            earlier.removed.removeAll { added.contains($0) }
            let known = Set(earlier.added)
            earlier.added += change.added.filter { !known.contains($0) }
            if let order = earlier.order {
                let placed = Set(order)
                earlier.order = order + change.added.filter { !placed.contains($0) }
            }
        }
        if let order = change.order { earlier.order = order }
        toMany[key] = earlier
    }

    package func changeSet() -> ChangeSet {
        var changes = ChangeSet()
        for id in order {
            switch entries[id] {
            case .inserted(let insertion): changes.inserted.append(insertion)
            case .updated(let update): changes.updated.append(update)
            case .deleted(let deletion): changes.deleted.append(deletion)
            case nil: break
            }
        }
        changes.toMany = Array(toMany.values)
        return changes
    }

    /// Takes an object's changes out: the program gave them up.
    package mutating func discard(_ id: ManagedObjectID) {
        entries[id] = nil
        toMany = toMany.filter { $0.key.owner != id }
    }
}
