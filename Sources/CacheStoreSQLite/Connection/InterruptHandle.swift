// SPDX-License-Identifier: MIT
import CCacheStoreSQLite
import Synchronization

/// Interrupts what a connection is doing, from any thread, at any time, also after it was closed.
package final class InterruptHandle: Sendable {
    /// The address of a database handle, used only under the lock that closing it takes too.
    private struct Target: @unchecked Sendable {
        // Unchecked: sqlite3_interrupt() may be called from any thread while the handle is open
        // (https://sqlite.org/c3ref/interrupt.html), and the lock keeps it open for the call.
        var handle: OpaquePointer?
    }

    private let target: Mutex<Target>
    private let interrupts = Atomic<UInt>(0)

    init(_ handle: OpaquePointer) {
        target = Mutex(Target(handle: handle))
    }

    /// Ends the running statements, and a wait for a lock, with `SQLITE_INTERRUPT` or `SQLITE_BUSY`.
    /// Nothing happens when the connection is idle or closed.
    package func interrupt() {
        interrupts.wrappingAdd(1, ordering: .relaxed)
        target.withLock { target in
            if let handle = target.handle { sqlite3_interrupt(handle) }
        }
    }

    /// How often ``interrupt()`` was called.
    var count: UInt { interrupts.load(ordering: .relaxed) }

    /// Forgets the handle.
    func disarm() {
        target.withLock { $0.handle = nil }
    }

    /// Sets the handle again, after an attempt to close it failed.
    func rearm(_ handle: OpaquePointer) {
        // Wrapped, so that the compiler sees what crosses as Sendable; see Target.
        let target = Target(handle: handle)
        self.target.withLock { $0 = target }
    }
}
