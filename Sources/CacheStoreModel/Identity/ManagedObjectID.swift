// SPDX-License-Identifier: MIT

public import Foundation
import Synchronization

/// The identity of one object in one store: a value that may cross threads when the object may not.
///
/// An object that has never been saved has a *temporary* ID. Saving gives it a permanent one. The
/// temporary ID stays usable for as long as the store is open: looking it up finds the object under
/// its permanent ID.
///
/// Two IDs are equal when they name the same row of the same store. Comparing and hashing cost a few
/// nanoseconds and no I/O.
public struct ManagedObjectID: Sendable {
    // Spaces are interned and live until the process ends, so the reference cannot dangle; counting
    // references here would cost more than everything else that an ID does.
    @usableFromInline package unowned(unsafe) let space: IdentitySpace
    /// The row's key within its root entity; negative while temporary.
    @usableFromInline package let key: Int64
    /// The index of the object's own entity in the model.
    @usableFromInline package let entityIndex: UInt32

    @inlinable package init(space: IdentitySpace, entityIndex: Int, key: Int64) {
        self.space = space
        self.entityIndex = UInt32(truncatingIfNeeded: entityIndex)
        self.key = key
    }

    /// The entity of the object.
    package var resolvedEntity: Entity { space.entity(at: entityIndex) }

    /// The name of the object's entity.
    public var entityName: String { resolvedEntity.name }

    /// A Boolean value that tells whether the object has not been saved yet.
    public var isTemporaryID: Bool { key < 0 }

    /// The identifier of the store the ID belongs to, or `nil` if no store has been assigned.
    public var storeIdentifier: UUID? { space.storeIdentifier }

    private static let lastTemporaryKey = Atomic<Int64>(0)

    /// A temporary ID that no other object of this process has had.
    package static func temporary(in space: IdentitySpace, entityIndex: Int) -> ManagedObjectID {
        let key = lastTemporaryKey.subtract(1, ordering: .relaxed).newValue
        return ManagedObjectID(space: space, entityIndex: entityIndex, key: key)
    }
}

extension ManagedObjectID: Hashable {
    /// Returns whether two IDs name the same row of the same store.
    public static func == (first: ManagedObjectID, second: ManagedObjectID) -> Bool {
        guard first.key == second.key else { return false }
        if first.key < 0 { return true }
        if first.space === second.space {
            return first.entityIndex == second.entityIndex
                || first.resolvedEntity.rootIndex == second.resolvedEntity.rootIndex
        }
        return first.space.storeIdentifier == second.space.storeIdentifier
            && first.resolvedEntity.root.name == second.resolvedEntity.root.name
    }

    /// Hashes the row's key, which is enough: equal keys of different entities are rare in one set.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension ManagedObjectID: CustomStringConvertible {
    /// The URI form of the ID.
    public var description: String { uriRepresentation.absoluteString }
}
