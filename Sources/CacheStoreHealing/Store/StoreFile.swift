// SPDX-License-Identifier: MIT

import CacheStoreProcess
import CacheStoreSQLite
package import Foundation
import Synchronization

/// A store file that is open: its connections, its locks, and the checks around each use.
///
/// Any thread may call any member. A call blocks its thread, never longer than the busy timeout and
/// its own work take. Errors about the store as a whole are ``PersistentStoreError``; those about a
/// statement or a constraint stay ``SQLiteError``; what a closure throws is passed on.
package final class StoreFile: Sendable {
    enum Phase: Sendable {
        case open
        case closed
        /// Given up, for this reason.
        case failed(PersistentStoreError.Code)
    }

    struct State: Sendable {
        var phase = Phase.open
        /// Whether the clean mark is away, so that closing has to set it.
        var needsMark: Bool
        /// Whether the file was read through since it was opened, and is whole.
        var isScrubbed = false
        /// What ``OpenFileRegistry`` knows of this object.
        var registered: FileIdentity?
    }

    package let paths: StorePaths
    package let options: StoreOptions
    /// The identity of the content; another one after each reset.
    package let identifier: UUID
    /// Whether the directory is one where SQLite's log does not work, so that there is none.
    package let usesRollbackJournal: Bool

    let pool: ConnectionPool
    let logSize: LogSize
    let writerLock: FileLock?
    private let useLock: FileLock?
    /// Whether closing may call the store clean: not if it was left unclean and never checked.
    let mayMarkClean: Bool
    /// Whether opening had nothing to heal.
    private let isWholeFromTheStart: Bool
    let state: Mutex<State>
    /// Whether the phase is `open`: asked at each use, by all threads, without a lock to meet at.
    private let isOpen = Atomic<Bool>(true)

    init(
        paths: StorePaths, options: StoreOptions, identifier: UUID, usesRollbackJournal: Bool,
        pool: ConnectionPool, logSize: LogSize, useLock: FileLock?, writerLock: FileLock?,
        mayMarkClean: Bool, isWholeFromTheStart: Bool, isClean: Bool
    ) {
        self.paths = paths
        self.options = options
        self.identifier = identifier
        self.usesRollbackJournal = usesRollbackJournal
        self.pool = pool
        self.logSize = logSize
        self.useLock = useLock
        self.writerLock = writerLock
        self.mayMarkClean = mayMarkClean
        self.isWholeFromTheStart = isWholeFromTheStart
        state = Mutex(State(needsMark: !isClean))
        guard let file = FileIdentity(path: paths.main) else { return }
        OpenFileRegistry.shared.add(file)
        state.withLock { $0.registered = file }
    }

    deinit {
        // Without a clean close the mark stays away, and the next opening knows.
        unregister()
    }

    private func unregister() {
        let file = state.withLock { state in
            defer { state.registered = nil }
            return state.registered
        }
        if let file { OpenFileRegistry.shared.remove(file) }
    }

    package var url: URL { paths.url }

    /// Throws when the store cannot be used any more.
    func checkUsable() throws {
        if isOpen.load(ordering: .acquiring) { return }
        switch state.withLock({ $0.phase }) {
        case .open: return
        case .closed: throw error(.closed, "The store is closed.")
        case .failed(let code): throw error(code, "The store has been given up.")
        }
    }

    /// Makes every later use fail with a code, in every thread.
    func giveUp(_ code: PersistentStoreError.Code) {
        let isFirst = state.withLock { state in
            guard case .open = state.phase else { return false }
            state.phase = .failed(code)
            isOpen.store(false, ordering: .releasing)
            return true
        }
        if isFirst { pool.invalidate() }
    }

    /// Whether the store can never be used again through this object, though nobody closed it.
    package var isGivenUp: Bool {
        state.withLock { if case .failed = $0.phase { true } else { false } }
    }

    func error(
        _ code: PersistentStoreError.Code, _ message: String, underlying: (any Error)? = nil
    ) -> PersistentStoreError {
        PersistentStoreError(code, message, path: paths.main, underlying: underlying)
    }

    // MARK: Closing

    /// Ends the use of the store. Every later call throws; closing again does nothing.
    ///
    /// - Parameter clean: whether everything was saved as it should be, so that the next opening
    ///   need not check the file. The log is then copied into the file and emptied.
    /// - Throws: ``PersistentStoreError`` with the code `busy` when other threads still used the
    ///   store after the busy timeout, or the first failure of the last steps. The store is closed
    ///   in any case.
    package func close(clean: Bool = true) throws {
        let wasOpen = state.withLock { state in
            guard case .closed = state.phase else {
                let wasOpen = if case .open = state.phase { true } else { false }
                return Optional(wasOpen)
            }
            return nil
        }
        guard let wasOpen else { return }
        var firstError: (any Error)?
        if clean && wasOpen && !needsScrub && !options.isReadOnly {
            do {
                try leaveClean()
                if isWholeFromTheStart { HealingGuard.noteHealthySession(for: paths) }
            } catch {
                if let error = error as? SQLiteError { noteDamage(error) }
                firstError = error
            }
        }
        state.withLock { state in
            // Why it was given up stays the answer: it is what a program can act on.
            if case .open = state.phase { state.phase = .closed }
        }
        do {
            try pool.close(timeout: options.busyTimeout)
            unregister()
        } catch {
            firstError = firstError ?? error
        }
        do { try useLock?.unlock() } catch { firstError = firstError ?? error }
        if let firstError { throw PersistentStoreError(wrapping: firstError, path: paths.main) }
    }

    private func leaveClean() throws {
        guard state.withLock({ $0.needsMark }) else { return }
        try withWriter { connection in
            shrinkIfDue(connection, atMost: 2_048)
            // First everything into the file and onto the disk, then the mark that says so. Readers
            // of other processes may be in the way; then the log stays, which is no harm.
            do throws(SQLiteError) {
                try connection.checkpoint(.truncate)
            } catch  where error.classification != .busy {
                throw error
            } catch {}
            try connection.transaction(.immediate) {
                guard try StoreMeta.isStore(identifier, in: connection) else { throw replaced() }
                try StoreMeta.markClean(in: connection)
                try confirmPlace(of: connection)
            }
        }
    }
}
