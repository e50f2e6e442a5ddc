// SPDX-License-Identifier: MIT
import CCacheStoreShims

/// One connection that writes and several that read, for use from any thread.
///
/// Calls block the calling thread, never longer than their timeout. They cannot deadlock:
/// - a `write` inside a `write` of the same thread is refused at once; the connection is to be
///   passed down;
/// - a `read` inside a `read` or a `write` of the same thread gets a connection of its own, beyond
///   the maximum if there is none left, so that no thread waits for what it holds itself;
/// - threads that hold readers and wait for the writer end with `SQLITE_BUSY` at the latest when
///   their timeout is over.
package final class ConnectionPool: @unchecked Sendable {
    // Unchecked: `state` is touched only inside `monitor.withLock`, and each connection by the one
    // thread that it was handed to, except for poisoning and interrupting, which any thread may do.

    package enum Role: Sendable, Hashable {
        case writer
        case reader
    }

    package struct Configuration: Sendable {
        package var path: String
        package var mode = Connection.Mode.readWriteCreate
        package var vfs: String?
        package var writerSettings = ConnectionSettings()
        package var readerSettings = ConnectionSettings().forReader
        package var maximumReaders = 4
        /// How long a call waits for a connection.
        package var timeout = Duration.seconds(10)
        package var statementCacheCapacity = 128
        /// Runs on each new connection, after its settings: functions, collations, more pragmas.
        package var prepare: @Sendable (Connection, Role) throws -> Void = { _, _ in }

        package init(path: String) {
            self.path = path
        }
    }

    enum Phase {
        case open
        case invalidated
        case closed
    }

    /// Everything that the lock guards. A class, so that a thread that waits inside the lock holds
    /// no access to it.
    private final class State {
        var phase = Phase.open
        var writer: Connection?
        var writerOwner: ThreadID?
        var idleReaders: [Connection] = []
        /// Readers that exist or are being opened, those beyond the maximum left out.
        var readerCount = 0
        var readersHeld = LinearMap<ThreadID, Int>()
        /// The connections that somebody works with.
        var active = LinearMap<ObjectIdentifier, Connection>()
        /// Calls of `close` that wait for the active ones, and take over what comes back.
        var waitingClosers = 0
        var isQuiet: Bool { active.isEmpty && writerOwner == nil && readersHeld.isEmpty }
    }

    package let configuration: Configuration
    private let monitor = Monitor()
    private let state = State()
    private let forkGeneration = cachestore_fork_generation()

    /// Creates a pool. Nothing is opened before it is needed.
    ///
    /// - Parameter writer: a connection to the same file that is open already, to be the writer.
    package init(_ configuration: Configuration, writer: sending Connection? = nil) {
        self.configuration = configuration
        state.writer = writer
    }

    // MARK: Access

    /// Calls a closure with the connection that writes, alone.
    ///
    /// A transaction that the closure leaves open is rolled back.
    /// - Throws: what the closure throws; `SQLITE_BUSY` when another thread had the writer until the
    ///   timeout; `SQLITE_MISUSE` inside another `write`; the errors of opening.
    package func write<T>(timeout: Duration? = nil, _ body: (Connection) throws -> T) throws -> T {
        let connection = try acquireWriter(timeout: timeout)
        defer { releaseWriter(connection) }
        return try body(connection)
    }

    /// Calls a closure with a connection that reads one snapshot: the state of the database at its
    /// first read.
    ///
    /// - Throws: what the closure throws; `SQLITE_BUSY` when no connection came free until the
    ///   timeout; the errors of opening.
    package func read<T>(timeout: Duration? = nil, _ body: (Connection) throws -> T) throws -> T {
        try readWithoutTransaction(timeout: timeout) { connection in
            try connection.transaction(.deferred) { try body(connection) }
        }
    }

    /// Calls a closure with a connection that reads, with no transaction open: each statement reads a
    /// snapshot of its own. For closures that run a single statement, which need no other.
    ///
    /// - Throws: as ``read(timeout:_:)``.
    package func readWithoutTransaction<T>(
        timeout: Duration? = nil, _ body: (Connection) throws -> T
    ) throws -> T {
        let lease = try acquireReader(timeout: timeout)
        defer { release(lease) }
        return try body(lease.connection)
    }

    // MARK: Ending

    /// Poisons every connection, those in use too: each call on them fails from now on, as does each
    /// call on the pool. Waits for nobody.
    package func invalidate() {
        guard isOfThisProcess else { return }
        let idle = monitor.withLock {
            if state.phase == .open { state.phase = .invalidated }
            for connection in state.active.values { connection.poison() }
            monitor.broadcast()
            return takeIdle()
        }
        for connection in idle {
            connection.poison()
            // What close could say is of no use to anybody who just gave the connection up.
            try? connection.close()
        }
    }

    /// Waits for the connections in use, and closes all of them. Later calls fail.
    ///
    /// - Throws: `SQLITE_BUSY` when some were still in use after the timeout: they are closed when
    ///   they come back; the first error of closing, after all were tried.
    package func close(timeout: Duration? = nil) throws {
        try checkProcess()
        let deadline = ContinuousClock.now + (timeout ?? configuration.timeout)
        let (idle, isQuiet) = monitor.withLock {
            state.phase = .closed
            monitor.broadcast()
            state.waitingClosers += 1
            defer { state.waitingClosers -= 1 }
            let isQuiet = monitor.wait(until: deadline) { state.isQuiet }
            return (takeIdle(), isQuiet)
        }
        var firstError: SQLiteError?
        for connection in idle {
            do throws(SQLiteError) {
                try connection.close()
            } catch {
                firstError = firstError ?? error
            }
        }
        if let firstError { throw firstError }
        guard isQuiet else {
            throw SQLiteError(
                code: .SQLITE_BUSY, message: "connections of the pool were still in use")
        }
    }

    /// Interrupts whatever the connections are doing now.
    package func interrupt() {
        guard isOfThisProcess else { return }
        let handles = monitor.withLock { state.active.values.map(\.interruptHandle) }
        for handle in handles { handle.interrupt() }
    }

    /// How many connections for reading are open, for tests and statistics.
    package var openReaderCount: Int { monitor.withLock { state.readerCount } }

    // Inside the lock only. The writer comes last, so that its checkpoint finds no reader.
    private func takeIdle() -> [Connection] {
        var idle = state.idleReaders
        state.readerCount -= idle.count
        state.idleReaders = []
        if state.writerOwner == nil, let writer = state.writer {
            idle.append(writer)
            state.writer = nil
        }
        return idle
    }

    // MARK: The writer

    private func acquireWriter(timeout: Duration?) throws -> Connection {
        try checkProcess()
        let me = ThreadID.current
        let deadline = ContinuousClock.now + (timeout ?? configuration.timeout)
        let existing = try monitor.withLock { () throws(SQLiteError) -> Connection? in
            if state.writerOwner == me {
                throw SQLiteError(
                    code: .SQLITE_MISUSE,
                    message: "a write inside a write: pass the connection down instead")
            }
            let isFree = monitor.wait(until: deadline) {
                state.writerOwner == nil || state.phase != .open
            }
            try checkPhase()
            guard isFree else { throw Self.timedOut("write") }
            state.writerOwner = me
            if let writer = state.writer { state.active[ObjectIdentifier(writer)] = writer }
            return state.writer
        }
        if let existing { return existing }
        do {
            let connection = try open(.writer)
            try register(connection) { state.writer = connection }
            return connection
        } catch {
            monitor.withLock {
                state.writerOwner = nil
                monitor.broadcast()
            }
            throw error
        }
    }

    private func releaseWriter(_ connection: Connection) {
        tidy(connection)
        let isOver = monitor.withLock {
            state.writerOwner = nil
            state.active[ObjectIdentifier(connection)] = nil
            monitor.broadcast()
            guard state.phase != .open, state.waitingClosers == 0 else { return false }
            state.writer = nil
            return true
        }
        if isOver { try? connection.close() }
    }

    // MARK: Readers

    private struct Lease {
        let connection: Connection
        let isExtra: Bool
        let owner: ThreadID
    }

    private func acquireReader(timeout: Duration?) throws -> Lease {
        try checkProcess()
        let me = ThreadID.current
        let timeout = timeout ?? configuration.timeout
        let maximum = max(1, configuration.maximumReaders)
        let (idle, isExtra) = try monitor.withLock { () throws(SQLiteError) in
            let mustNotWait = state.readersHeld[me] != nil || state.writerOwner == me
            let isFree =
                mustNotWait
                || monitor.wait(atMost: timeout) {
                    !state.idleReaders.isEmpty || state.readerCount < maximum
                        || state.phase != .open
                }
            try checkPhase()
            guard isFree else { throw Self.timedOut("read") }
            state.readersHeld[me] = (state.readersHeld[me] ?? 0) + 1
            if let idle = state.idleReaders.popLast() {
                state.active[ObjectIdentifier(idle)] = idle
                return (Connection?.some(idle), false)
            }
            let isExtra = state.readerCount >= maximum
            if !isExtra { state.readerCount += 1 }
            return (nil, isExtra)
        }
        if let idle { return Lease(connection: idle, isExtra: false, owner: me) }
        do {
            let connection = try open(.reader)
            try register(connection) {}
            return Lease(connection: connection, isExtra: isExtra, owner: me)
        } catch {
            monitor.withLock {
                if !isExtra { state.readerCount -= 1 }
                forgetReader(of: me)
                monitor.broadcast()
            }
            throw error
        }
    }

    private func release(_ lease: Lease) {
        let connection = lease.connection
        tidy(connection)
        let isOver = monitor.withLock {
            state.active[ObjectIdentifier(connection)] = nil
            forgetReader(of: lease.owner)
            defer { monitor.broadcast() }
            if lease.isExtra { return true }
            if state.phase == .open || state.waitingClosers > 0 {
                state.idleReaders.append(connection)
                return false
            }
            state.readerCount -= 1
            return true
        }
        if isOver { try? connection.close() }
    }

    private func forgetReader(of thread: ThreadID) {
        let held = (state.readersHeld[thread] ?? 1) - 1
        state.readersHeld[thread] = held > 0 ? held : nil
    }

    // MARK: Common

    private func open(_ role: Role) throws -> Connection {
        let settings =
            role == .writer ? configuration.writerSettings : configuration.readerSettings
        // A reader never creates the file: after somebody removed it, an empty one would look fine.
        let mode =
            role == .reader && configuration.mode == .readWriteCreate
            ? .readWrite : configuration.mode
        let connection = try Connection(
            .file(configuration.path), mode: mode, vfs: configuration.vfs,
            busyTimeout: settings.busyTimeout,
            statementCacheCapacity: configuration.statementCacheCapacity)
        try settings.apply(to: connection)
        try configuration.prepare(connection, role)
        return connection
    }

    private func register(_ connection: Connection, _ store: () -> Void) throws(SQLiteError) {
        try monitor.withLock { () throws(SQLiteError) in
            // The pool may have ended while the connection was being opened.
            try checkPhase()
            state.active[ObjectIdentifier(connection)] = connection
            store()
        }
    }

    /// Leaves nothing behind for the next user of a connection.
    private func tidy(_ connection: Connection) {
        guard connection.state.isOfThisProcess else { return }
        connection.resetStatements()
        connection.rollBack()
    }

    private func checkPhase() throws(SQLiteError) {
        switch state.phase {
        case .open: return
        case .invalidated:
            throw SQLiteError(
                code: .connectionPoisoned,
                message: "the pool is invalid: its store has been replaced")
        case .closed:
            throw SQLiteError(code: .connectionClosed, message: "the pool is closed")
        }
    }

    // Asked before the lock is touched: the parent may have held it at the fork, for ever.
    private var isOfThisProcess: Bool { forkGeneration == cachestore_fork_generation() }

    private func checkProcess() throws(SQLiteError) {
        guard isOfThisProcess else {
            throw SQLiteError(
                code: .connectionForked,
                message: "the pool was opened before fork() and belongs to the parent process")
        }
    }

    private static func timedOut(_ what: String) -> SQLiteError {
        SQLiteError(code: .SQLITE_BUSY, message: "no connection to \(what) came free in time")
    }
}
