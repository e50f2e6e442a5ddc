// SPDX-License-Identifier: MIT
import CCacheStoreSQLite
import Foundation

/// Waits for a lock of another connection, until a point in time.
///
/// SQLite's own timeout adds up the naps it asked for, not the time that passed, and sleeps whole
/// seconds where it was built without `usleep`. This one looks at a clock, and ends early when the
/// connection is interrupted or its progress handler says so.
final class BusyWait {
    var timeout: Duration
    /// Asked between naps; `true` ends the wait.
    var isCancelled: (() -> Bool)?

    private let interruptHandle: InterruptHandle
    private var deadline = ContinuousClock.now
    private var interruptsAtStart: UInt = 0

    init(timeout: Duration, interruptHandle: InterruptHandle) {
        self.timeout = timeout
        self.interruptHandle = interruptHandle
    }

    /// Makes this the busy handler of a handle, which must not outlive it.
    func install(on handle: OpaquePointer) {
        sqlite3_busy_handler(
            handle,
            { context, attempts in
                guard let context else { return 0 }
                // The state that owns the database handle owns this object too.
                let wait = Unmanaged<BusyWait>.fromOpaque(context).takeUnretainedValue()
                return wait.shouldTryAgain(after: attempts) ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func shouldTryAgain(after attempts: Int32) -> Bool {
        let now = ContinuousClock.now
        if attempts == 0 {
            deadline = now + timeout
            interruptsAtStart = interruptHandle.count
        }
        guard now < deadline, interruptHandle.count == interruptsAtStart,
            isCancelled?() != true
        else { return false }
        // Short naps first, since most locks are held for less than a millisecond.
        let naps: [Int64] = [100, 300, 1_000, 2_000, 5_000, 10_000]
        let nap = Duration.microseconds(naps[min(Int(attempts), naps.count - 1)])
        let remaining = min(nap, deadline - now)
        usleep(UInt32(max(1, remaining / .microseconds(1))))
        return true
    }
}
