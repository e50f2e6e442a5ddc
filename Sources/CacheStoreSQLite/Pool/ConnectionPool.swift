// SPDX-License-Identifier: MIT
import CCacheStoreShims
import Synchronization

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
    //
    // Reading is the common case, so a reader is taken and given back without the lock: see
    // ConnectionPool+Readers.swift.

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
    final class State {
        var phase = Phase.open
        var writer: Connection?
        var writerOwner: ThreadID?
        /// The writer while somebody works with it, and the readers beyond the maximum.
        var active = LinearMap<ObjectIdentifier, Connection>()
        /// How many readers beyond the maximum each thread has.
        var extraReaders = LinearMap<ThreadID, Int>()
        /// Calls of `close` that wait for the connections in use, and take over what comes back.
        var waitingClosers = 0
    }

    package let configuration: Configuration
    let monitor = Monitor()
    let state = State()
    let slots: [ReaderSlot]
    // The same ones, which the pool keeps: counting them would cost a part of each read.
    let uncountedSlots: ContiguousArray<Unmanaged<ReaderSlot>>
    /// Whether whoever gives a reader back has to look at what happened meanwhile: somebody waits,
    /// or the pool has ended.
    let needsAttention = Atomic<Int>(0)
    private let forkGeneration = cachestore_fork_generation()

    /// Creates a pool. Nothing is opened before it is needed.
    ///
    /// - Parameter writer: a connection to the same file that is open already, to be the writer.
    package init(_ configuration: Configuration, writer: sending Connection? = nil) {
        self.configuration = configuration
        slots = (0..<max(1, configuration.maximumReaders)).map { _ in ReaderSlot() }
        uncountedSlots = ContiguousArray(slots.map(Unmanaged.passUnretained))
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
    @inlinable
    package func readWithoutTransaction<T>(
        timeout: Duration? = nil, _ body: (Connection) throws -> T
    ) throws -> T {
        let lease = try acquireReader(timeout: timeout)
        defer { release(lease) }
        return try lease.connection._withUnsafeGuaranteedRef { try body($0) }
    }

    // MARK: Ending

    /// Poisons every connection, those in use too: each call on them fails from now on, as does each
    /// call on the pool. Waits for nobody.
    package func invalidate() {
        guard isOfThisProcess else { return }
        let idle = monitor.withLock {
            end(.invalidated)
            for connection in connectionsInUse { connection.poison() }
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
            end(.closed)
            state.waitingClosers += 1
            defer { state.waitingClosers -= 1 }
            let isQuiet = monitor.wait(until: deadline) { self.isQuiet }
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
        let handles = monitor.withLock { connectionsInUse.map(\.interruptHandle) }
        for handle in handles { handle.interrupt() }
    }

    /// Whether nobody works with a connection at this moment.
    package var isIdle: Bool { monitor.withLock { isQuiet } }

    // Inside the lock only, as are the next three.
    private func end(_ phase: Phase) {
        if state.phase == .open { needsAttention.add(1, ordering: .sequentiallyConsistent) }
        if state.phase != .closed { state.phase = phase }
        monitor.broadcast()
    }

    /// The connections that somebody works with, and idle readers.
    private var connectionsInUse: [Connection] {
        state.active.values + slots.compactMap(\.connection)
    }

    private var isQuiet: Bool {
        state.active.isEmpty && state.writerOwner == nil && state.extraReaders.isEmpty
            && !slots.contains { $0.isTaken }
    }

    // The writer comes last, so that its checkpoint finds no reader.
    private func takeIdle() -> [Connection] {
        var idle = slots.compactMap { $0.takeIdle() }
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
            try register(connection) {
                state.writer = connection
                state.active[ObjectIdentifier(connection)] = connection
            }
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

    // MARK: Common

    func open(_ role: Role) throws -> Connection {
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

    func register(_ connection: Connection, _ store: () -> Void) throws(SQLiteError) {
        try monitor.withLock { () throws(SQLiteError) in
            // The pool may have ended while the connection was being opened.
            try checkPhase()
            store()
        }
    }

    /// Leaves nothing behind for the next user of a connection.
    func tidy(_ connection: Connection) {
        guard connection.state.isOfThisProcess else { return }
        connection.endReading()
    }

    func checkPhase() throws(SQLiteError) {
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

    func checkProcess() throws(SQLiteError) {
        guard isOfThisProcess else {
            throw SQLiteError(
                code: .connectionForked,
                message: "the pool was opened before fork() and belongs to the parent process")
        }
    }

    static func timedOut(_ what: String) -> SQLiteError {
        SQLiteError(code: .SQLITE_BUSY, message: "no connection to \(what) came free in time")
    }
}
