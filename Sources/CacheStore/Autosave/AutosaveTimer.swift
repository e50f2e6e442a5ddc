// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization

/// Saves a manager while the program runs, when its unsaved changes have come to rest.
///
/// It looks at a counter at the end of each delay, which costs next to nothing, rather than be told
/// of each change. The main thread is asked to save by its queue; while it has not answered it is
/// not asked again. After a save that failed it waits for ever longer, up to 64 delays: a full disk
/// stays full for a while.
final class AutosaveTimer: Sendable {
    /// After so many delays changes are saved although more keep coming.
    private static let patience = 10
    private static let queue = DispatchQueue(label: "cachestore.autosave", qos: .utility)

    private struct State {
        var changeCount: UInt64 = 0
        var rounds = 0
        var isAsked = false
        /// How many saves have failed, one after the other.
        var failures = 0
        /// For how many delays nothing is tried.
        var pause = 0
    }

    private weak let manager: PersistentStoreManager?
    private let delay: Duration
    private let state = Mutex(State())

    private init(_ manager: PersistentStoreManager, delay: Duration) {
        self.manager = manager
        self.delay = delay
    }

    /// Starts looking after a manager, until it is closed or goes away.
    static func start(for manager: PersistentStoreManager) {
        guard let delay = manager.configuration.autosave.delay, delay > .zero else { return }
        AutosaveTimer(manager, delay: delay).wait()
    }

    private func wait() {
        Self.queue.asyncAfter(deadline: .now() + delay.dispatchInterval) { [self] in look() }
    }

    private func look() {
        guard let manager, !manager.isClosed else { return }
        defer { wait() }
        guard let stack = manager.openStack else { return }
        let isDirty = stack.handle.hasUnsavedChanges || stack.savingContext.hasChanges
        let shallSave = state.withLock { state in
            let count = stack.handle.changeCount
            let isAtRest = count == state.changeCount
            state.changeCount = count
            state.rounds = isDirty ? state.rounds + 1 : 0
            if state.pause > 0 {
                state.pause -= 1
                return false
            }
            guard isDirty, !state.isAsked, isAtRest || state.rounds >= Self.patience else {
                return false
            }
            state.isAsked = true
            state.rounds = 0
            return true
        }
        guard shallSave else { return }
        DispatchQueue.main.async { [self] in
            state.withLock { $0.isAsked = false }
            MainActor.assumeIsolated {
                guard let manager = self.manager, !manager.isClosed else { return }
                do {
                    try manager.save()
                    state.withLock { $0.failures = 0 }
                } catch {
                    // It has been reported; the changes stay for the next time.
                    state.withLock { state in
                        state.failures += 1
                        state.pause = 1 << min(state.failures, 6)
                    }
                }
            }
        }
    }
}
