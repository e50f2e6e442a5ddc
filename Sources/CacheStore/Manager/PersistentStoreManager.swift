// SPDX-License-Identifier: MIT

public import CacheStoreGraph
public import CacheStoreHealing
import CacheStoreModel
import CacheStoreProcess
import Dispatch
public import Foundation
import Synchronization

/// A store that a program need not look after: opened, healed or created, saved and closed by itself.
///
/// Subclass it, say what it is to open, and use ``shared``:
///
/// ```swift
/// final class PhotoCache: PersistentStoreManager {
///     override class var configuration: Configuration {
///         Configuration(
///             applicationIdentifier: "org.example.Photos", model: ManagedObjectModel(Photo.self))
///     }
///     override func cleanUpOldObjects(in context: ManagedObjectContext) throws { … }
/// }
///
/// let cache = PhotoCache.shared
/// if cache.wasResetOrCreated { refetchEverything() }
/// let photos = try cache.managedObjectContext.fetch(FetchRequest<Photo>())
/// ```
///
/// The store is opened at the first use of `shared`, or of any member that needs it. That takes a
/// few milliseconds; the thread that comes first does it, others wait for it.
///
/// ## Isolation
///
/// The main context belongs to the main actor. Members that any thread may call are `nonisolated`,
/// and none of them waits for the main thread: a program may block it, or never serve its queue.
///
/// ## Topics
/// - Getting one: ``shared``, ``configuration-swift.type.property``, ``init(configuration:)``
/// - What opening found: ``wasResetOrCreated``, ``openReport``, ``openError``
/// - Objects: ``managedObjectContext``, ``performOnChildContext(describedAs:_:)``
/// - Saving: ``save()``, ``saveBeforeTermination()``, ``close()``
/// - Other stores: ``switchNamespace(to:)``, ``namespace``
/// - Hooks: ``cleanUpOldObjects(in:)``, ``handleSaveError(_:saving:)``, ``handleOpenError(_:)``,
///   ``storeWasReset(_:)``
@MainActor open class PersistentStoreManager {
    /// What ``shared`` is to open; override it.
    ///
    /// Read when the instance is made, on the thread that comes first. The base class has a store
    /// without entities, in memory.
    nonisolated open class var configuration: Configuration {
        var configuration = Configuration(
            applicationIdentifier: ProcessInfo.processInfo.processName,
            model: ManagedObjectModel(classes: []))
        configuration.isInMemory = true
        return configuration
    }

    /// What this instance opens, and how it is kept.
    public nonisolated let configuration: Configuration

    struct State {
        var stack: StoreStack?
        var isClosed = false
    }

    nonisolated let state = Mutex(State())
    /// Held while a store is opened, by whoever opens it.
    nonisolated let openingLock = Mutex<Void>(())
    /// Entered while a store is opened, for those who wait with a bound.
    nonisolated let opening = DispatchGroup()

    /// Creates a manager of its own, beside ``shared``. It opens nothing yet.
    ///
    /// Two managers of one store are possible, like two processes; each has its own contexts.
    public nonisolated required init(configuration: Configuration) {
        self.configuration = configuration
    }

    // MARK: - What opening found

    /// What opening the store found and did; after the store was reset while it was in use, what that
    /// found. Opens it if that has not happened.
    public nonisolated var openReport: StoreOpenReport { stack().currentReport }

    /// Whether the store lacks what the program may have saved in it before: it is new, was reset or
    /// salvaged, or is in memory for this session.
    ///
    /// It stays so for the session, and becomes so when the store is reset in the middle of it; see
    /// ``storeWasReset(_:)``. Opens the store if that has not happened.
    public nonisolated var wasResetOrCreated: Bool { stack().wasResetOrCreated }

    /// Why the store could not be had; `nil` if it was opened.
    ///
    /// With the policy `inMemory` the session runs in memory then; with `fail` whatever needs the
    /// store throws this error. Opens the store if that has not happened.
    public nonisolated var openError: (any Error)? { stack().openError }

    /// The namespace of the store that is open, or will be.
    public nonisolated var namespace: String? {
        state.withLock { $0.stack.map(\.namespace) } ?? configuration.namespace
    }

    /// The file of the store that is open; `nil` for one in memory. Opens it if that has not happened.
    public nonisolated var storeURL: URL? {
        stack().coordinator.persistentStoreDescription?.url
    }

    /// The coordinator of the store, for contexts beside the main one's family. Opens the store if
    /// that has not happened.
    public nonisolated var persistentStoreCoordinator: PersistentStoreCoordinator {
        stack().coordinator
    }

    // MARK: - Objects

    /// The context of the main actor.
    ///
    /// It merges what others save to the store. It is another one after
    /// ``switchNamespace(to:)``. Opens the store if that has not happened.
    public var managedObjectContext: ManagedObjectContext { stack().mainContext }

    // MARK: - Hooks

    /// Deletes what the cache need not keep: override it.
    ///
    /// Called at the end, after the main context was saved (or that has failed) and before it is saved
    /// again. What it throws is reported to ``handleSaveError(_:saving:)`` and stops nothing. Not
    /// called in an emergency save.
    open func cleanUpOldObjects(in context: ManagedObjectContext) throws {}

    /// Called for every save that fails, whether or not somebody gets the error thrown: override it.
    ///
    /// Any thread; the manager holds no lock meanwhile.
    ///
    /// - Parameter what: what was being saved, such as "the main context", or the description given
    ///   to ``performOnChildContext(describedAs:_:)``.
    nonisolated open func handleSaveError(_ error: any Error, saving what: String) {}

    /// Called when the store could not be had, by the thread that tried: override it.
    ///
    /// The stand-in is there by then: a store in memory, or one that throws, as the policy says.
    nonisolated open func handleOpenError(_ error: any Error) {}

    /// Called once each time the store had to be reset while it was in use: override it to fetch again
    /// what the program needs.
    ///
    /// Its file was damaged or removed, or another process has reset it. ``openReport`` is the report
    /// by then, ``wasResetOrCreated`` is true, and the new store can be used: what was unsaved is in it
    /// with the next save, and all else is gone. Whoever met the damage goes on as if there had been
    /// nothing.
    ///
    /// Any thread; the manager holds no lock meanwhile. It may be in the middle of a use of the main
    /// context, so it is for starting something rather than for doing it.
    nonisolated open func storeWasReset(_ report: StoreOpenReport) {}
}
