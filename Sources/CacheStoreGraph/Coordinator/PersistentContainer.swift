// SPDX-License-Identifier: MIT

public import CacheStoreHealing
public import CacheStoreModel

/// A whole stack in one call: model, coordinator, store and contexts.
///
/// ```swift
/// let container = try PersistentContainer(
///     model: ManagedObjectModel(Photo.self, Tag.self),
///     store: PersistentStoreDescription(url: url))
/// let context = try container.makeContext()
/// ```
///
/// Built by hand, the same is a ``PersistentStoreCoordinator``, `addPersistentStore`, and a context
/// with that coordinator. A program that wants hooks, namespaces and saving at its end uses
/// `PersistentStoreManager`.
public final class PersistentContainer: Sendable {
    /// The coordinator that has the store.
    public let coordinator: PersistentStoreCoordinator
    /// What opening found and did; after the store was reset while it was in use, what that found.
    public var openReport: StoreOpenReport { coordinator.resetReport ?? firstReport }
    private let firstReport: StoreOpenReport
    /// The root of the view context's family: it writes what the view context saves.
    public let savingContext: SavingContext

    /// Opens a store.
    ///
    /// - Throws: as ``PersistentStoreCoordinator/addPersistentStore(_:)``.
    public init(model: ManagedObjectModel, store: PersistentStoreDescription) throws {
        coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        firstReport = try coordinator.addPersistentStore(store)
        savingContext = SavingContext(coordinator: coordinator)
    }

    /// Makes a context for the main actor whose saves the saving context collects and writes.
    ///
    /// It merges what other contexts save.
    ///
    /// - Throws: ``ModelError`` if the model is not sound.
    @MainActor public func makeViewContext() throws -> ManagedObjectContext {
        let context = try ManagedObjectContext(
            coordinator: coordinator, savingContext: savingContext, confinement: .mainThread)
        context.automaticallyMergesChangesFromParent = true
        return context
    }

    /// Makes a context for the caller's own isolation domain that saves straight to the store.
    ///
    /// - Throws: ``ModelError`` if the model is not sound.
    public func makeContext() throws -> ManagedObjectContext {
        try ManagedObjectContext(coordinator: coordinator)
    }

    /// Makes a context of its own for work away from the main thread.
    ///
    /// - Throws: ``ModelError`` if the model is not sound.
    public func makeBackgroundContext() throws -> BackgroundContext {
        try BackgroundContext(coordinator: coordinator)
    }

    /// Closes the store. Contexts of the container can then neither load nor save.
    ///
    /// - Throws: `PersistentStoreError` if it could not be closed cleanly; it is closed all the same.
    public func close() throws { try coordinator.removePersistentStore() }
}
