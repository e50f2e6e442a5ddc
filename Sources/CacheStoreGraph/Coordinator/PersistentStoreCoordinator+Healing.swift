// SPDX-License-Identifier: MIT

public import CacheStoreHealing
import CacheStoreModel
import CacheStorePersistence
import Foundation
import Synchronization

// A store that was given up (its file is damaged, was removed, or was reset by another) is opened
// anew, healed where it must be, and takes the place of the old one:
//
// 1. whoever meets the error asks for it (`recover`); one thread does it, the others wait;
// 2. the coordinator has the new store from then on; contexts keep the old one, which throws, until
//    they take in the message that is in their inbox now;
// 3. a context then goes over (`adoptStore`), and what failed is tried once more.

extension PersistentStoreCoordinator {
    /// How often an operation is tried at most while the store is healed under it.
    private static let maximumAttempts = 3

    /// How long a thread waits for another one to heal the store.
    private static let patience: TimeInterval = 30

    var storeEpoch: Int { epoch.load(ordering: .acquiring) }

    /// Whether the store has ever been reset or replaced while it was in use.
    var hasFormerStores: Bool { storeEpoch != 0 }

    /// Runs an operation on the store. Where the store turns out to be damaged, removed or replaced,
    /// it is healed, and the operation is run again.
    ///
    /// - Parameters:
    ///   - epoch: of the store that the operation has used.
    ///   - goOver: called before it is run again.
    @inline(__always)
    func recovering<Result>(
        epoch: () -> Int, goOver: () -> Void, _ operation: () throws -> Result
    ) throws -> Result {
        var attempts = 1
        while true {
            do {
                return try operation()
            } catch {
                guard attempts < Self.maximumAttempts, try recover(from: error, epoch: epoch())
                else { throw error }
                attempts += 1
                goOver()
            }
        }
    }

    /// Sees to it that there is a store to go on with, after a use of it has failed.
    ///
    /// Called with no lock held, since observers are.
    ///
    /// - Parameter known: the epoch of the store that failed.
    /// - Returns: whether to try again.
    /// - Throws: `PersistentStoreError` where the store cannot be had anew now.
    func recover(from error: any Error, epoch known: Int) throws -> Bool {
        guard let error = error as? PersistentStoreError,
            [.damaged, .storeReplaced, .storeRemoved].contains(error.code)
        else { return false }
        guard let report = try replaceStore(epoch: known) else { return false }
        guard report.isNew, report.report.wasResetOrCreated else { return true }
        for observer in state.withLock({ Array($0.resetObservers.values) }) {
            observer(report.report)
        }
        return true
    }

    /// - Returns: `nil` where there is nothing to be replaced.
    private func replaceStore(
        epoch known: Int
    ) throws -> (report: StoreOpenReport, isNew: Bool)? {
        guard healingLock.lock(before: Date(timeIntervalSinceNow: Self.patience)) else {
            return nil
        }
        defer { healingLock.unlock() }
        let (old, last) = state.withLock { ($0.store, $0.resetReport) }
        if storeEpoch != known {
            // Another thread has done it.
            return (last ?? .inMemory(fingerprint: managedObjectModel.fingerprint), false)
        }
        guard let old, let (store, report) = try old.replacement() else { return nil }
        let handles: [ContextHandle]? = state.withLock { state in
            // Taken away or closed meanwhile: then nobody wants another.
            guard state.store === old else { return nil }
            state.take(store, report)
            epoch.add(1, ordering: .acquiringAndReleasing)
            return state.contexts.compactMap(\.handle)
        }
        guard let handles else {
            try? store.close()
            return nil
        }
        hearFailures(of: store)
        for handle in handles { handle.send(.storeReplaced) }
        maintain(store)
        return (report, true)
    }

    /// Lets a store look after itself. What it finds is healed, and told as if a use had met it.
    func maintain(_ store: any PersistentStore) {
        let epoch = storeEpoch
        store.startMaintenance { [weak self] in
            guard let self else { return }
            do {
                _ = try recover(
                    from: PersistentStoreError(.damaged, "Damage was found in the background."),
                    epoch: epoch)
            } catch {
                report(error, while: "healing the store")
            }
        }
    }

    // MARK: - What it is told

    /// What was found when the store was reset or replaced while it was in use; `nil` if it never was.
    public var resetReport: StoreOpenReport? { state.withLock { $0.resetReport } }

    /// Calls a closure each time the store was reset, or replaced by an empty one, while it was in
    /// use: its file was damaged or removed, or another process has reset it. Until the returned
    /// observation is cancelled or deallocated.
    ///
    /// The closure is called on the thread that met it, with no lock held, when the new store can be
    /// used.
    public func observeResets(
        _ observer: @escaping @Sendable (StoreOpenReport) -> Void
    ) -> SaveObservation {
        observe(\.resetObservers, observer)
    }
}

extension PersistentStoreCoordinator.State {
    fileprivate mutating func take(_ new: any PersistentStore, _ report: StoreOpenReport) {
        store = new
        if new.space !== space {
            former.add(space, permanentKeys)
            permanentKeys = PermanentKeys()
            space = new.space
        }
        if report.wasResetOrCreated { resetReport = report }
    }
}
