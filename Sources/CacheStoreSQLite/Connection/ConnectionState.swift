// SPDX-License-Identifier: MIT
public import CCacheStoreShims
import CCacheStoreSQLite
public import Synchronization

/// What a connection shares with its statements: the handle, and whether it may still be used.
///
/// It owns the handle, so that a statement that outlives its `Connection` never points at freed
/// memory. Like the connection it is used by one thread at a time, except ``poison()``.
@usableFromInline
package final class ConnectionState {
    @usableFromInline
    enum Status {
        @usableFromInline static let usable: UInt8 = 0
        static let poisoned: UInt8 = 1
        static let closed: UInt8 = 2
    }

    /// The database handle. It stays valid until ``close()``.
    @usableFromInline package let handle: OpaquePointer
    @usableFromInline package let status = Atomic<UInt8>(Status.usable)
    @usableFromInline package let forkGeneration = cachestore_fork_generation()

    let interruptHandle: InterruptHandle
    let busy: BusyWait
    var progress: ProgressHandler?
    private var isClosed = false

    init(adopting handle: OpaquePointer, busyTimeout: Duration) {
        self.handle = handle
        interruptHandle = InterruptHandle(handle)
        busy = BusyWait(timeout: busyTimeout, interruptHandle: interruptHandle)
    }

    deinit {
        guard !isClosed else { return }
        interruptHandle.disarm()
        // Statements hold this object, so none is left; a backup that is left makes close_v2 wait.
        if isOfThisProcess { sqlite3_close_v2(handle) }
    }

    @inlinable package var isOfThisProcess: Bool {
        forkGeneration == cachestore_fork_generation()
    }

    /// Throws when the connection may not be used any more. Two loads, so cheap enough for each step.
    @inlinable package func check() throws(SQLiteError) {
        if status.load(ordering: .relaxed) != Status.usable || !isOfThisProcess {
            throw refusal()
        }
    }

    @usableFromInline func refusal() -> SQLiteError {
        guard isOfThisProcess else {
            return SQLiteError(
                code: .connectionForked,
                message: "the connection was opened before fork() and belongs to the parent process"
            )
        }
        if status.load(ordering: .relaxed) == Status.closed {
            return SQLiteError(code: .connectionClosed, message: "the connection is closed")
        }
        return SQLiteError(
            code: .connectionPoisoned,
            message: "the connection is poisoned: its store has been replaced or closed")
    }

    /// Makes every later call fail. Any thread may call it.
    func poison() {
        _ = status.compareExchange(
            expected: Status.usable, desired: Status.poisoned, ordering: .relaxed)
    }

    /// The error that the last call on this connection left behind.
    @usableFromInline package func lastError(_ result: Int32, sql: String?) -> SQLiteError {
        SQLiteError(result: result, on: handle, sql: sql)
    }

    /// Closes the handle. In a forked child it only forgets it: closing would run a checkpoint, or
    /// delete the log, under the parent.
    func close() throws(SQLiteError) {
        guard !isClosed else { return }
        guard isOfThisProcess else {
            isClosed = true
            return
        }
        // Not close_v2: a statement that is still alive is a mistake to be told, not to be hidden
        // behind a connection that lives on (https://sqlite.org/c3ref/close.html).
        interruptHandle.disarm()
        let result = sqlite3_close(handle)
        guard result == SQLITE_OK else {
            interruptHandle.rearm(handle)
            throw lastError(result, sql: nil)
        }
        isClosed = true
        status.store(Status.closed, ordering: .relaxed)
    }
}

extension SQLiteError {
    /// Reads the error that the last call on a handle left behind.
    package init(result: Int32, on handle: OpaquePointer?, sql: String?) {
        guard let handle else {
            self.init(result: result, sql: sql)
            return
        }
        let extended = sqlite3_extended_errcode(handle)
        // The handle may have been used for something else since; then only the text is general.
        guard extended & 0xFF == result & 0xFF else {
            self.init(result: result, sql: sql)
            return
        }
        // Texts of the schema reach the message as they are, valid UTF-8 or not; this repairs them.
        let message = sqlite3_errmsg(handle).map { String(cString: $0) } ?? ""
        self.init(
            code: ResultCode(rawValue: extended), message: message, sql: sql,
            systemErrno: Self.usesSystemErrno(extended) ? sqlite3_system_errno(handle) : 0)
    }

    /// Creates an error from a code alone, with SQLite's general text for it.
    package init(result: Int32, sql: String? = nil) {
        let message = sqlite3_errstr(result).map { String(cString: $0) } ?? ""
        self.init(code: ResultCode(rawValue: result), message: message, sql: sql)
    }

    // SQLite sets the number for these two only, and keeps it whatever fails later.
    private static func usesSystemErrno(_ code: Int32) -> Bool {
        switch ResultCode(rawValue: code).primary {
        case .SQLITE_IOERR, .SQLITE_CANTOPEN: true
        default: false
        }
    }
}
