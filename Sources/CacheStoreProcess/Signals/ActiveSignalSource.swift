// SPDX-License-Identifier: MIT

import Dispatch

/// A signal source that is registered with the system.
// Dispatch objects may be used from any thread; the protocol of sources merely does not say so.
struct ActiveSignalSource: @unchecked Sendable {
    private let source: any DispatchSourceSignal

    /// Activates a source and waits until it is registered; for a bounded time, in any case.
    init(activating source: any DispatchSourceSignal) {
        self.source = source
        let registered = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { registered.signal() }
        source.activate()
        _ = registered.wait(timeout: .now() + .seconds(10))
    }

    /// Ends the source; it tells of no more signals.
    ///
    /// Until the system has let go of the source, it may take a signal away from the course that the
    /// signal has now. So this waits, for a bounded time; on the queue of the source it cannot.
    func cancel(waiting: Bool) {
        let cancelled = DispatchSemaphore(value: 0)
        source.setCancelHandler { cancelled.signal() }
        source.cancel()
        if waiting { _ = cancelled.wait(timeout: .now() + .seconds(10)) }
    }
}
