// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization

extension PersistentStoreManager {
    /// Saves and closes the store, and opens the one of another namespace: after a login, say.
    ///
    /// ```swift
    /// try cache.switchNamespace(to: user.identifier)
    /// if cache.wasResetOrCreated { refetchEverything() }
    /// ```
    ///
    /// ``managedObjectContext`` and ``openReport`` are the new store's from then on. Contexts and
    /// objects of the old one keep what they have loaded and can neither load nor save; a closure
    /// that still runs in ``performOnChildContext(describedAs:_:)`` gets an error at its end.
    ///
    /// - Parameter namespace: one component of a path, or `nil` for none.
    /// - Throws: `DirectoryError` with code `invalidPathComponent` for a name that cannot be used, and
    ///   other codes if the directory cannot be made; `PersistentStoreError` if the new store cannot
    ///   be had, whatever the policy says; what ``save()`` throws. The old store then stays open, with
    ///   all its objects.
    public func switchNamespace(to namespace: String?) throws {
        let old = stack()
        let isClosed = isClosed
        if !isClosed {
            try save(old)
            guard namespace != old.namespace || old.openError != nil else { return }
        }
        var strict = configuration
        strict.store.unavailablePolicy = .fail
        let new = try openingLock.withLock { _ in
            opening.enter()
            defer { opening.leave() }
            return try StoreStack.opening(strict, namespace: namespace)
        }
        state.withLock { state in
            state.stack = new
            state.isClosed = false
        }
        TerminationDriver.shared.add(self)
        prepare(new)
        guard !isClosed else { return }
        // The switch has succeeded; a failure here is reported, and the old file heals when it is
        // next opened.
        do {
            try retire(old)
        } catch {
            handleSaveError(error, saving: "the store of the former namespace")
        }
    }
}
