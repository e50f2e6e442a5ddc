// SPDX-License-Identifier: MIT

import CacheStoreProcess
import CacheStoreSQLite
import Foundation

extension StoreOpening {
    func perform(
        _ action: StoreOpeningStateMachine.Action
    ) throws -> StoreOpeningStateMachine.Event {
        switch action {
        case .lock: try takeLock()
        case .lockExclusively: try takeLockExclusively()
        case .lockToHeal: try takeLockToHeal()
        case .inspect: try inspect()
        case .openDatabase: try open()
        case .readMeta: .meta(try readMeta())
        case .verify: .verified(try verify { try $0.quickCheck(maximumProblems: 1) })
        case .verifyDeeply: .verified(try verify { try $0.integrityCheck(maximumProblems: 1) })
        case .seal: try seal()
        case .checkSchema: .schema(isIntact: try checkSchema())
        case .announce(let step, let cause): announce(step, because: cause)
        case .migrate: try migrate()
        case .quarantine: quarantine()
        case .setAside: try setAside()
        case .salvage: try salvage()
        case .reset: try reset()
        case .create: try create()
        case .putBack: try putBack()
        case .shareLock: try shareLock()
        case .finish, .fail: .done
        }
    }

    // MARK: Locks

    private func takeLock() throws -> StoreOpeningStateMachine.Event {
        guard let lock = try makeLock() else { return .locked(isExclusive: false) }
        if try lock.tryLock(.exclusive) { return .locked(isExclusive: true) }
        try lock.lock(.shared, timeout: options.busyTimeout)
        detail = "shared"
        return .locked(isExclusive: false)
    }

    private func takeLockExclusively() throws -> StoreOpeningStateMachine.Event {
        closeDatabase()
        guard let lock = try makeLock() else {
            throw PersistentStoreError(.readOnly, "The lock cannot be taken.", path: paths.main)
        }
        // Given back first: two processes that both wait for the other's share would wait in vain.
        try lock.unlock()
        try lock.lock(.exclusive, timeout: options.busyTimeout)
        return .locked(isExclusive: true)
    }

    private func takeLockToHeal() throws -> StoreOpeningStateMachine.Event {
        closeDatabase()
        guard let lock = try makeLock() else {
            throw PersistentStoreError(.readOnly, "The lock cannot be taken.", path: paths.main)
        }
        try lock.unlock()
        if try lock.tryLock(.exclusive) { return .locked(isExclusive: true) }
        try lock.lock(.shared, timeout: options.busyTimeout)
        let writers = try FileLock(path: paths.writerLock, recordsHolder: false)
        try writers.lock(.exclusive, timeout: options.busyTimeout)
        writerLock = writers
        detail = "beside others"
        return .lockedBesideOthers
    }

    private func makeLock() throws -> FileLock? {
        if let lock { return lock }
        if !options.isReadOnly { try CacheDirectory.create(at: paths.directory) }
        try DirectoryTrust().check(paths.directory)
        do throws(FileLockError) {
            let new = try FileLock(path: paths.lock)
            lock = new
            return new
        } catch {
            // A store on a medium that cannot be written is read without locks: nobody writes it.
            if options.isReadOnly, error.code == .notWritable || error.code == .readOnlyFileSystem {
                detail = "none"
                return nil
            }
            throw error
        }
    }

    private func shareLock() throws -> StoreOpeningStateMachine.Event {
        guard let lock else { return .done }
        defer {
            try? writerLock?.unlock()
            writerLock = nil
        }
        if lock.mode != .shared, try !lock.tryLock(.shared) {
            try lock.lock(.shared, timeout: options.busyTimeout)
        }
        // Changing the mode gives the lock back for a moment.
        let connection = try openConnection()
        guard let meta, try StoreMeta.isStore(meta.storeIdentifier, in: connection),
            try !connection.hasMoved()
        else {
            throw PersistentStoreError(
                .busy, "Another process reset the store at the same time.", path: paths.main)
        }
        return .done
    }

    // MARK: Looking

    private func inspect() throws -> StoreOpeningStateMachine.Event {
        closeDatabase()
        usesRollbackJournal =
            options.fileSystem.map(\.isNetwork)
            ?? (!MountTable.isOnBlockDevice(paths.directory)
                && MountTable.current.fileSystem(at: paths.directory).isNetwork)
        let isAlone = lock?.mode == .exclusive
        let found = try FileInspection(
            of: paths, readsContent: isAlone || writerLock != nil || lock == nil)
        inspection = found
        metaBeforeReplay = nil
        report.lostSaves = 0
        if isAlone, found.hasHotLog {
            // One that cannot be read is SQLite's to complain of.
            let log = try? LogSurvey(path: paths.log, pageSize: found.header?.pageSize)
            report.lostSaves = log?.lostCommits ?? 0
        }
        if found.content == .ours || !isAlone, found.hasHotLog, let identity = found.identity,
            !OpenFileRegistry.shared.contains(identity)
        {
            metaBeforeReplay = readMetaBeforeReplay()
        }
        detail = "\(found.content), \(found.size) bytes"
        return .inspected(found.content)
    }

    // Reading "immutable" looks at the file alone (https://sqlite.org/uri.html#uriimmutable). What
    // cannot be read this way may be whole with its log, so no error counts here.
    private func readMetaBeforeReplay() -> StoreMeta? {
        guard (try? ChecksumVFS.register()) != nil,
            let connection = try? Connection(
                .file(paths.main), mode: .immutable, vfs: ChecksumVFS.name),
            case .ours(let meta)? = try? StoreMeta.read(from: connection)
        else { return nil }
        return meta
    }

    private func open() throws -> StoreOpeningStateMachine.Event {
        var mode = Connection.Mode.readWrite
        if options.isReadOnly {
            // A log cannot be read where its index cannot be written, and an empty one need not be.
            let isWritable = access(paths.directory, W_OK) == 0
            mode = isWritable || inspection?.hasHotLog == true ? .readOnly : .immutable
        }
        _ = try openDatabase(mode)
        return .opened
    }

    private func readMeta() throws -> StoreOpeningStateMachine.Meta {
        let connection = try openConnection()
        let reading: StoreMeta.Reading
        do {
            reading = try StoreMeta.read(from: connection)
        } catch let error as SQLiteError where error.classification == .programming {
            // Our mark, but not our table.
            return .inconsistent
        }
        switch reading {
        case .empty: return .empty
        case .foreign: return .foreign
        case .newer: return .newer
        case .incomplete: return .inconsistent
        case .ours(let meta):
            if report.rowsKept == nil {
                // Else this is what was salvaged, not what was found.
                report.oldStoreIdentifier = meta.storeIdentifier
                report.oldFingerprint = meta.fingerprint
            }
            lineage = meta.lineage
            if let before = metaBeforeReplay, !meta.continues(before) {
                detail = "the log belongs to another store"
                isLogForeign = true
                report.oldStoreIdentifier = before.storeIdentifier
                lineage = before.lineage
                return .inconsistent
            }
            self.meta = meta
            if lock?.mode == .exclusive || writerLock != nil {
                // Of a process that was killed. Nobody needs them: there is a store.
                try? StoreSalvage.removeRemains(of: paths)
            }
            connection.clearStatementCache()
            try settings().apply(to: connection)
            if report.lostSaves > 0, !options.isReadOnly {
                // The next log begins anew: what is left of this one would be counted again.
                _ = try? connection.checkpoint(.truncate)
            }
            return .ours(
                fingerprintMatches: meta.fingerprint == content.fingerprint,
                isClean: meta.isClean, doubt: try doubt(about: connection))
        }
    }

    private func checkSchema() throws -> Bool {
        let connection = try openConnection()
        do {
            return try connection.transaction(.deferred) {
                try content.schemaIsIntact(in: connection)
            }
        } catch let error as SQLiteError where error.classification == .programming {
            return false
        }
    }
}

extension StoreMeta {
    /// Whether a log with this content can belong to the file that had the other.
    fileprivate func continues(_ before: StoreMeta) -> Bool {
        if before.storeIdentifier == storeIdentifier { return before.writeCount <= writeCount }
        return formerIdentifiers.contains(before.storeIdentifier)
    }
}
