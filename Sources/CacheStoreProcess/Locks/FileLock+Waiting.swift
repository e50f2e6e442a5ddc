// SPDX-License-Identifier: MIT

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The time a wait goes by, so that a test can wait without time passing.
package struct WaitingClock: Sendable {
    /// Returns the time since some fixed moment.
    package var now: @Sendable () -> Duration
    /// Blocks the calling thread.
    package var sleep: @Sendable (Duration) -> Void

    package init(
        now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// The monotonic time of the system.
    package static var system: WaitingClock {
        let start = ContinuousClock.now
        return WaitingClock(
            now: { start.duration(to: .now) },
            sleep: { duration in
                let (seconds, attoseconds) = duration.components
                var time = timespec(
                    tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
                // An interrupted sleep is a short one; the waiting loop looks at the time again.
                nanosleep(&time, nil)
            })
    }
}

extension FileLock {
    private static let firstPause = Duration.milliseconds(1)
    private static let longestPause = Duration.milliseconds(50)

    /// Takes the lock, or changes its mode; waits for others, but not longer than `timeout`.
    ///
    /// Blocks the calling thread. The lock is tried at once and then at growing intervals of 1 to
    /// 50 ms, for `flock` itself waits without a bound.
    ///
    /// - Throws: ``FileLockError`` with the code `timedOut`, or a code of ``tryLock(_:)``. After
    ///   `timedOut` this instance has the lock it had before; after `lockLost` it has none.
    package func lock(
        _ mode: Mode, timeout: Duration, clock: WaitingClock = .system
    ) throws(FileLockError) {
        let deadline = clock.now() + timeout
        var pause = Self.firstPause
        while true {
            if try tryLock(mode) { return }
            let remaining = deadline - clock.now()
            guard remaining > .zero else { throw timedOut(after: timeout) }
            // Unequal pauses keep two processes from trying in step for ever.
            clock.sleep(min(pause * Double.random(in: 0.5...1), remaining))
            pause = min(pause * 2, Self.longestPause)
        }
    }

    private func timedOut(after timeout: Duration) -> FileLockError {
        let holder = recordedHolder.map { " Process \($0) has it." } ?? ""
        return FileLockError(
            .timedOut, "The lock \(path) was not free within \(timeout).\(holder)", path: path)
    }
}
