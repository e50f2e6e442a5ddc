// SPDX-License-Identifier: MIT

public import CacheStoreModel
import Synchronization

/// The root of a family of contexts: it has no objects, collects what its children save, and writes
/// it to the store.
///
/// Because it has no objects, any thread may save it: the main context hands its changes over, in
/// memory, and the writing need not happen on the main thread. Until they are written, the changes
/// are visible to all children.
///
/// ```swift
/// let root = SavingContext(coordinator: coordinator)
/// let context = try ManagedObjectContext(savingContext: root)
/// context.insert(Photo.self).title = "Dunes"
/// try context.save()     // into `root`, in memory
/// try root.save()        // to the store
/// ```
///
/// ``ManagedObjectContext/saveToPersistentStore()`` does both.
public final class SavingContext: Sendable {
    /// The coordinator whose store is written.
    public let coordinator: PersistentStoreCoordinator
    /// What happens when a save meets rows that another has changed, or a uniqueness constraint.
    public var mergePolicy: MergePolicy {
        get { state.withLock { $0.policy } }
        set { state.withLock { $0.policy = newValue } }
    }

    private struct State {
        var policy = MergePolicy.mergeByPropertyObjectTrump
        var ledger = ChangeLedger()
        /// What is being written at the moment.
        var inFlight: ChangeLedger?
        var children: [WeakHandle] = []
    }

    private struct WeakHandle {
        weak var handle: ContextHandle?
    }

    private let state = Mutex(State())
    /// One save at a time; held across I/O, and never while anything else is locked.
    private let saveLock = Mutex<Void>(())

    /// Creates a saving context without changes.
    public init(coordinator: PersistentStoreCoordinator) { self.coordinator = coordinator }

    /// Whether there is anything to write.
    public var hasChanges: Bool {
        state.withLock { !$0.ledger.isEmpty || $0.inFlight != nil }
    }

    func addChild(_ handle: ContextHandle) {
        state.withLock { $0.children.append(WeakHandle(handle: handle)) }
    }

    /// Takes the changes that a child builds; the child takes in what was written meanwhile first, so
    /// that its changes are based on what the store has.
    func collect(_ build: () -> ChangeSet) {
        state.withLock { $0.ledger.apply(build()) }
    }

    /// What is collected or being written.
    package func unsavedChanges() -> ChangeLedger {
        state.withLock { state in
            guard var ledger = state.inFlight else { return state.ledger }
            if !state.ledger.isEmpty { ledger.apply(state.ledger) }
            return ledger
        }
    }

    /// Writes the collected changes to the store, on the calling thread. One transaction.
    ///
    /// If it fails, the changes stay collected; ``discard(_:)`` gives single objects up.
    ///
    /// - Throws: ``ContextError`` with code `mergeConflict`, `constraintConflict` or `noStore`;
    ///   `PersistentStoreError` if the store could not be written.
    public func save() throws { try recovering { try saveOnce() } }

    /// Runs a save. Where the store turns out to be damaged, removed or replaced, it is healed, and
    /// the save is tried again.
    private func recovering(_ save: () throws -> Void) throws {
        var epoch = coordinator.storeEpoch
        try coordinator.recovering(
            epoch: { epoch }, goOver: { epoch = coordinator.storeEpoch }, save)
    }

    /// Makes what is collected fit the store that has taken the place of another.
    func adoptStore() {
        state.withLock { state in
            state.ledger = coordinator.rescued(state.ledger)
            state.inFlight = state.inFlight.map { coordinator.rescued($0) }
        }
    }

    /// - Parameters:
    ///   - child: whose unsaved changes are written as well.
    ///   - select: takes out what must not be written.
    private func saveOnce(
        with child: ContextHandle? = nil, selecting select: (inout ChangeSet) -> Void = { _ in }
    ) throws {
        try saveLock.withLock { _ in
            // The child first: what it hands over meanwhile is then seen twice rather than never.
            let own = child?.ownUnsavedChanges() ?? ChangeLedger()
            let (ledger, policy) = state.withLock { state in
                state.inFlight = state.ledger
                state.ledger = ChangeLedger()
                return (state.inFlight ?? ChangeLedger(), state.policy)
            }
            var whole = ledger
            if !own.isEmpty { whole.apply(own) }
            guard !whole.isEmpty else {
                state.withLock { $0.inFlight = nil }
                return
            }
            var changes = whole.changeSet()
            select(&changes)
            do {
                var outcome = try coordinator.save(changes, policy: policy, source: nil)
                if !own.isEmpty {
                    // The child's own new objects still count as new there, under their temporary IDs.
                    outcome.permanentIDs.removeAll { own.entries[$0.temporary] != nil }
                    outcome.versions.removeAll { own.entries[$0.id] != nil }
                }
                finish(outcome)
            } catch {
                state.withLock { state in
                    var restored = ledger
                    restored.apply(state.ledger)
                    state.ledger = restored
                    state.inFlight = nil
                }
                throw error
            }
        }
    }

    private func finish(_ outcome: SaveOutcome) {
        state.withLock { state in
            state.inFlight = nil
            state.ledger.rebase(on: outcome)
            state.children.removeAll { $0.handle == nil }
            for child in state.children { child.handle?.send(.saved(outcome)) }
        }
    }

    /// Writes the collected changes and the unsaved ones of a child, on the calling thread, without
    /// the child's owner: for the moment before the process ends, when the owner does not answer.
    ///
    /// The child is not changed: should the process go on after all, its next save writes the same
    /// changes again, and the coordinator sees to it that nothing is there twice.
    ///
    /// - Parameter select: takes out what must not be written.
    /// - Throws: as ``save()``; everything is then as before.
    package func saveInEmergency(
        with child: ContextHandle, selecting select: (inout ChangeSet) -> Void
    ) throws {
        try recovering { try saveOnce(with: child, selecting: select) }
    }

    /// Gives up the collected changes of objects, so that a save that failed because of them can
    /// succeed.
    public func discard(_ ids: [ManagedObjectID]) {
        state.withLock { state in
            for id in ids { state.ledger.discard(id) }
        }
    }
}

extension ChangeLedger {
    /// Makes changes that were collected while others were being written fit what was written: new
    /// versions, permanent IDs.
    fileprivate mutating func rebase(on outcome: SaveOutcome) {
        guard !isEmpty else { return }
        var versions: [ManagedObjectID: Int64] = [:]
        for (id, version) in outcome.versions { versions[id] = version }
        var permanent: [ManagedObjectID: ManagedObjectID] = outcome.replacements
        for (temporary, id) in outcome.permanentIDs { permanent[temporary] = id }
        var changes = changeSet()
        for index in changes.updated.indices {
            let update = changes.updated[index]
            if let version = versions[update.id] {
                changes.updated[index].version = version
            } else if let id = permanent[update.id] {
                changes.updated[index].id = id
                changes.updated[index].version = 1
            }
        }
        for index in changes.deleted.indices {
            let deletion = changes.deleted[index]
            if let version = versions[deletion.id] {
                changes.deleted[index].version = version
            } else if let id = permanent[deletion.id] {
                changes.deleted[index].id = id
                changes.deleted[index].version = 1
            }
        }
        self = ChangeLedger(changes)
    }
}
