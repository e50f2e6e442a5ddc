// SPDX-License-Identifier: MIT

import CacheStoreModel

/// What became of the objects of stores that were reset or replaced while they were in use.
///
/// Their keys mean other objects in the new store. An object that was not lost, because its unsaved
/// changes are in memory, is a new object there: it moves to a temporary ID, and from there to a
/// permanent one when it is saved.
struct FormerStores {
    private var keys: [(space: IdentitySpace, permanent: PermanentKeys)] = []
    private var moved: [ManagedObjectID: ManagedObjectID] = [:]

    var count: Int { keys.count }

    /// Takes note of a store that is gone, and of the permanent keys that it gave out.
    mutating func add(_ space: IdentitySpace, _ permanentKeys: PermanentKeys) {
        keys.append((space, permanentKeys))
    }

    /// Where an object of a former store has gone to; `nil` where it is lost.
    func destination(of id: ManagedObjectID) -> ManagedObjectID? { moved[id] }

    mutating func move(_ id: ManagedObjectID, to new: ManagedObjectID) { moved[id] = new }

    /// The ID that an object got in a former store.
    func permanentID(for id: ManagedObjectID) -> ManagedObjectID? {
        for (space, permanent) in keys.reversed() {
            guard let key = permanent[id.key] else { continue }
            return ManagedObjectID(space: space, entityIndex: Int(id.entityIndex), key: key)
        }
        return nil
    }
}

extension PersistentStoreCoordinator.State {
    /// Whether an ID is permanent and of the store that there is.
    func isOwn(_ id: ManagedObjectID) -> Bool {
        !id.isTemporaryID
            && (id.space === space || id.storeIdentifier == space.storeIdentifier)
    }

    /// Follows an object from store to store.
    func currentID(for id: ManagedObjectID) -> ManagedObjectID {
        var current = id
        // Each store takes two steps at most.
        for _ in 0...2 * former.count {
            if current.isTemporaryID {
                if let key = permanentKeys[current.key] {
                    return ManagedObjectID(
                        space: space, entityIndex: Int(current.entityIndex), key: key)
                }
                guard let next = former.permanentID(for: current) else { return current }
                current = next
            } else if isOwn(current) {
                return current
            }
            guard let next = former.destination(of: current) else { return id }
            current = next
        }
        return current
    }

    /// Whether an object was in a former store only.
    func isLost(_ id: ManagedObjectID) -> Bool {
        let current = currentID(for: id)
        if current.isTemporaryID {
            return current == id && permanentKeys[id.key] == nil
                && former.permanentID(for: id) != nil
        }
        return !isOwn(current)
    }
}
