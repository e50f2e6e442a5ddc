// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization

/// A piece of work that the main thread may begin until it is taken back.
final class MainTurn: Sendable {
    private enum Phase { case waiting, begun, withdrawn }

    private let phase = Mutex(Phase.waiting)
    private let finished = DispatchSemaphore(value: 0)

    /// The main thread is about to begin; returns whether it shall.
    func begin() -> Bool {
        phase.withLock { phase in
            guard phase == .waiting else { return false }
            phase = .begun
            return true
        }
    }

    func finish() { finished.signal() }

    /// Waits for the work, at most so long; returns whether it was begun. If it was not within the
    /// grace period, it is taken back.
    func wait(grace: Duration, limit: Duration) -> Bool {
        if finished.wait(timeout: .now() + grace.dispatchInterval) == .success { return true }
        let isWithdrawn = phase.withLock { phase in
            guard phase == .waiting else { return false }
            phase = .withdrawn
            return true
        }
        guard !isWithdrawn else { return false }
        _ = finished.wait(timeout: .now() + max(.zero, limit - grace).dispatchInterval)
        return true
    }
}
