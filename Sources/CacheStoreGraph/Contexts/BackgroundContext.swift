// SPDX-License-Identifier: MIT

/// An actor that owns a context: for work away from the main thread.
///
/// ```swift
/// let background = try BackgroundContext(coordinator: coordinator)
/// let count = try await background.perform { context in
///     for item in items { context.insert(Photo.self).title = item.title }
///     try context.save()
///     return items.count
/// }
/// ```
///
/// Objects cannot leave the closure: its result is `Sendable`. Return IDs or values.
public actor BackgroundContext {
    private let context: ManagedObjectContext

    /// Creates a context that saves straight to the coordinator's store.
    ///
    /// - Throws: `ModelError` if the model is not sound.
    public init(coordinator: PersistentStoreCoordinator) throws {
        context = try ManagedObjectContext(coordinator: coordinator)
    }

    /// Runs a closure with the context, one at a time.
    ///
    /// - Throws: what the closure throws.
    public func perform<Result: Sendable>(
        _ body: sending (ManagedObjectContext) throws -> Result
    ) rethrows -> Result {
        try body(context)
    }
}
