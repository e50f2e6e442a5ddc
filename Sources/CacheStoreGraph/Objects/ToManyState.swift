// SPDX-License-Identifier: MIT

/// The members of one object's to-many relationship, as far as they are known.
///
/// Until the members are loaded, only what was added and removed is kept. The members are held
/// strongly, so two loaded relationships can keep each other's objects alive; refreshing the objects
/// or resetting the context lets go of them.
final class ToManyState {
    let isOrdered: Bool
    private(set) var isLoaded = false
    private(set) var list: ContiguousArray<ManagedObject> = []
    private(set) var set: Set<ManagedObject> = []
    /// Members that the saved relationship does not have.
    private(set) var added: Set<ManagedObject> = []
    /// Members of the saved relationship that are no more.
    private(set) var removed: Set<ManagedObject> = []
    private(set) var isOrderChanged = false

    init(isOrdered: Bool) { self.isOrdered = isOrdered }

    var hasChanges: Bool { !added.isEmpty || !removed.isEmpty || isOrderChanged }

    var members: ContiguousArray<ManagedObject> { isOrdered ? list : ContiguousArray(set) }

    var count: Int { isOrdered ? list.count : set.count }

    func contains(_ object: ManagedObject) -> Bool {
        if !isLoaded { return added.contains(object) }
        return set.contains(object)
    }

    /// Takes the saved members, on top of which what was added and removed still counts.
    func load(_ members: some Sequence<ManagedObject>) {
        set.removeAll(keepingCapacity: true)
        list.removeAll(keepingCapacity: true)
        for member in members where !removed.contains(member) {
            if set.insert(member).inserted, isOrdered { list.append(member) }
        }
        for member in added where set.insert(member).inserted {
            if isOrdered { list.append(member) }
        }
        isLoaded = true
    }

    /// A relationship of a new object: known to have no members.
    func loadEmpty() { isLoaded = true }

    func add(_ object: ManagedObject) {
        if isLoaded {
            guard set.insert(object).inserted else { return }
            if isOrdered { list.append(object) }
        }
        if removed.remove(object) == nil { added.insert(object) }
    }

    func remove(_ object: ManagedObject) {
        if isLoaded {
            guard set.remove(object) != nil else { return }
            if isOrdered { list.removeAll { $0 === object } }
        }
        if added.remove(object) == nil { removed.insert(object) }
    }

    /// Takes an order of the members it has. Members that are not named keep their order at the end.
    func reorder(_ order: some Sequence<ManagedObject>) {
        guard isOrdered, isLoaded else { return }
        var rest = set
        var sorted: ContiguousArray<ManagedObject> = []
        for object in order where rest.remove(object) != nil { sorted.append(object) }
        for object in list where rest.contains(object) { sorted.append(object) }
        guard sorted != list else { return }
        list = sorted
        isOrderChanged = true
    }

    /// Takes out members that never came to be.
    func forgetMembers(where isGone: (ManagedObject) -> Bool) {
        guard hasChanges else { return }
        added = added.filter { !isGone($0) }
        set = set.filter { !isGone($0) }
        list.removeAll(where: isGone)
    }

    /// Forgets what was changed: it has been saved.
    func commit() {
        added.removeAll()
        removed.removeAll()
        isOrderChanged = false
    }

    /// Forgets the members, and the changes too if asked; they are loaded again when needed.
    func unload(keepingChanges: Bool) {
        isLoaded = false
        set.removeAll()
        list.removeAll()
        if !keepingChanges { commit() }
        if keepingChanges { isOrderChanged = false }
    }
}
