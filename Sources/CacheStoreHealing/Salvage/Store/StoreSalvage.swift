// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation

/// Makes a whole store of what a damaged one still has. Only under the store's exclusive lock, or
/// under the lock that keeps writers out, with the store closed.
///
/// 1. Salvage the rows into a new file beside the store.
/// 2. Make that a store: give it a new identity, empty references to lost rows.
/// 3. Copy it over the old one, in place and in one transaction.
///
/// Whatever ends the process meanwhile, the store's file is either as it was, which the next opening
/// finds damaged, or the new store. Where SQLite does not write over the old content, the store has to
/// be emptied first: then the new one is kept beside it under another name, ``StorePaths/salvaged``,
/// and who would create a store in the place of the empty one finishes the copy instead.
struct StoreSalvage {
    let paths: StorePaths
    let content: any StoreContent
    let busyTimeout: Duration
    /// Whether the log beside the store belongs to another one.
    var isLogForeign = false
    /// Whether others have the store open.
    var isShared = false
    /// Whether those others have a log.
    var usesLog = true
    /// The identities that the file is known to have had, the last one first.
    var lineage: [UUID] = []
    /// See ``StoreReplacement``.
    var willCopy: ((_ isEmpty: Bool) throws -> Void)?

    /// - Throws: ``Unmigratable`` and ``PersistentStoreError`` with the code `damaged` where there is
    ///   nothing to make a store of; other errors where it could not be done now.
    func perform() throws -> SalvageReport {
        let new = paths.salvage
        try Self.removeRemains(of: paths)
        // Where the store is empty by then, the complete one stays.
        defer { try? Self.removeRemains(of: paths, keepsComplete: true) }
        var salvage = DatabaseSalvage()
        salvage.expectedSchema = try Self.expectedSchema(of: content)
        salvage.readsLog = !isLogForeign
        salvage.indexesToRead = content.indexesForRepair
        salvage.keepsUnknownRows = false
        salvage.makesStore = true
        var report = try salvage.run(from: paths.main, to: new)
        try makeStore(at: new, &report)
        if isLogForeign { try StoreReset.removeSideFiles(of: paths) }
        try replacement.replace(by: new) {
            try FileTree.synchronize(new)
            try FileTree.rename(new, to: paths.salvaged)
            FileTree.synchronizeDirectory(paths.directory)
            return paths.salvaged
        }
        try Self.removeRemains(of: paths)
        return report
    }

    private var replacement: StoreReplacement {
        let reset = StoreReset(
            paths: paths, busyTimeout: busyTimeout, isShared: isShared, usesLog: usesLog)
        return StoreReplacement(reset: reset, willCopy: willCopy)
    }

    /// Copies what a process had salvaged that ended before it could do so itself. Only where the
    /// store is empty or missing.
    ///
    /// - Returns: whether there was something to copy. What is damaged is deleted, for then there is
    ///   nothing.
    /// - Throws: what says nothing about the files; then they are left for another time.
    func finish() throws -> Bool {
        guard try FileTree.sizeIfThere(at: paths.salvaged) != nil else { return false }
        // Twice, since what looks damaged may be a page that the system did not read this time.
        for _ in 0..<2 {
            do {
                try replacement.replace(by: paths.salvaged) { paths.salvaged }
                try Self.removeRemains(of: paths)
                return true
            } catch {
                guard PersistentStoreError(wrapping: error).code == .damaged else { throw error }
            }
        }
        try Self.removeRemains(of: paths)
        return false
    }

    /// Deletes what a process left that was killed while it salvaged.
    static func removeRemains(of paths: StorePaths, keepsComplete: Bool = false) throws {
        for place in keepsComplete ? [paths.salvage] : [paths.salvage, paths.salvaged] {
            for suffix in ["", "-journal", "-wal", "-shm", "-sums"] {
                let path = place + suffix
                if FileTree.status(at: path) != nil { try FileTree.remove(path) }
            }
        }
    }

    /// The schema that a new store of this content has, with the places of its tables.
    static func expectedSchema(of content: any StoreContent) throws -> [SchemaObject] {
        let connection = try Connection(.memory)
        try connection.setPragma("page_size", to: .integer(Int64(StoreFormat.pageSize)))
        try connection.setReservedBytes(StoreFormat.reservedBytes)
        try connection.setPragma("auto_vacuum", to: "INCREMENTAL")
        try connection.transaction(.immediate) {
            try StoreMeta.create(in: connection, identifier: UUID(), content: content)
            try content.createSchema(in: connection)
            try StoreMeta.copySchema(in: connection)
        }
        return try SchemaObject.all(in: connection)
    }

    private func makeStore(at path: String, _ report: inout SalvageReport) throws {
        let connection = try Connection(.file(path), mode: .readWrite, vfs: ChecksumVFS.name)
        try connection.configure(.trustedSchema, false)
        try connection.setPragma("synchronous", to: "OFF")
        let repair = try connection.transaction(.immediate) {
            let model = try StoreMeta.modelOfSalvaged(in: connection)
            let repair = try content.repairSalvaged(
                in: connection, from: model ?? content.storedDescription,
                entries: report.indexEntries)
            connection.clearStatementCache()
            try StoreMeta.restore(in: connection, for: content, replacing: lineage)
            connection.clearStatementCache()
            try StoreMeta.copySchema(in: connection)
            return repair
        }
        try connection.close()
        for (table, count) in repair.emptied { report.tables[table]?.move(count, to: \.repaired) }
        for (table, count) in repair.removed { report.tables[table]?.move(count, to: \.lost) }
    }
}
