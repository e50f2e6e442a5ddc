// SPDX-License-Identifier: MIT
#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A mutex with a condition to wait for, up to a point in time on a clock that nobody sets.
///
/// `Synchronization.Mutex` has no condition, and Foundation's waits by the wall clock.
final class Monitor: @unchecked Sendable {
    // Unchecked: both are made to be used from several threads, and their addresses never change.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        #if !canImport(Darwin)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        #endif
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func withLock<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Waits, inside `withLock`, until a condition holds. Returns `false` when the deadline passed
    /// first.
    func wait(until deadline: ContinuousClock.Instant, for holds: () -> Bool) -> Bool {
        while !holds() {
            let remaining = deadline - ContinuousClock.now
            guard remaining > .zero else { return false }
            wait(atMost: min(remaining, .seconds(3600)))
        }
        return true
    }

    /// The same with a duration, which is looked at only if the condition does not hold at once.
    func wait(atMost timeout: Duration, for holds: () -> Bool) -> Bool {
        holds() || wait(until: ContinuousClock.now + timeout, for: holds)
    }

    /// Wakes everybody who waits, so that each looks at its condition again.
    func broadcast() {
        pthread_cond_broadcast(condition)
    }

    private func wait(atMost duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var time = timespec()
        #if canImport(Darwin)
            // Not tested on Darwin.
            time.tv_sec = Int(seconds)
            time.tv_nsec = Int(attoseconds / 1_000_000_000)
            pthread_cond_timedwait_relative_np(condition, mutex, &time)
        #else
            clock_gettime(CLOCK_MONOTONIC, &time)
            time.tv_sec += Int(seconds)
            time.tv_nsec += Int(attoseconds / 1_000_000_000)
            if time.tv_nsec >= 1_000_000_000 {
                time.tv_sec += 1
                time.tv_nsec -= 1_000_000_000
            }
            pthread_cond_timedwait(condition, mutex, &time)
        #endif
    }
}

/// The thread that asks, for telling whether a thread already holds something.
struct ThreadID: Hashable, Sendable {
    let rawValue: UInt

    static var current: Self {
        #if canImport(Darwin) || canImport(Musl)
            Self(rawValue: UInt(bitPattern: pthread_self()))
        #else
            Self(rawValue: UInt(pthread_self()))
        #endif
    }
}
