// SPDX-License-Identifier: MIT

import CacheStoreProcess
import CacheStoreSQLite
import Foundation

/// One opening of one store: does the actions of the state machine and tells it what came of them.
///
/// Used by the thread that opens, and gone when the store is open.
final class StoreOpening {
    let paths: StorePaths
    let content: any StoreContent
    let options: StoreOptions
    var report: StoreOpenReport

    var lock: FileLock?
    /// Held to heal a store that others have open.
    var writerLock: FileLock?
    var connection: Connection?
    private var registered: FileIdentity?
    var inspection: FileInspection?
    /// What the database file said before the log was replayed over it.
    var metaBeforeReplay: StoreMeta?
    /// Whether the log beside the database belongs to another one.
    var isLogForeign = false
    /// The identities that the file is known to have had, the last one first.
    var lineage: [UUID] = []
    var meta: StoreMeta?
    var usesRollbackJournal = false
    var healingGuard: HealingGuard
    /// Called before each action; for tests that end the process there.
    var willPerform: ((StoreOpeningStateMachine.Action) -> Void)?
    /// Of the step that is being done.
    var detail: String?
    private var lastError: (any Error)?

    init(paths: StorePaths, content: any StoreContent, options: StoreOptions) {
        self.paths = paths
        self.content = content
        self.options = options
        healingGuard = HealingGuard(paths: paths, limit: options.healingLimit)
        report = StoreOpenReport(url: paths.url, newFingerprint: content.fingerprint)
    }

    deinit { closeDatabase() }

    func run(_ machine: StoreOpeningStateMachine) throws -> StoreFile {
        var machine = machine
        var action = machine.start()
        while true {
            switch action {
            case .finish:
                finishReport(machine)
                noteSuccess(machine)
                return try makeFile(machine)
            case .fail(let code):
                finishReport(machine)
                // A store that is damaged as soon as it is made would be made again and again.
                healingGuard.end(isDone: code == .damaged)
                if let lastError { throw lastError }
                throw PersistentStoreError(code, Self.message(for: code), path: paths.main)
            default:
                action = machine.handle(timing(action))
            }
        }
    }

    private func timing(_ action: StoreOpeningStateMachine.Action) -> StoreOpeningStateMachine.Event
    {
        detail = nil
        willPerform?(action)
        let start = ContinuousClock.now
        let event = event(of: action)
        report.steps.append(
            StoreOpenReport.Step(
                name: Self.name(of: action), detail: detail, duration: ContinuousClock.now - start))
        return event
    }

    private func event(of action: StoreOpeningStateMachine.Action) -> StoreOpeningStateMachine.Event
    {
        do {
            let event = try perform(action)
            // What led to putting everything back is what the caller is to hear.
            if action != .putBack { lastError = nil }
            return event
        } catch {
            let error = refusedRead(behind: error) ?? error
            detail = detail ?? PersistentStoreError(wrapping: error).code.description
            lastError = error
            report.underlyingError = report.underlyingError ?? error
            return Self.event(for: error)
        }
    }

    /// What SQLite takes for damage where the system refused to read: nothing is known of the content.
    private func refusedRead(behind error: any Error) -> SQLiteError? {
        guard case .damaged(_) = Self.event(for: error),
            let statistics = try? connection?.checksumStatistics, statistics.refusedReads > 0
        else { return nil }
        return SQLiteError(code: .SQLITE_IOERR_READ, message: "the file cannot be read")
    }

    private static func event(for error: any Error) -> StoreOpeningStateMachine.Event {
        guard let error = error as? SQLiteError else { return .failed }
        switch error.classification {
        case .damaged, .confirmFirst:
            let isDatabase = !(SQLiteError.ResultCode.SQLITE_NOTADB ~= error.code)
            return .damaged(isDatabase: isDatabase)
        default: return .failed
        }
    }

    // MARK: The connection

    func openDatabase(_ mode: Connection.Mode) throws -> Connection {
        closeDatabase()
        try ChecksumVFS.register()
        let new = try Connection(
            .file(paths.main), mode: mode, vfs: ChecksumVFS.name,
            busyTimeout: options.busyTimeout)
        connection = new
        if let identity = FileIdentity(path: paths.main) {
            OpenFileRegistry.shared.add(identity)
            registered = identity
        }
        // Before anything of the file is believed: https://sqlite.org/security.html.
        try new.configure(.trustedSchema, false)
        try new.configure(.defensive, true)
        // Until it is known whose file this is, closing leaves it and its log as they are.
        try new.configure(.noCheckpointOnClose, true)
        return new
    }

    func closeDatabase() {
        // An error would mean a statement is alive, and then the connection closes with that.
        try? connection?.close()
        connection = nil
        if let registered { OpenFileRegistry.shared.remove(registered) }
        registered = nil
    }

    func openConnection() throws -> Connection {
        guard let connection else {
            throw PersistentStoreError(.unavailable, "The store is not open.", path: paths.main)
        }
        return connection
    }

    func settings() -> ConnectionSettings {
        var settings = ConnectionSettings()
        settings.journalMode = usesRollbackJournal ? .delete : .wal
        settings.synchronous = options.synchronous == .full ? .full : .normal
        settings.cacheSizeInKiB = max(64, options.cacheSize / 1024)
        settings.busyTimeout = options.busyTimeout
        settings.reservedBytes = StoreFormat.reservedBytes
        return settings
    }

    // MARK: The end

    private func makeFile(_ machine: StoreOpeningStateMachine) throws -> StoreFile {
        guard let meta, let connection else {
            throw PersistentStoreError(.unavailable, "The store is not open.", path: paths.main)
        }
        let logSize = LogSize(threshold: options.checkpointThreshold / StoreFormat.pageSize)
        var configuration = ConnectionPool.Configuration(path: paths.main)
        configuration.vfs = ChecksumVFS.name
        configuration.mode = options.isReadOnly ? connection.mode : .readWrite
        configuration.writerSettings = settings()
        configuration.readerSettings = settings().forReader
        configuration.maximumReaders = max(1, options.readerCount)
        configuration.timeout = options.busyTimeout
        configuration.prepare = { connection, role in
            if role == .writer { logSize.listen(to: connection.handle) }
        }
        logSize.listen(to: connection.handle)
        let writerLock =
            options.isReadOnly
            ? nil : try FileLock(path: paths.writerLock, recordsHolder: false)
        // Nothing else has the connection: this object lets go of it here, and with it of all
        // statements, which live in its cache.
        nonisolated(unsafe) let writer: Connection? = connection
        self.connection = nil
        let file = StoreFile(
            paths: paths, options: options, identifier: meta.storeIdentifier,
            usesRollbackJournal: usesRollbackJournal,
            pool: ConnectionPool(configuration, writer: writer), logSize: logSize, useLock: lock,
            writerLock: writerLock,
            mayMarkClean: !machine.wasUnclean || machine.verified == .passed
                || machine.outcome == .reset || machine.outcome == .salvaged,
            isWholeFromTheStart: machine.outcome != .reset && machine.outcome != .salvaged,
            isClean: meta.isClean && !machine.hasMigrated)
        if let registered { OpenFileRegistry.shared.remove(registered) }
        registered = nil
        return file
    }

    private func finishReport(_ machine: StoreOpeningStateMachine) {
        report.outcome = machine.outcome
        report.cause = machine.cause
        report.wasUncleanShutdown = machine.wasUnclean
        report.verification = machine.verified
        report.storeIdentifier = meta?.storeIdentifier
        report.wasChangedByAnotherProgram = machine.wasChangedByAnotherProgram
    }

    private func noteSuccess(_ machine: StoreOpeningStateMachine) {
        healingGuard.end(isDone: true)
        if options.isReadOnly || lock == nil { return }
        if machine.outcome != .reset {
            Quarantine(paths: paths, policy: options.quarantine).dropSetsIfDiskIsShort()
        }
        if machine.outcome == .reset && machine.cause == .requested {
            HealingGuard.forget(for: paths)
        } else if machine.verified == .passed {
            healingGuard.noteOpening(lastSessionWasHealthy: machine.wasUnclean)
        }
    }

    func reportInMemory(because error: PersistentStoreError) -> StoreOpenReport {
        var result = report
        result.outcome = .inMemory
        result.underlyingError = error
        result.storeIdentifier = nil
        result.cause = Self.cause(for: error, found: report.cause)
        return result
    }
}
