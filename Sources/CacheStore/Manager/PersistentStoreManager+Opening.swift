// SPDX-License-Identifier: MIT

import CacheStoreGraph
import CacheStoreHealing
import Dispatch
import Synchronization

extension PersistentStoreManager {
    /// The open store; opens it if that has not happened.
    nonisolated func stack() -> StoreStack {
        if let stack = openStack { return stack }
        // The signals first: one that comes while the store is opened is not to stop that halfway.
        TerminationDriver.shared.add(self)
        let (stack, isFirst) = openingLock.withLock { _ in
            if let stack = openStack { return (stack, false) }
            opening.enter()
            defer { opening.leave() }
            let stack = StoreStack.openingOrStandIn(
                configuration, namespace: configuration.namespace)
            state.withLock { $0.stack = stack }
            return (stack, true)
        }
        if isFirst { prepare(stack) }
        return stack
    }

    /// The open store, if it is open.
    nonisolated var openStack: StoreStack? { state.withLock { $0.stack } }

    /// What is to be done once for each store that was opened, with no lock held.
    nonisolated func prepare(_ stack: StoreStack) {
        stack.coordinator.setErrorHandler { [weak self] error, what in
            self?.handleSaveError(error, saving: what)
        }
        stack.observeResets { [weak self] report in
            guard let self else { return }
            configuration.log("the store was reset while it was in use: \(report.cause)")
            storeWasReset(report)
        }
        if let error = stack.openError {
            configuration.log("the store could not be opened: \(error)")
            handleOpenError(error)
        }
    }

    /// Waits until no store is being opened, at most so long; returns whether that is so.
    nonisolated func waitForOpening(atMost limit: Duration) -> Bool {
        opening.wait(timeout: .now() + limit.dispatchInterval) == .success
    }
}

extension Duration {
    /// The same for Dispatch, in whole microseconds; a day at most.
    var dispatchInterval: DispatchTimeInterval {
        .microseconds(Int(min(self, .seconds(86_400)) / .microseconds(1)))
    }
}
