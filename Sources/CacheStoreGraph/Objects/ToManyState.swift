// SPDX-License-Identifier: MIT

/// The members of one object's to-many relationship, as far as they are known.
///
/// Until the members are loaded, only what was added and removed is kept. The members are held
/// strongly, so two loaded relationships can keep each other's objects alive; refreshing the objects
/// or resetting the context lets go of them.
final class ToManyState {
    let isOrdered: Bool
    private(set) var isLoaded = false
    /// The members in their order, where there is one. Until they are loaded: the added ones in the
    /// order in which they came, among those of a changed order that was unloaded.
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
    ///
    /// A hidden member has left without the relationship being told: it counts as removed.
    func load(
        _ members: some Collection<ManagedObject>, hiding isHidden: (ManagedObject) -> Bool
    ) {
        let earlier = list
        let saved = Set(members)
        // Until now nobody could tell whether they were members.
        added.subtract(saved)
        removed.formIntersection(saved)
        set.removeAll(keepingCapacity: true)
        list.removeAll(keepingCapacity: true)
        for member in members where !removed.contains(member) {
            if isHidden(member) {
                removed.insert(member)
            } else if set.insert(member).inserted, isOrdered {
                list.append(member)
            }
        }
        if isOrdered {
            for member in earlier where added.contains(member) && set.insert(member).inserted {
                list.append(member)
            }
        } else {
            set.formUnion(added)
        }
        isLoaded = true
        if isOrderChanged { reorder(earlier) }
    }

    /// A relationship of a new object: known to have no members.
    func loadEmpty() { isLoaded = true }

    func add(_ object: ManagedObject) {
        guard isLoaded else {
            if isOrdered {
                list.removeAll { $0 === object }
                list.append(object)
            }
            removed.remove(object)
            added.insert(object)
            return
        }
        guard set.insert(object).inserted else { return }
        if isOrdered { list.append(object) }
        if removed.remove(object) == nil {
            added.insert(object)
        } else if isOrdered {
            // It is a member again, at another place.
            isOrderChanged = true
        }
    }

    func remove(_ object: ManagedObject) {
        if isLoaded { guard set.remove(object) != nil else { return } }
        if isOrdered { list.removeAll { $0 === object } }
        if added.remove(object) == nil || !isLoaded { removed.insert(object) }
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

    /// Moves members that were added to the end, in this order.
    func moveToEnd(_ members: [ManagedObject]) {
        guard isOrdered else { return }
        let moved = members.filter { added.contains($0) }
        let movedSet = Set(moved)
        list.removeAll { movedSet.contains($0) }
        list.append(contentsOf: moved)
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
        if !keepingChanges {
            list.removeAll()
            commit()
        } else if !isOrderChanged {
            list.removeAll { !added.contains($0) }
        }
    }
}
