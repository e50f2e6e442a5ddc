// SPDX-License-Identifier: MIT

import CacheStoreModel
public import CacheStorePersistence

extension PersistentStoreCoordinator {
    /// Checks that the objects of the store and their relationships agree with each other, and
    /// repairs what does not: references to objects that do not exist, one-to-one and symmetric
    /// relationships that only one end knows of, members without a clear order, missing and left-over
    /// files of large values, and more: see ``GraphReport/Kind``.
    ///
    /// For idle times, or after a program with errors has written to the store; opening does not do
    /// it. O(rows), in memory O(faults + files of large values). It reads one snapshot beside
    /// everybody else, the large values' files too, and only where there is something to repair it
    /// does so in one write transaction, in which it looks at all rows again. Contexts that merge
    /// saves merge the repairs; for the others they are like another context's save. Repairs of
    /// places among ordered members change nothing that an object shows.
    ///
    /// Any thread may call it. An object that must have what is missing (a required relationship or
    /// attribute) is left as it is and stays in the report.
    ///
    /// - Parameter repairing: whether to repair; `false` only looks, and so does a store that was
    ///   opened to be read.
    /// Where the file itself turns out to be damaged, the store is healed first, as at any other use.
    ///
    /// - Throws: ``ContextError`` with code `noStore`; `PersistentStoreError` with code `busy` where
    ///   others write for longer than the busy timeout, and as a save.
    @discardableResult
    public func verifyGraph(repairing: Bool = true) throws -> GraphReport {
        let epoch = storeEpoch
        do {
            return try verifyStore(repairing: repairing)
        } catch {
            guard try recover(from: error, epoch: epoch) else { throw error }
            return try verifyStore(repairing: repairing)
        }
    }

    private func verifyStore(repairing: Bool) throws -> GraphReport {
        let verification = try store().verifyGraph(repairing: repairing)
        if !verification.changes.isEmpty {
            announce(ContextSave(changes: verification.changes, source: nil))
        }
        return verification.report
    }
}

extension PersistentContainer {
    /// Checks the objects of the store and their relationships, and repairs them.
    ///
    /// - Throws: as ``PersistentStoreCoordinator/verifyGraph(repairing:)``.
    @discardableResult
    public func verifyGraph(repairing: Bool = true) throws -> GraphReport {
        try coordinator.verifyGraph(repairing: repairing)
    }
}
