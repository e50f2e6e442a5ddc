// SPDX-License-Identifier: MIT

package import Foundation

/// What the object IDs of one store have in common: the store's identifier and its entities.
///
/// Spaces are interned: one instance for each pair of store and model, kept until the process ends.
/// That makes an object ID three plain words that are copied without reference counting. A process
/// opens a handful of stores, so what is kept is small.
@usableFromInline package final class IdentitySpace: Sendable {
    /// The store's identifier; `nil` for the IDs of objects that no store has seen.
    package let storeIdentifier: UUID?
    package let model: ManagedObjectModel

    private init(storeIdentifier: UUID?, model: ManagedObjectModel) {
        self.storeIdentifier = storeIdentifier
        self.model = model
    }

    private struct Key: Hashable {
        let storeIdentifier: UUID?
        let model: ObjectIdentifier
    }

    // Guarded by `lock`. Not a Mutex of the Synchronization module: many stores are opened at once in
    // tests, and ThreadSanitizer cannot see that a Mutex that had to be waited for was locked.
    nonisolated(unsafe) private static var spaces: [Key: IdentitySpace] = [:]
    private static let lock = NSLock()

    /// The one space of this store under this model.
    package static func space(
        storeIdentifier: UUID?, model: ManagedObjectModel
    ) -> IdentitySpace {
        let key = Key(storeIdentifier: storeIdentifier, model: ObjectIdentifier(model))
        return lock.withLock {
            if let space = spaces[key] { return space }
            let space = IdentitySpace(storeIdentifier: storeIdentifier, model: model)
            spaces[key] = space
            return space
        }
    }

    /// A space of this store that has the entity, if a store with this identifier was opened.
    package static func space(
        of storeIdentifier: UUID, withEntity name: String
    ) -> IdentitySpace? {
        lock.withLock {
            spaces.values.first {
                $0.storeIdentifier == storeIdentifier && $0.model.entityIndexes[name] != nil
            }
        }
    }

    package func entity(at index: UInt32) -> Entity { model.entities[Int(index)] }
}
