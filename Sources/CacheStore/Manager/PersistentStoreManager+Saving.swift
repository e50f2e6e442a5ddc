// SPDX-License-Identifier: MIT

import CacheStoreGraph
import CacheStoreModel
import Dispatch
import Synchronization

extension PersistentStoreManager {
    /// Saves the main context to the store, on the main thread.
    ///
    /// - Throws: `ValidationError`, `ContextError` or `PersistentStoreError`, which
    ///   ``handleSaveError(_:saving:)`` gets as well. The changes are kept, to be mended and saved
    ///   again.
    public func save() throws {
        try save(stack())
    }

    /// Saves the main context to the store; the writing is done off the main thread.
    ///
    /// - Throws: as the form that is not asynchronous.
    public func save() async throws {
        let stack = stack()
        do {
            try stack.mainContext.save()
            let savingContext = stack.savingContext
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(with: Result { try savingContext.save() })
                }
            }
            stack.mainContext.processPendingChanges()
        } catch {
            handleSaveError(error, saving: "the main context")
            throw error
        }
    }

    /// Does what is to be done before the program ends: saves the main context, calls
    /// ``cleanUpOldObjects(in:)``, and saves again if that has changed anything.
    ///
    /// The manager does it by itself at signals and at exit, unless its autosave is off. A program
    /// that handles signals itself calls this; it may go on using the manager afterwards. Failures
    /// are reported to ``handleSaveError(_:saving:)`` and stop nothing.
    ///
    /// - Returns: whether everything went well.
    @discardableResult
    public func saveBeforeTermination() -> Bool {
        saveBeforeTermination(stack())
    }

    /// Saves, and closes the store: it is marked as closed cleanly, and the next opening need not
    /// check it. Whatever needs the store afterwards throws `ContextError` with code `noStore`.
    ///
    /// - Throws: the first failure; the store is closed all the same.
    public func close() throws {
        guard let stack = takeForClosing() else { return }
        let saving = Result { try save(stack) }
        try retire(stack)
        try saving.get()
    }

    // MARK: - Parts

    /// The open store, for the one caller that closes it; `nil` for all others.
    nonisolated func takeForClosing() -> StoreStack? {
        let stack: StoreStack? = state.withLock { state in
            guard let stack = state.stack, !state.isClosed else { return nil }
            state.isClosed = true
            return stack
        }
        if stack != nil { TerminationDriver.shared.remove(self) }
        return stack
    }

    func save(_ stack: StoreStack) throws {
        do {
            try stack.mainContext.saveToPersistentStore()
        } catch {
            handleSaveError(error, saving: "the main context")
            throw error
        }
    }

    func saveBeforeTermination(_ stack: StoreStack) -> Bool {
        var isFine = true
        do { try save(stack) } catch { isFine = false }
        let context = stack.mainContext
        let hadChanges = hasChanges(stack)
        let before = stack.handle.changeCount
        do {
            try cleanUpOldObjects(in: context)
        } catch {
            handleSaveError(error, saving: "the clean-up of old objects")
            isFine = false
        }
        // After a failed save there are changes left; without new ones it would only fail again.
        let isChanged = hadChanges ? stack.handle.changeCount != before : hasChanges(stack)
        if isChanged {
            do { try save(stack) } catch { isFine = false }
        }
        return isFine
    }

    private func hasChanges(_ stack: StoreStack) -> Bool {
        stack.mainContext.hasChanges || stack.savingContext.hasChanges
    }

    /// Closes a store that the manager is done with, after what children have saved meanwhile.
    func retire(_ stack: StoreStack) throws {
        let before = stack.handle.changeCount
        stack.retire()
        let saving = Result { if stack.handle.changeCount != before { try save(stack) } }
        try stack.coordinator.removePersistentStore()
        try saving.get()
    }

    // MARK: - The end

    /// Saves before the process ends or stops, on the main thread.
    ///
    /// - Parameter closing: whether the process is sure to end, so that the store can be closed.
    func saveAtEnd(closing: Bool) {
        guard closing else {
            if let stack = openStack, !isClosed { _ = saveBeforeTermination(stack) }
            return
        }
        guard let stack = takeForClosing() else { return }
        if !saveBeforeTermination(stack) { saveWithoutOffenders(stack) }
        do {
            try retire(stack)
        } catch {
            handleSaveError(error, saving: "the store at its closing")
        }
    }

    nonisolated var isClosed: Bool { state.withLock { $0.isClosed } }

    /// It is the last chance: objects that cannot be saved do not keep the others from it.
    private func saveWithoutOffenders(_ stack: StoreStack) {
        let context = stack.mainContext
        var rounds = 0
        while hasChanges(stack), rounds < 10 {
            rounds += 1
            do {
                return try context.saveToPersistentStore()
            } catch let error as ValidationError {
                giveUp(error.failures.map(\.objectID), of: stack)
            } catch let error as ContextError where !error.objects.isEmpty {
                giveUp(error.objects, of: stack)
            } catch {
                return
            }
        }
    }

    private func giveUp(_ ids: [ManagedObjectID], of stack: StoreStack) {
        configuration.log("\(Set(ids).count) objects could not be saved at the end")
        stack.mainContext.discard(ids)
        stack.savingContext.discard(ids)
    }
}
