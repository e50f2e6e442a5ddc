// SPDX-License-Identifier: MIT

import CacheStoreGraph
public import CacheStorePersistence

extension PersistentStoreManager {
    /// Checks the objects of the store and their relationships, and repairs them: see
    /// `PersistentStoreCoordinator.verifyGraph(repairing:)`. Opens the store if that has not happened.
    ///
    /// The main context takes the repairs in like another context's save. Any thread may call it; it
    /// blocks the calling one for O(rows), so better not the main one.
    ///
    /// - Throws: `PersistentStoreError`, `ContextError` with code `noStore`.
    @discardableResult
    public nonisolated func verifyGraph(repairing: Bool = true) throws -> GraphReport {
        try stack().coordinator.verifyGraph(repairing: repairing)
    }
}
