// SPDX-License-Identifier: MIT

import CacheStoreProcess
package import CacheStoreSQLite
package import Foundation

/// A look at a database file that changes nothing: not a byte of the file, of its log or its journal,
/// and no file is made beside it. Also on a medium that cannot be written.
///
/// Which way the file is read depends on what lies beside it, and on whether anybody uses it:
///
/// - Nobody, and no log: SQLite reads it as immutable, without locks.
/// - Nobody, with a log: without locks too, and with the index of the log in memory only.
/// - Nobody, with a journal: SQLite has to roll it back, so it gets a copy in the directory for
///   temporary files.
/// - Somebody: like any other reader, with SQLite's locks. What the user does meanwhile is his.
///
/// Reading without locks blocks nobody; ``hasChanged`` tells whether somebody wrote meanwhile, and
/// then damage that was found may have been a page that was just being written.
///
/// Not for files that this process has open as a store: closing a plain handle on the file would give
/// back SQLite's locks.
package final class FileExamination {
    /// What the file is.
    package enum Kind: Sendable, Hashable {
        case missing
        /// No bytes, or one.
        case empty
        case notADatabase
        /// A database of another application, or of none.
        case foreign
        /// A store in a later format.
        case newer(version: Int32)
        /// A store of this library, whole or not.
        case store
        /// A store that was emptied, and has no tables yet.
        case emptyStore
    }

    /// How the file is read.
    package enum Access: Sendable, Hashable {
        case immutable, withLog, copy, shared
    }

    package let paths: StorePaths
    package private(set) var kind: Kind
    package private(set) var access = Access.immutable
    /// In bytes; of the log and the journal `nil` where there is none.
    package let size: Int64
    package let logSize: Int64?
    package let journalSize: Int64?
    /// Whether another process has a lock of SQLite's on the file.
    package let isInUse: Bool
    let header: DatabaseHeader?
    /// What the store says about itself, where that could be read.
    package private(set) var meta: StoreMeta?
    /// What reads the file; `nil` where that is no database.
    package private(set) var connection: Connection?
    /// Why the database, or what it says about itself, could not be read, though it is damage.
    package private(set) var damage: SQLiteError?
    private let before: FileState
    private var copy: TemporaryCopy?
    /// What ``OpenFileRegistry`` knows of this look.
    private var registered: FileIdentity?

    /// Looks at the file.
    ///
    /// - Throws: ``PersistentStoreError`` with the code `permissionDenied`, `busy`, `noSpace` (for a
    ///   copy), `unavailable` and others that say nothing about the content; `invalidConfiguration`
    ///   for what is no file.
    package init(at path: String, busyTimeout: Duration = .seconds(2)) throws {
        paths = try StorePaths(resolving: URL(filePath: path, directoryHint: .notDirectory))
        before = FileState(paths)
        logSize = FileTree.size(at: paths.log)
        journalSize = FileTree.size(at: paths.journal)
        guard let status = FileTree.status(at: paths.main) else {
            guard errno == ENOENT || errno == ENOTDIR else {
                throw PersistentStoreError(file: FileSystemError("look at", paths.main))
            }
            (kind, size, header, isInUse) = (.missing, 0, nil, false)
            return
        }
        guard status.isRegularFile else {
            throw PersistentStoreError(
                .invalidConfiguration, "It is not a file.", path: paths.main)
        }
        size = Int64(status.st_size)
        let file: RawFile
        let bytes: [UInt8]
        do {
            file = try RawFile(reading: paths.main)
            bytes = try file.read(count: DatabaseHeader.length)
        } catch {
            throw PersistentStoreError(file: error)
        }
        let identity = FileIdentity(status)
        isInUse = OpenFileRegistry.shared.contains(identity) || DatabaseUse.isInUse(file)
        header = DatabaseHeader(bytes)
        let hasJournal = (journalSize ?? 0) > 0
        if size <= 1, !hasJournal {
            kind = .empty
            return
        }
        kind = Self.kind(header, file, size: size, hasMagic: DatabaseHeader.hasMagic(bytes))
        if kind == .notADatabase, !hasJournal { return }
        if case .newer = kind { return }
        if isInUse {
            // The handle above is closed when this ends, which must not cost SQLite its locks.
            OpenFileRegistry.shared.add(identity)
            registered = identity
        }
        try open(hasJournal: hasJournal, busyTimeout: busyTimeout)
    }

    deinit { close() }

    /// Ends the look; a copy that was made is deleted.
    package func close() {
        try? connection?.close()
        connection = nil
        copy = nil
        if let registered { OpenFileRegistry.shared.remove(registered) }
        registered = nil
    }

    /// Whether the file or what lies beside it was written since the look began.
    package var hasChanged: Bool { before != FileState(paths) }

    /// Whether the store was closed by its last session.
    package var isClean: Bool { meta?.isClean ?? false }

    /// Whether a session has seen damage since the store was last checked.
    package var hasDamageMark: Bool { DamageMark.exists(for: paths) }

    package var pageSize: Int? { header?.pageSize }
    package var applicationID: Int32? { header?.applicationID }
    package var formatVersion: Int32? { header?.userVersion }
    package var usesLog: Bool? { header.map { $0.writeVersion == 2 } }

    // MARK: What it is

    private static func kind(
        _ header: DatabaseHeader?, _ file: RawFile, size: Int64, hasMagic: Bool
    ) -> Kind {
        guard let header else {
            // Of a store whose first page is destroyed, the others still say whose they are. What
            // begins like a database, SQLite may be able to read.
            if PageSurvey.hasOurChecksums(file, size: size) { return .store }
            return hasMagic ? .foreign : .notADatabase
        }
        if header.applicationID == StoreMeta.applicationID {
            return header.userVersion > StoreMeta.formatVersion && !header.isSealed
                ? .newer(version: header.userVersion) : .store
        }
        guard header.isSealed else { return .foreign }
        if header.applicationID == 0, header.schemaIsEmpty { return .emptyStore }
        return PageSurvey.hasOurChecksums(file, size: size) ? .store : .foreign
    }

    private func open(hasJournal: Bool, busyTimeout: Duration) throws {
        do {
            let connection = try makeConnection(hasJournal: hasJournal, busyTimeout: busyTimeout)
            self.connection = connection
            // https://sqlite.org/security.html
            try connection.configure(.trustedSchema, false)
            try connection.configure(.defensive, true)
            try connection.configure(.noCheckpointOnClose, true)
            if access == .withLog { try connection.setPragma("locking_mode", to: "EXCLUSIVE") }
            let reading = try StoreMeta.read(from: connection)
            // The journal has been rolled back, and the copy is open.
            copy?.deleteNames()
            switch reading {
            case .ours(let meta):
                kind = .store
                self.meta = meta
            case .newer(let version): kind = .newer(version: version)
            case .empty: if kind == .store { kind = .emptyStore }
            case .foreign: if kind == .emptyStore { kind = .foreign }
            case .incomplete: kind = .store
            }
        } catch let error as SQLiteError {
            switch error.classification {
            case .damaged, .confirmFirst: damage = error
            case .programming where kind == .store: damage = error
            default: throw PersistentStoreError(sqlite: error, path: paths.main)
            }
        }
    }

    private func makeConnection(hasJournal: Bool, busyTimeout: Duration) throws -> Connection {
        if isInUse {
            access = .shared
            try ChecksumVFS.register()
            return try Connection(
                .file(paths.main), mode: .readOnly, vfs: ChecksumVFS.name,
                busyTimeout: busyTimeout)
        }
        if hasJournal {
            access = .copy
            let copy = try TemporaryCopy(of: paths)
            self.copy = copy
            try ChecksumVFS.register()
            return try Connection(.file(copy.path), mode: .readWrite, vfs: ChecksumVFS.name)
        }
        if (logSize ?? 0) > 0 {
            access = .withLog
            // This VFS has no locks and no shared memory: with the exclusive mode, SQLite keeps the
            // index of the log in memory (https://sqlite.org/wal.html#noshm).
            try ChecksumVFS.register(name: Self.unlocked, over: "unix-none")
            return try Connection(.file(paths.main), mode: .readOnly, vfs: Self.unlocked)
        }
        access = .immutable
        try ChecksumVFS.register()
        return try Connection(.file(paths.main), mode: .immutable, vfs: ChecksumVFS.name)
    }

    private static let unlocked = "cachestore-unlocked"

    /// The description of the model that the store was written for.
    package func storedDescription() throws -> Data? {
        guard let connection, meta != nil else { return nil }
        return try StoreMeta.readModel(from: connection)
    }
}

/// Sizes and times of the files of a database, to see whether they change.
private struct FileState: Equatable {
    private struct One: Equatable {
        let inode: UInt64
        let size: Int64
        let seconds: Int
        let nanoseconds: Int
    }
    private let files: [One?]

    init(_ paths: StorePaths) {
        files = [paths.main, paths.log, paths.journal].map { path in
            FileTree.status(at: path).map {
                One(
                    inode: UInt64($0.st_ino), size: Int64($0.st_size),
                    seconds: Int($0.st_mtim.tv_sec), nanoseconds: Int($0.st_mtim.tv_nsec))
            }
        }
    }
}
