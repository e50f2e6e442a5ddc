// SPDX-License-Identifier: MIT

import CacheStoreProcess
package import CacheStoreSQLite
import Foundation
import Synchronization

extension StoreFile {
    /// Calls a closure with a connection that reads one snapshot of the store.
    ///
    /// - Throws: ``PersistentStoreError`` with the codes `closed`, `busy`, `storeReplaced`,
    ///   `forked`, `damaged`, `outOfResources`, `unavailable`.
    package func read<T>(_ body: (Connection) throws -> T) throws -> T {
        try translating {
            try pool.read(timeout: options.busyTimeout) { connection in
                guard try isSameStore(connection) else { throw replaced() }
                return try body(connection)
            }
        }
    }

    /// Calls a closure with a connection that reads, for a single statement: no transaction is opened
    /// around it, which costs more than a statement that finds one row.
    ///
    /// That the store is still the same is asked afterwards, and only if anything was committed since
    /// it was last asked: a store that was replaced never comes back, so what is true after the
    /// statement was true while it ran.
    ///
    /// The closure has no result, which spares the way to a row that is looked up whatever handles one
    /// of any type.
    ///
    /// - Throws: as ``read(_:)``.
    package func readStatement(_ body: (Connection) throws -> Void) throws {
        try translating {
            try pool.readWithoutTransaction(timeout: options.busyTimeout) { connection in
                do {
                    try body(connection)
                    let version = try connection.dataVersion()
                    if connection.notes.pointee.verifiedDataVersion != version {
                        guard try isSameStore(connection) else { throw replaced() }
                        connection.notes.pointee.verifiedDataVersion = version
                    }
                } catch let error as SQLiteError where error.classification == .programming {
                    // A table that is not there: because the store is another one?
                    guard try isSameStore(connection) else { throw replaced() }
                    throw error
                }
            }
        }
    }

    /// Calls a closure in a write transaction, alone of all processes: commits when it returns, rolls
    /// back when it throws. Not inside another `write` of the same thread.
    ///
    /// When this returns, what was written is in the file that is at the store's place.
    ///
    /// - Throws: ``PersistentStoreError`` with the codes `closed`, `busy`, `noSpace`, `readOnly`,
    ///   `storeReplaced`, `storeRemoved`, `forked`, `damaged`, `outOfResources`, `unavailable`.
    package func write<T>(_ body: (Connection) throws -> T) throws -> T {
        if options.isReadOnly { throw error(.readOnly, "The store was opened to be read.") }
        return try translating {
            try withWriter { connection in
                let value = try connection.transaction(.immediate) {
                    guard try isSameStore(connection) else { throw replaced() }
                    try StoreMeta.countWrite(in: connection)
                    let value = try body(connection)
                    try confirmPlace(of: connection)
                    try growForCheckpoint(connection)
                    return value
                }
                // A file may be removed while its commit is being written: then nothing is saved.
                try confirmPlace(of: connection)
                state.withLock { $0.needsMark = true }
                checkpointIfDue(connection)
                return value
            }
        }
    }

    /// Copies the log into the database file, under the lock that keeps all writers out.
    ///
    /// - Throws: ``PersistentStoreError``, with the code `busy` when readers were in the way; what
    ///   could be copied has been.
    @discardableResult
    package func checkpoint(
        _ mode: Connection.CheckpointMode = .passive
    ) throws -> Connection.CheckpointResult {
        try translating {
            try withWriter { connection in
                let result = try connection.checkpoint(mode)
                logSize.didCheckpoint(result)
                return result
            }
        }
    }

    // MARK: Around each use

    /// Calls a closure with the writing connection, under the writer lock of all processes.
    func withWriter<T>(_ body: (Connection) throws -> T) throws -> T {
        try pool.write(timeout: options.busyTimeout) { connection in
            guard let writerLock else { return try body(connection) }
            do throws(FileLockError) {
                try writerLock.lock(.exclusive, timeout: options.busyTimeout)
            } catch {
                // The lock's file cannot be made again where the whole directory is gone.
                try confirmPlace(of: connection)
                throw error
            }
            defer { try? writerLock.unlock() }
            return try body(connection)
        }
    }

    /// Throws when the file that is open is not the one at the store's place any more: a log accepts
    /// writes into a deleted file without an error.
    func confirmPlace(of connection: Connection) throws {
        guard try connection.hasMoved() else { return }
        guard let found = FileIdentity(path: paths.main) else {
            guard errno == ENOENT || errno == ENOTDIR else {
                throw PersistentStoreError(
                    file: FileSystemError("look at", paths.main), path: paths.main)
            }
            throw error(.storeRemoved, "The store file was deleted or moved away.")
        }
        // The question is also answered with yes where it could not be asked.
        guard found != state.withLock({ $0.registered }) else { return }
        throw replaced()
    }

    /// The same where there may be no connection to ask: one that is opened late meets what is at the
    /// place by then, or nothing.
    private func confirmPlaceOfFile(because error: SQLiteError) throws {
        switch error.classification {
        case .damaged, .confirmFirst, .unavailable, .permission: break
        default: return
        }
        guard let own = state.withLock({ $0.registered }) else { return }
        let found = FileIdentity(path: paths.main)
        guard found != own else { return }
        let code: PersistentStoreError.Code = found == nil ? .storeRemoved : .storeReplaced
        giveUp(code)
        throw PersistentStoreError(
            code, "The store file was removed or replaced.", path: paths.main, underlying: error)
    }

    func replaced() -> PersistentStoreError {
        error(.storeReplaced, "The store was reset, or its file replaced, since it was opened.")
    }

    private func isSameStore(_ connection: Connection) throws -> Bool {
        do {
            return try StoreMeta.isStore(identifier, in: connection)
        } catch let error as SQLiteError where error.classification == .programming {
            // No table to ask: somebody is just resetting the store.
            return false
        }
    }

    // A checkpoint that fails costs nothing but a longer log; the write it follows is done.
    private func checkpointIfDue(_ connection: Connection) {
        guard logSize.isCheckpointDue || logIsLargeForTheDisk else { return }
        let isLarge = logSize.isOutOfProportion
        do throws(SQLiteError) {
            let result = try connection.checkpoint(.passive)
            logSize.didCheckpoint(result)
            guard result.isComplete else { return }
            if isLarge { try cutLog(connection) }
        } catch {
            logSize.didCheckpoint(nil)
            noteDamage(error)
        }
        shrinkIfDue(connection, atMost: 256)
    }

    /// Gives the space of a log back that had grown while somebody read an old snapshot.
    private func cutLog(_ connection: Connection) throws(SQLiteError) {
        // All of it is in the database. Who still reads in it is not waited for.
        let timeout = connection.busyTimeout
        connection.busyTimeout = .zero
        defer { connection.busyTimeout = timeout }
        do throws(SQLiteError) {
            try connection.checkpoint(.truncate)
        } catch  where error.classification == .busy {}
    }

    /// Gives the store up if an error says that it is damaged, and sees to it that the next opening
    /// checks it.
    func noteDamage(_ error: SQLiteError) {
        switch error.classification {
        case .damaged, .confirmFirst: break
        default: return
        }
        DamageMark.leave(for: paths, because: error)
        giveUp(.damaged)
    }

    @inline(__always)
    func translating<T>(_ body: () throws -> T) throws -> T {
        try checkUsable()
        do {
            return try body()
        } catch {
            try fail(because: error)
        }
    }

    /// Throws what an error means for the store, and gives the store up where it means that.
    @inline(never)
    private func fail(because error: any Error) throws -> Never {
        switch error {
        case let error as SQLiteError:
            switch error.classification {
            case .programming, .constraint, .interrupted: throw error
            default: break
            }
            // What another file says is nothing about this one.
            try confirmPlaceOfFile(because: error)
            noteDamage(error)
            if error.classification == .noSpace { makeRoom() }
            // After a failed sync the system may call pages clean that never reached the disk, so
            // nothing on these connections is to be trusted (https://lwn.net/Articles/752063/).
            if error.code == .SQLITE_IOERR_FSYNC { giveUp(.unavailable) }
            // Given up by another thread meanwhile: then that reason is the one to tell.
            if error.classification == .revoked { try checkUsable() }
            throw PersistentStoreError(sqlite: error, path: paths.main)
        case let error as FileLockError:
            throw PersistentStoreError(lock: error, path: paths.main)
        case let error as PersistentStoreError:
            if error.code == .storeReplaced || error.code == .storeRemoved { giveUp(error.code) }
            throw error
        default: throw error
        }
    }
}
