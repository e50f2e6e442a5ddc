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
            let gone = Set(changes.deleted.map(\.id))
            toMany = toMany.filter { !gone.contains($0.key.owner) }
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
                ChangeSet.Deletion(id: deletion.id, version: update.version))
        case .deleted: break
        case nil: set(.deleted(deletion), for: deletion.id)
        }
    }

    private mutating func apply(_ change: ChangeSet.ToManyChange) {
        let key = ToManyKey(owner: change.owner, propertyIndex: change.propertyIndex)
        guard var earlier = toMany[key] else {
            toMany[key] = change
            return
        }
        for id in change.removed {
            if let index = earlier.added.firstIndex(of: id) {
                earlier.added.remove(at: index)
            } else if !earlier.removed.contains(id) {
                earlier.removed.append(id)
            }
            earlier.order?.removeAll { $0 == id }
        }
        for id in change.added {
            if let index = earlier.removed.firstIndex(of: id) {
                earlier.removed.remove(at: index)
            } else if !earlier.added.contains(id) {
                earlier.added.append(id)
            }
            earlier.order?.append(id)
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
