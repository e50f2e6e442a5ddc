// SPDX-License-Identifier: MIT

import CacheStoreHealing
public import CacheStoreModel
package import CacheStorePersistence
public import Foundation
import Synchronization

/// Connects contexts with a store of one model.
///
/// ```swift
/// let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
/// let report = try coordinator.addPersistentStore(PersistentStoreDescription(url: url))
/// let context = try ManagedObjectContext(coordinator: coordinator)
/// ```
///
/// A coordinator has one store at a time and may be used from any thread.
public final class PersistentStoreCoordinator: Sendable {
    /// The model of the store.
    public let managedObjectModel: ManagedObjectModel

    struct State {
        typealias Observers<Event> = [UInt64: @Sendable (Event) -> Void]

        var store: (any PersistentStore)?
        var description: PersistentStoreDescription?
        var space: IdentitySpace
        var permanentKeys = PermanentKeys()
        /// The stores that were reset or replaced while they were in use.
        var former = FormerStores()
        /// What was found when that happened last.
        var resetReport: StoreOpenReport?
        var resetObservers: Observers<StoreOpenReport> = [:]
        var contexts: [WeakHandle] = []
        var observers: Observers<ContextSave> = [:]
        var nextObserver: UInt64 = 0
        var errorHandler: (@Sendable (any Error, String) -> Void)?
    }

    struct WeakHandle {
        weak var handle: ContextHandle?
    }

    let state: Mutex<State>
    /// Held by the one thread that replaces a store that was given up. Others wait with a bound, and
    /// ThreadSanitizer sees that they have waited.
    let healingLock = NSLock()
    /// How often a store was replaced that had been given up; changes with the store.
    let epoch = Atomic<Int>(0)
    /// Changes whenever the store does, so that contexts can keep a reference to it.
    private let generation = Atomic<Int>(0)

    /// Creates a coordinator without a store.
    public init(managedObjectModel: ManagedObjectModel) {
        self.managedObjectModel = managedObjectModel
        state = Mutex(
            State(space: IdentitySpace.space(storeIdentifier: nil, model: managedObjectModel)))
    }

    // MARK: - The store

    package func store() throws -> any PersistentStore { try storeAndEpoch().store }

    func storeAndEpoch() throws -> (store: any PersistentStore, epoch: Int) {
        let (store, epoch) = state.withLock { ($0.store, storeEpoch) }
        guard let store else { throw ContextError(.noStore, "the coordinator has no store") }
        return (store, epoch)
    }

    var storeGeneration: Int { generation.load(ordering: .acquiring) }

    /// What the IDs of the store's objects share.
    package var space: IdentitySpace { state.withLock { $0.space } }

    package func attach(
        _ store: any PersistentStore, description: PersistentStoreDescription
    ) throws {
        let isFree = state.withLock { state in
            guard state.store == nil else { return false }
            state.store = store
            state.description = description
            state.space = store.space
            return true
        }
        generation.add(1, ordering: .acquiringAndReleasing)
        guard isFree else {
            throw ContextError(.invalidRequest, "the coordinator has a store already")
        }
        maintain(store)
        hearFailures(of: store)
    }

    /// Passes on what a property access could not throw.
    func hearFailures(of store: any PersistentStore) {
        store.setFailureHandler { [weak self] error in
            self?.report(error, while: "reading a value that is kept in a file or compressed")
        }
    }

    /// Takes the store away and closes it: contexts of this coordinator can then neither load nor
    /// save.
    ///
    /// - Throws: `PersistentStoreError` if the store could not be closed cleanly; it is closed all the
    ///   same.
    public func removePersistentStore() throws {
        let store = state.withLock { state in
            defer { state.store = nil }
            return state.store
        }
        generation.add(1, ordering: .acquiringAndReleasing)
        try store?.close()
    }

    /// Where the store is; `nil` without a store.
    public var persistentStoreDescription: PersistentStoreDescription? {
        state.withLock { $0.description }
    }

    // MARK: - IDs

    /// The permanent ID of an object that had the given temporary one, or the ID itself.
    ///
    /// For an object of a store that was reset: the ID that it has in the new one, if it is there.
    package func currentID(for id: ManagedObjectID) -> ManagedObjectID {
        guard id.isTemporaryID || hasFormerStores else { return id }
        return state.withLock { $0.currentID(for: id) }
    }

    package var hasPermanentKeys: Bool { state.withLock { !$0.permanentKeys.isEmpty } }

    package func remember(_ ids: [(temporary: ManagedObjectID, permanent: ManagedObjectID)]) {
        state.withLock { state in
            for id in ids where state.isOwn(id.permanent) {
                state.permanentKeys.add(temporary: id.temporary.key, permanent: id.permanent.key)
            }
        }
    }

    /// The ID that a URI from ``ManagedObjectID/uriRepresentation`` stands for.
    ///
    /// `nil` if it is no such URI, belongs to another store or names an entity that the model lacks.
    /// No I/O: whether the object exists is not looked at.
    public func managedObjectID(forURIRepresentation uri: URL) -> ManagedObjectID? {
        guard let parts = ManagedObjectID.parse(uri),
            let entity = managedObjectModel.entity(named: parts.entityName)
        else { return nil }
        let space = space
        guard parts.storeIdentifier == space.storeIdentifier else { return nil }
        return currentID(
            for: ManagedObjectID(space: space, entityIndex: entity.index, key: parts.key))
    }

    // MARK: - Contexts and observers

    func register(_ handle: ContextHandle) {
        state.withLock { state in
            state.contexts.removeAll { $0.handle == nil }
            state.contexts.append(WeakHandle(handle: handle))
        }
    }

    /// Whether anybody but the given context would be told of a save.
    func hasListeners(besides source: ContextHandle?) -> Bool {
        state.withLock { state in
            !state.observers.isEmpty
                || state.contexts.contains {
                    $0.handle !== source && ($0.handle?.wantsMerges ?? false)
                }
        }
    }

    /// Tells the other contexts that want to know, and the observers, what was saved.
    package func announce(_ save: ContextSave) {
        let (handles, observers) = state.withLock { state in
            (state.contexts.compactMap(\.handle), Array(state.observers.values))
        }
        for handle in handles where handle.wantsMerges && ObjectIdentifier(handle) != save.source {
            handle.send(.merge(save))
        }
        for observer in observers { observer(save) }
    }

    /// Calls a closure after each save to the store, on the thread that saved, until the returned
    /// observation is cancelled or deallocated.
    public func observeSaves(
        _ observer: @escaping @Sendable (ContextSave) -> Void
    ) -> SaveObservation {
        observe(\.observers, observer)
    }

    /// Keeps an observer until the returned observation is cancelled or deallocated.
    func observe<Event>(
        _ observers: any WritableKeyPath<State, State.Observers<Event>> & Sendable,
        _ observer: @escaping @Sendable (Event) -> Void
    ) -> SaveObservation {
        let number = state.withLock { state in
            state.nextObserver += 1
            state[keyPath: observers][state.nextObserver] = observer
            return state.nextObserver
        }
        return SaveObservation { [weak self] in
            self?.state.withLock { _ = $0[keyPath: observers].removeValue(forKey: number) }
        }
    }

    /// The saves to the store from now on.
    ///
    /// ```swift
    /// for await save in coordinator.saves { print(save.insertedObjectIDs.count) }
    /// ```
    public var saves: AsyncStream<ContextSave> {
        AsyncStream { continuation in
            let observation = observeSaves { continuation.yield($0) }
            continuation.onTermination = { _ in observation.cancel() }
        }
    }

    /// Sets what is told of failures that a property access could not throw.
    public func setErrorHandler(_ handler: (@Sendable (any Error, String) -> Void)?) {
        state.withLock { $0.errorHandler = handler }
    }

    func report(_ error: any Error, while what: String) {
        state.withLock { $0.errorHandler }?(error, what)
    }
}

/// Keeps an observer of saves until it is cancelled or deallocated.
public final class SaveObservation: Sendable {
    private let action: Mutex<(@Sendable () -> Void)?>

    init(_ action: @escaping @Sendable () -> Void) { self.action = Mutex(action) }

    deinit { cancel() }

    /// Ends the observation.
    public func cancel() {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}
