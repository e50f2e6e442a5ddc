// SPDX-License-Identifier: MIT
import Synchronization

/// A place for one connection that reads, which threads take in turns without a lock.
///
/// `connection` is set and removed only inside the pool's lock, by whoever has the slot taken; who
/// takes an idle slot finds it there.
final class ReaderSlot: @unchecked Sendable {
    // Unchecked: `connection` is written by the thread that has the slot taken and inside the lock,
    // and read by that thread or inside the lock.

    private enum Phase {
        /// There is no connection.
        static let empty = 0
        static let idle = 1
        static let taken = 2
    }

    private let phase = Atomic<Int>(Phase.empty)
    /// The thread that has the slot taken; 0 if none has.
    private let owner = Atomic<UInt>(0)
    private(set) var connection: Connection?
    // Slots lie beside each other in memory, and each is written at every read: two of them in one
    // line of the processor's cache would slow each other down.
    private let padding = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

    var isTaken: Bool { phase.load(ordering: .sequentiallyConsistent) == Phase.taken }
    var isEmpty: Bool { phase.load(ordering: .sequentiallyConsistent) == Phase.empty }

    func isTaken(by thread: ThreadID) -> Bool {
        owner.load(ordering: .relaxed) == thread.rawValue
    }

    /// Takes the slot if it is idle: its connection is the caller's until ``giveBack()``.
    @inline(__always)
    func takeConnection(_ thread: ThreadID) -> Unmanaged<Connection>? {
        guard take(from: Phase.idle, thread) else { return nil }
        // The slot keeps it until whoever has the slot empties it.
        return connection.map(Unmanaged.passUnretained)
    }

    /// Takes the slot if it is empty, in order to open a connection for it.
    func takeEmpty(_ thread: ThreadID) -> Bool { take(from: Phase.empty, thread) }

    @inline(__always)
    private func take(from expected: Int, _ thread: ThreadID) -> Bool {
        guard
            phase.compareExchange(
                expected: expected, desired: Phase.taken, ordering: .sequentiallyConsistent
            ).exchanged
        else { return false }
        owner.store(thread.rawValue, ordering: .relaxed)
        return true
    }

    @inline(__always)
    func giveBack() {
        owner.store(0, ordering: .relaxed)
        phase.store(Phase.idle, ordering: .sequentiallyConsistent)
    }

    /// Leaves a connection in the slot that the caller has taken. Inside the lock.
    func fill(_ connection: Connection) { self.connection = connection }

    /// Removes the connection, if there is one, from the slot that the caller has taken, and gives
    /// the slot back. Inside the lock.
    @discardableResult
    func empty() -> Connection? {
        defer {
            connection = nil
            owner.store(0, ordering: .relaxed)
            phase.store(Phase.empty, ordering: .sequentiallyConsistent)
        }
        return connection
    }

    /// Removes the connection if nobody has the slot taken. Inside the lock.
    func takeIdle() -> Connection? {
        takeConnection(ThreadID.current) == nil ? nil : empty()
    }
}
