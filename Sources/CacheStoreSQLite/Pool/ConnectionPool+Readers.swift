// SPDX-License-Identifier: MIT
import CCacheStoreShims
import Synchronization

// A reader is taken and given back by one atomic exchange on its slot, and a thread finds the slot
// it had before: threads that read meet at nothing that they share. The lock is for what is rare:
// opening, waiting, and the end of the pool.
//
// The two ways meet in `needsAttention`, which is greater than zero while somebody waits, and once
// the pool has ended. Who waits raises it first and looks at the slots then; who gives a slot back
// does that first and looks at the number then. All four are sequentially consistent, so at least
// one sees the other.

extension ConnectionPool {
    /// A connection to read with, until it is given back.
    @usableFromInline
    package struct Lease {
        // Until it is given back its slot keeps the connection, or the pool that of an extra reader;
        // and the pool keeps its slots.
        @usableFromInline package let connection: Unmanaged<Connection>
        /// `nil` for a reader beyond the maximum.
        let slot: Unmanaged<ReaderSlot>?
    }

    /// How many connections for reading are open or being opened, those beyond the maximum left out.
    package var openReaderCount: Int { slots.count { !$0.isEmpty } }

    // Its users call these two without a closure in between.
    @usableFromInline
    package func acquireReader(timeout: Duration?) throws -> Lease {
        try checkProcess()
        let me = ThreadID.current
        if let lease = takeIdleReader(me) {
            if needsAttention.load(ordering: .sequentiallyConsistent) == 0 { return lease }
            do {
                try monitor.withLock { () throws(SQLiteError) in try checkPhase() }
                return lease
            } catch {
                release(lease)
                throw error
            }
        }
        return try waitForReader(me, timeout: timeout ?? configuration.timeout)
    }

    @inline(__always)
    private func takeIdleReader(_ me: ThreadID) -> Lease? {
        let preferred = Int(cachestore_preferred_reader())
        if preferred < uncountedSlots.count {
            let slot = uncountedSlots[preferred]
            if let connection = slot._withUnsafeGuaranteedRef({ $0.takeConnection(me) }) {
                return Lease(connection: connection, slot: slot)
            }
        }
        return takeAnyIdleReader(me)
    }

    @inline(never)
    private func takeAnyIdleReader(_ me: ThreadID) -> Lease? {
        for (index, slot) in slots.enumerated() {
            guard let connection = slot.takeConnection(me) else { continue }
            cachestore_prefer_reader(UInt32(index))
            return Lease(connection: connection, slot: Unmanaged.passUnretained(slot))
        }
        return nil
    }

    private enum Turn {
        case reader(Lease)
        /// A new connection is needed: for a slot, or beyond the maximum.
        case open(ReaderSlot?)
    }

    @inline(never)
    private func waitForReader(_ me: ThreadID, timeout: Duration) throws -> Lease {
        needsAttention.add(1, ordering: .sequentiallyConsistent)
        defer { needsAttention.subtract(1, ordering: .sequentiallyConsistent) }
        let turn = try monitor.withLock { () throws(SQLiteError) -> Turn in
            var turn: Turn?
            let mustNotWait =
                state.writerOwner == me || state.extraReaders[me] != nil
                || slots.contains { $0.isTaken(by: me) }
            _ = monitor.wait(atMost: timeout) {
                guard state.phase == .open else { return true }
                turn = freeReader(me) ?? (mustNotWait ? .open(nil) : nil)
                return turn != nil
            }
            try checkPhase()
            guard let turn else { throw Self.timedOut("read") }
            if case .open(nil) = turn {
                state.extraReaders[me] = (state.extraReaders[me] ?? 0) + 1
            }
            return turn
        }
        switch turn {
        case .reader(let lease): return lease
        case .open(let slot): return try openReader(for: slot, me)
        }
    }

    private func freeReader(_ me: ThreadID) -> Turn? {
        if let lease = takeAnyIdleReader(me) { return .reader(lease) }
        return slots.first { $0.takeEmpty(me) }.map { .open($0) }
    }

    private func openReader(for slot: ReaderSlot?, _ me: ThreadID) throws -> Lease {
        do {
            let connection = try open(.reader)
            try register(connection) {
                if let slot {
                    slot.fill(connection)
                } else {
                    state.active[ObjectIdentifier(connection)] = connection
                }
            }
            return Lease(
                connection: Unmanaged.passUnretained(connection),
                slot: slot.map(Unmanaged.passUnretained))
        } catch {
            monitor.withLock {
                if let slot { slot.empty() } else { forgetExtraReader(of: me) }
                monitor.broadcast()
            }
            throw error
        }
    }

    @usableFromInline
    package func release(_ lease: Lease) {
        lease.connection._withUnsafeGuaranteedRef { tidy($0) }
        guard let slot = lease.slot else {
            return closeExtraReader(lease.connection.takeUnretainedValue())
        }
        slot._withUnsafeGuaranteedRef { $0.giveBack() }
        if needsAttention.load(ordering: .sequentiallyConsistent) != 0 {
            tellOthers(of: slot.takeUnretainedValue())
        }
    }

    /// Somebody waits for the reader, or the pool has ended and the reader goes, too.
    @inline(never)
    private func tellOthers(of slot: ReaderSlot) {
        let connection = monitor.withLock {
            defer { monitor.broadcast() }
            // Who closes the pool takes the connections that come back, in the right order.
            let isOver = state.phase != .open && state.waitingClosers == 0
            return isOver ? slot.takeIdle() : nil
        }
        try? connection?.close()
    }

    private func closeExtraReader(_ connection: Connection) {
        monitor.withLock {
            state.active[ObjectIdentifier(connection)] = nil
            forgetExtraReader(of: ThreadID.current)
            monitor.broadcast()
        }
        try? connection.close()
    }

    private func forgetExtraReader(of thread: ThreadID) {
        let held = (state.extraReaders[thread] ?? 1) - 1
        state.extraReaders[thread] = held > 0 ? held : nil
    }
}
