// SPDX-License-Identifier: MIT

package import CacheStoreModel
import CacheStorePersistence
import Dispatch
import Synchronization

/// What other threads hold of a context: they can read its unsaved changes and leave it messages,
/// and nothing else.
///
/// The scheme (see Documentation/Concurrency.md): the owner changes the graph with the lock held and
/// reads it without; every other thread reads it with the lock held. Messages (a child's save, a
/// merge) wait in the inbox until the owner takes them in, so no thread ever waits for another one's
/// turn. The lock is never held across I/O, waiting or a program's code.
package final class ContextHandle: @unchecked Sendable {
    // The reference to the context is used with the lock held, and cleared with the lock held
    // before the context goes; its graph is changed with the same lock held.

    package enum Message: Sendable {
        /// Changes of a child, to become unsaved changes of this context.
        case changes(ChangeSet)
        /// What another context has saved to the store.
        case merge(ContextSave)
        /// What the saving context has written for this context.
        case saved(SaveOutcome)
        /// The coordinator has another store, for the one there was could not be used any more.
        case storeReplaced
    }

    package let coordinator: PersistentStoreCoordinator
    private let parentHandle: ContextHandle?
    private let savingContext: SavingContext?
    package let isMainThreadConfined: Bool

    private let lock = Mutex<Void>(())
    // Changed with the lock held only; weak would cost a side table for nothing.
    nonisolated(unsafe) private unowned(unsafe) var context: ManagedObjectContext?

    private let inbox = Mutex<[Message]>([])
    private let messageFlag = Atomic<Bool>(false)
    private let generation = Atomic<UInt64>(0)
    private let mergesFlag = Atomic<Bool>(false)

    private struct CachedSnapshot {
        var generation: UInt64
        var snapshot: ChangeLedger
    }
    private let cached = Mutex<CachedSnapshot?>(nil)

    init(_ context: ManagedObjectContext) {
        self.context = context
        coordinator = context.coordinator
        isMainThreadConfined = context.confinement == .mainThread
        switch context.parent {
        case .coordinator: (parentHandle, savingContext) = (nil, nil)
        case .saving(let saving): (parentHandle, savingContext) = (nil, saving)
        case .context(let handle, _): (parentHandle, savingContext) = (handle, nil)
        }
    }

    // MARK: - The owner's side

    @inline(__always)
    func withGraphLocked(_ body: () -> Void) { lock.withLock { _ in body() } }

    func bumpGeneration() { generation.add(1, ordering: .releasing) }

    func contextIsGone() { lock.withLock { _ in context = nil } }

    /// Whether there are messages. A load of one flag.
    var hasMessages: Bool { messageFlag.load(ordering: .acquiring) }

    /// Takes the messages out, oldest first.
    func takeMessages() -> [Message] {
        guard hasMessages else { return [] }
        return inbox.withLock { inbox in
            messageFlag.store(false, ordering: .releasing)
            defer { inbox.removeAll() }
            return inbox
        }
    }

    /// Takes out only what the saving context has written; the other messages stay, in their order.
    func takeSaved() -> [SaveOutcome] {
        guard hasMessages else { return [] }
        return inbox.withLock { inbox in
            var outcomes: [SaveOutcome] = []
            inbox.removeAll { message in
                guard case .saved(let outcome) = message else { return false }
                outcomes.append(outcome)
                return true
            }
            messageFlag.store(!inbox.isEmpty, ordering: .releasing)
            return outcomes
        }
    }

    var wantsMerges: Bool { mergesFlag.load(ordering: .relaxed) }
    func setWantsMerges(_ wants: Bool) { mergesFlag.store(wants, ordering: .relaxed) }

    // MARK: - Other threads' side

    /// Changes with every change of the context or its inbox; equal values mean nothing has changed.
    package var changeCount: UInt64 { generation.load(ordering: .acquiring) }

    /// Whether the context has unsaved changes, or changes of children wait for it. Any thread.
    package var hasUnsavedChanges: Bool {
        lock.withLock { _ in
            if context?.hasPendingObjects ?? false { return true }
            return inbox.withLock { inbox in
                inbox.contains { if case .changes = $0 { true } else { false } }
            }
        }
    }

    package func send(_ message: Message) {
        inbox.withLock { inbox in
            inbox.append(message)
            messageFlag.store(true, ordering: .releasing)
        }
        bumpGeneration()
    }

    /// All changes above the store that a child of this context must see: the unsaved ones of this
    /// context, those that wait in its inbox, and those of its ancestors beneath them.
    ///
    /// Read nearest first: a change on its way to the store is then seen twice rather than never.
    package func unsavedChanges() -> ChangeLedger {
        let own = ownUnsavedChanges()
        var ledger =
            parentHandle?.unsavedChanges() ?? savingContext?.unsavedChanges() ?? ChangeLedger()
        if ledger.isEmpty { return own }
        ledger.apply(own)
        return ledger
    }

    /// The unsaved changes of this context alone, with its inbox.
    package func ownUnsavedChanges() -> ChangeLedger {
        let current = generation.load(ordering: .acquiring)
        if let known = cached.withLock({ $0 }), known.generation == current {
            return known.snapshot
        }
        let ledger = lock.withLock { _ in
            var ledger = context?.ledgerOfUnsavedChanges() ?? ChangeLedger()
            for message in inbox.withLock({ $0 }) {
                if case .changes(let changes) = message { ledger.apply(changes) }
            }
            return ledger
        }
        cached.withLock { $0 = CachedSnapshot(generation: current, snapshot: ledger) }
        return ledger
    }

    /// Lets the context take in what it was sent, if the caller may use it; else the main queue is
    /// asked to for a main context, and any context does it at its next use.
    func takeInIfOwned(byCaller isLocal: Bool) {
        if isOwned(byCaller: isLocal) {
            owned { $0.takeInMerges() }
        } else if isMainThreadConfined {
            DispatchQueue.main.async { [weak self] in self?.owned { $0.takeInMerges() } }
        }
    }

    func saveToPersistentStoreIfOwned(byCaller isLocal: Bool) throws {
        guard isOwned(byCaller: isLocal) else { return }
        var result: Result<Void, any Error> = .success(())
        owned { context in result = Result { try context.saveToPersistentStore() } }
        try result.get()
    }

    /// Calls the closure with the context, on the owner's thread, without the lock: only the owner
    /// lets the context go, so it cannot go meanwhile.
    private func owned(_ body: (ManagedObjectContext) -> Void) {
        // Strong for the length of the call; taken under the lock because another thread may be
        // reading with it.
        nonisolated(unsafe) var owned: ManagedObjectContext?
        lock.withLock { _ in owned = context }
        if let owned { body(owned) }
    }

    /// Whether the caller may use the context: it belongs to the caller's isolation domain, or to the
    /// main thread and this is it.
    private func isOwned(byCaller isLocal: Bool) -> Bool {
        isLocal || (isMainThreadConfined && MainQueue.isCurrent)
    }
}
