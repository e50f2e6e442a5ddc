// SPDX-License-Identifier: MIT

import CacheStoreGraph
import CacheStoreHealing
import CacheStoreModel
import CacheStorePersistence
import CacheStoreProcess
import Dispatch
import Foundation
import Synchronization

/// What a manager has while one store is open: coordinator, saving context and main context.
final class StoreStack: Sendable {
    let coordinator: PersistentStoreCoordinator
    /// The root of the family: writes what the main context hands over.
    let savingContext: SavingContext
    /// What other threads hold of the main context.
    let handle: ContextHandle
    let report: StoreOpenReport
    let openError: (any Error)?
    let namespace: String?

    // Handed out to the main actor only. Made on the thread that opens the store, before any other
    // thread knows of it, and let go on the main queue.
    nonisolated(unsafe) private let context: ManagedObjectContext
    private let retired = Mutex(false)
    private let resets = Mutex<SaveObservation?>(nil)

    @MainActor var mainContext: ManagedObjectContext { context }

    /// Whether the manager has turned to another store or was closed: nobody takes in what children
    /// still save.
    var isRetired: Bool { retired.withLock { $0 } }
    func retire() { retired.withLock { $0 = true } }

    /// What opening found, or what was found when the store was reset in use.
    var currentReport: StoreOpenReport { coordinator.resetReport ?? report }

    var wasResetOrCreated: Bool {
        report.wasResetOrCreated || coordinator.resetReport != nil
    }

    func observeResets(_ observer: @escaping @Sendable (StoreOpenReport) -> Void) {
        let observation = coordinator.observeResets(observer)
        resets.withLock { $0 = observation }
    }

    private init(
        coordinator: PersistentStoreCoordinator, report: StoreOpenReport,
        openError: (any Error)?, namespace: String?
    ) throws {
        self.coordinator = coordinator
        self.report = report
        self.openError = openError
        self.namespace = namespace
        savingContext = SavingContext(coordinator: coordinator)
        context = try ManagedObjectContext(
            coordinator: coordinator, savingContext: savingContext, confinement: .mainThread)
        context.automaticallyMergesChangesFromParent = true
        context.name = "main"
        handle = context.handle
    }

    deinit {
        guard !MainQueue.isCurrent else { return }
        // Objects of the context may be in use there at this moment.
        nonisolated(unsafe) let context = context
        DispatchQueue.main.async { withExtendedLifetime(context) {} }
    }

    // MARK: - Opening

    /// Opens the store of a configuration.
    ///
    /// - Throws: `DirectoryError`, `ModelError`, `PersistentStoreError`.
    static func opening(
        _ configuration: PersistentStoreManager.Configuration, namespace: String?
    ) throws -> StoreStack {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: configuration.model)
        var description = configuration.store
        description.url = nil
        var cause: (any Error)?
        if !configuration.isInMemory {
            let location = try StoreLocation(configuration, namespace: namespace)
            if !description.isReadOnly { try location.prepare() }
            description.url = location.url
        }
        let report = try coordinator.addPersistentStore(description)
        if report.outcome == .inMemory, !configuration.isInMemory {
            cause = report.underlyingError
        }
        return try StoreStack(
            coordinator: coordinator, report: report, openError: cause, namespace: namespace)
    }

    /// Opens the store of a configuration, or by its policy a stand-in for it: one in memory, or one
    /// that throws whatever is asked of it.
    static func openingOrStandIn(
        _ configuration: PersistentStoreManager.Configuration, namespace: String?
    ) -> StoreStack {
        do {
            return try opening(configuration, namespace: namespace)
        } catch {
            let place = try? StoreLocation(configuration, namespace: namespace)
            let url = configuration.isInMemory ? nil : place?.url
            do {
                return try standIn(configuration, namespace: namespace, url: url, because: error)
            } catch {
                // The model is not sound: nothing can be made of it.
                var configuration = configuration
                configuration.model = ManagedObjectModel(classes: [])
                configuration.store.unavailablePolicy = .fail
                do {
                    return try standIn(
                        configuration, namespace: namespace, url: url, because: error)
                } catch {
                    preconditionFailure("A model without entities is always sound.")
                }
            }
        }
    }

    private static func standIn(
        _ configuration: PersistentStoreManager.Configuration, namespace: String?, url: URL?,
        because error: any Error
    ) throws -> StoreStack {
        let model = configuration.model
        if let error = model.deferredError { throw error }
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        let memory =
            configuration.store.unavailablePolicy == .inMemory
            ? try? SQLiteStore.inMemory(model: model) : nil
        let store: any PersistentStore =
            memory ?? UnavailableStore(model: model, url: url, because: error)
        try coordinator.attach(store, description: .inMemory)
        let report = StoreOpenReport.inMemory(
            fingerprint: model.fingerprint, storeIdentifier: store.space.storeIdentifier, url: url,
            because: error)
        return try StoreStack(
            coordinator: coordinator, report: report, openError: error, namespace: namespace)
    }
}
