// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import Synchronization

/// The shapes of the predicates that a model was fetched with, so that a predicate built anew in a loop
/// is converted once.
final class PredicateShapes: Sendable {
    private struct Key: Hashable {
        let outline: PredicateOutline.Key
        let entityIndex: Int
    }

    private struct Entry: @unchecked Sendable {
        /// `nil` for a predicate whose SQL depends on its values.
        let shape: QueryShape?
        // Kept because the key names them by address; immutable and never used otherwise.
        let keyPaths: [AnyKeyPath]
    }

    /// A program has as many shapes as it has predicates in its source; one that makes key paths at
    /// run time could have any number.
    private static let capacity = 1024

    private let entries = Mutex<[Key: Entry]>([:])

    func shape(of outline: PredicateOutline, entity: Entity) -> QueryShape? {
        let key = Key(outline: outline.key, entityIndex: entity.index)
        return entries.withLock { $0[key]?.shape }
    }

    func remember(_ expression: QueryExpression, outline: PredicateOutline, entity: Entity) {
        let key = Key(outline: outline.key, entityIndex: entity.index)
        // Values that are equal by chance do not tell which is which: the next ones will.
        guard Set(outline.values).count == outline.values.count else { return }
        let entry = Entry(
            shape: QueryShape.of(expression, capturing: outline.values),
            keyPaths: outline.keyPaths)
        entries.withLock { entries in
            guard entries[key] == nil else { return }
            if entries.count >= Self.capacity { entries.removeAll() }
            entries[key] = entry
        }
    }
}
