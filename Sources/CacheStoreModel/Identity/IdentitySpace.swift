// SPDX-License-Identifier: MIT

package import Foundation
import Synchronization

/// What the object IDs of one store have in common: the store's identifier and its entities.
///
/// Spaces are interned: one instance for each pair of store and model, kept until the process ends.
/// That makes an object ID three plain words that are copied without reference counting. A process
/// opens a handful of stores, so what is kept is small.
package final class IdentitySpace: Sendable {
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

    private static let spaces = Mutex<[Key: IdentitySpace]>([:])

    /// The one space of this store under this model.
    package static func space(
        storeIdentifier: UUID?, model: ManagedObjectModel
    ) -> IdentitySpace {
        let key = Key(storeIdentifier: storeIdentifier, model: ObjectIdentifier(model))
        return spaces.withLock { spaces in
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
        spaces.withLock { spaces in
            spaces.values.first {
                $0.storeIdentifier == storeIdentifier && $0.model.entityIndexes[name] != nil
            }
        }
    }

    package func entity(at index: UInt32) -> Entity { model.entities[Int(index)] }
}
