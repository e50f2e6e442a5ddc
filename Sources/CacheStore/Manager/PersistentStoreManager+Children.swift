// SPDX-License-Identifier: MIT

public import CacheStoreGraph
import CacheStoreHealing

extension PersistentStoreManager {
    /// Runs a closure with a child of the main context, on the calling thread, and hands what it
    /// changed to the main context when it ends.
    ///
    /// ```swift
    /// let count = try cache.performOnChildContext(describedAs: "the import") { context, _ in
    ///     for item in items { context.insert(Photo.self).title = item.title }
    ///     return items.count
    /// }
    /// ```
    ///
    /// The child sees the unsaved changes of the main context. On the main thread the main context
    /// has the changes when this returns; from another thread it takes them in as soon as the main
    /// thread gets to it, which is not waited for. The store gets them with the next save of the main
    /// context. Objects cannot leave the closure, because its result is `Sendable`; IDs can.
    ///
    /// - Parameter description: what is being done, for messages; the closure gets it, too.
    /// - Throws: what the closure throws, and nothing is saved then; `ValidationError` or
    ///   `ContextError` if the child's changes cannot be handed over, `PersistentStoreError` with
    ///   code `closed` if the store was closed or switched meanwhile. Those are reported to
    ///   ``handleSaveError(_:saving:)``, too.
    public nonisolated func performOnChildContext<Result: Sendable>(
        describedAs description: String,
        _ body: (ManagedObjectContext, String) throws -> Result
    ) throws -> Result {
        let stack = stack()
        let child = try makeChild(of: stack, description)
        let result = try body(child, description)
        try finish(child, of: stack, description)
        return result
    }

    /// Runs an asynchronous closure with a child of the main context, off the main actor, and hands
    /// what it changed to the main context when it ends.
    ///
    /// - Parameter description: what is being done, for messages; the closure gets it, too.
    /// - Throws: as the form that is not asynchronous.
    public nonisolated func performOnChildContext<Result: Sendable>(
        describedAs description: String,
        _ body: @Sendable (ManagedObjectContext, String) async throws -> Result
    ) async throws -> Result {
        let stack = stack()
        let child = try makeChild(of: stack, description)
        let result = try await body(child, description)
        try finish(child, of: stack, description)
        return result
    }

    private nonisolated func makeChild(
        of stack: StoreStack, _ description: String
    ) throws -> ManagedObjectContext {
        let child = try ManagedObjectContext(parent: stack.handle)
        child.name = description
        return child
    }

    private nonisolated func finish(
        _ child: ManagedObjectContext, of stack: StoreStack, _ description: String
    ) throws {
        guard child.hasChanges else { return }
        do {
            try child.save()
            // In this order: whoever retires a store takes in once more what has come by then.
            if stack.isRetired {
                throw PersistentStoreError(
                    .closed, "The store was closed or switched before the changes were taken in.")
            }
        } catch {
            handleSaveError(error, saving: description)
            throw error
        }
    }
}
