// SPDX-License-Identifier: MIT

import CacheStoreProcess
import Foundation

/// What can be told about a store without SQLite.
///
/// The content is read only while this process holds the store's lock exclusively and
/// ``OpenFileRegistry`` knows of no connection to the file: see ``RawFile`` for why. Who joins a
/// store that others use gets the sizes and owners only; the others have looked inside.
struct FileInspection: Sendable {
    enum Content: Sendable, Hashable {
        case missing
        /// No bytes, a single byte, or a database without any table that nobody claims.
        case empty
        case notADatabase
        /// Of another application.
        case foreign
        /// Of this library, in a later format.
        case newer(version: Int32)
        case ours
        /// Not looked at, or not to be told before SQLite has recovered the file.
        case unknown
    }

    var content: Content = .unknown
    var size: Int64 = 0
    var header: DatabaseHeader?
    var logSize: Int64?
    var journalSize: Int64?
    var hasSharedMemory = false
    var identity: FileIdentity?

    /// Whether a log has to be replayed before the file says what it has.
    var hasHotLog: Bool { (logSize ?? 0) > 0 }
    var hasHotJournal: Bool { (journalSize ?? 0) > 0 }

    /// - Throws: ``PersistentStoreError`` with the code `unavailable` for what is not a file,
    ///   `permissionDenied` for files of another user.
    init(of paths: StorePaths, readsContent: Bool) throws {
        let log: stat?
        let journal: stat?
        do {
            log = try FileTree.statusIfThere(at: paths.log)
            journal = try FileTree.statusIfThere(at: paths.journal)
        } catch {
            throw PersistentStoreError(file: error, path: paths.main)
        }
        logSize = log?.fileSize
        journalSize = journal?.fileSize
        let sharedMemory = FileTree.status(at: paths.sharedMemory)
        hasSharedMemory = sharedMemory?.isRegularFile == true
        let main = FileTree.status(at: paths.main)
        let failure = errno
        try Self.checkOwner(of: paths.main, main)
        try Self.checkOwner(of: paths.log, log)
        try Self.checkOwner(of: paths.journal, journal)
        try Self.checkOwner(of: paths.sharedMemory, sharedMemory)
        guard let status = main else {
            guard failure == ENOENT else {
                throw PersistentStoreError(
                    file: FileSystemError("look at", paths.main, number: failure),
                    path: paths.main)
            }
            content = .missing
            return
        }
        guard status.isRegularFile else {
            throw PersistentStoreError(
                .unavailable, "What is at the place of the store is not a file.", path: paths.main)
        }
        size = Int64(status.st_size)
        identity = FileIdentity(status)
        if size <= 1 {
            // With a journal beside it the file may have been cut off in the middle of a rollback.
            content = hasHotJournal ? .unknown : .empty
        } else if readsContent, let identity, !OpenFileRegistry.shared.contains(identity) {
            let bytes = try RawFile(reading: paths.main).read(count: DatabaseHeader.length)
            header = DatabaseHeader(bytes)
            content = classification
        }
    }

    private var classification: Content {
        // A journal holds the older, valid pages: only SQLite knows which count.
        if hasHotJournal { return .unknown }
        guard let header else { return .notADatabase }
        let version = header.userVersion
        let isNewer = version > StoreMeta.formatVersion
        if header.applicationID == StoreMeta.applicationID && !isNewer { return .ours }
        // Whose it is, is told by a page that has a checksum: nobody's file is moved away because
        // of a damaged number.
        if header.isSealed { return .unknown }
        if header.applicationID == StoreMeta.applicationID { return .newer(version: version) }
        if header.applicationID != 0 { return .foreign }
        // Left by a reset or a creation that was killed between its two transactions.
        if header.schemaIsEmpty { return hasHotLog ? .unknown : .empty }
        return .foreign
    }

    // What another user owns, that user can write at any time, a log also into the store.
    private static func checkOwner(of path: String, _ status: stat?) throws {
        guard let status else { return }
        guard status.st_uid == geteuid() || status.st_uid == 0 || geteuid() == 0 else {
            throw PersistentStoreError(
                .permissionDenied, "A file of the store belongs to user \(status.st_uid): \(path)",
                path: path)
        }
    }
}
