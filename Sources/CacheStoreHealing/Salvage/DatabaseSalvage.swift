// SPDX-License-Identifier: MIT

import CacheStoreSQLite

/// Takes the rows of a damaged database over into a new one.
///
/// ```swift
/// let report = try DatabaseSalvage().run(from: "/…/old.sqlite", to: "/…/new.sqlite")
/// ```
///
/// The file, and its log or journal, are read page by page, without SQLite
/// (Documentation/Decisions/0008-salvage.md says why):
/// 1. Look at every page: which tree it is part of, whether its checksum fits, whether it is free.
/// 2. Read the definitions of tables, from `sqlite_schema`, or where that is gone from the copy that
///    stores have, or from what the caller expects. Make the tables in the new database.
/// 3. Find the pages of each table: from its root down, and from pages that nothing leads to any
///    more up.
/// 4. Copy the rows that can be read, the proven ones first: what is doubtful never replaces them.
/// 5. Estimate what was lost. Make the indexes, views and triggers.
///
/// It works on any SQLite file. In one without checksums nothing proves that a row is as it was, and
/// all rows are doubtful.
package struct DatabaseSalvage: Sendable {
    /// What the database should have, for when it does not say so itself any more.
    package var expectedSchema: [SchemaObject] = []
    /// Whether the write-ahead log beside the file belongs to it.
    package var readsLog = true
    /// Indexes whose entries the report is to have as well.
    package var indexesToRead: [String] = []
    /// Whether rows of tables that are not known any more get tables of their own, named
    /// `salvaged_1` and so on, with columns `c0` and so on.
    package var keepsUnknownRows = true

    /// Whether the new database is to be a store of this library, with checksums, whatever the old
    /// one was.
    var makesStore = false

    package init() {}

    /// Reads a database and writes what is left of it into a new file, in the same format.
    ///
    /// The old files are only read. Nobody may write them meanwhile, and this process may not have
    /// them open through SQLite. Costs two reads of the whole file and a write of what is found.
    ///
    /// What a transaction has written that a process left in the middle is not taken over: the pages
    /// are read that its rollback journal has.
    ///
    /// - Parameters:
    ///   - path: the damaged database; its log and its journal are looked for beside it.
    ///   - new: where the new database goes. Deleted again where this throws.
    /// - Returns: what was kept and what was lost.
    /// - Throws: ``PersistentStoreError`` with the codes `damaged` when nothing in the file is a
    ///   table of a database, `invalidConfiguration` when there is a file at the new place,
    ///   `noSpace`, `permissionDenied`, `unavailable`, `outOfResources`.
    package func run(from path: String, to new: String) throws -> SalvageReport {
        guard FileTree.status(at: new) == nil else {
            throw PersistentStoreError(
                .invalidConfiguration, "There is a file already where the new one should go.",
                path: new)
        }
        do {
            guard let image = try DatabaseImage(reading: path, readsLog: readsLog) else {
                throw Self.nothing(in: path)
            }
            let run = try SalvageRun(self, image)
            guard run.hasContent else { throw Self.nothing(in: path) }
            return try run.write(to: new)
        } catch {
            for suffix in ["", "-journal", "-wal", "-shm", "-sums"] {
                try? FileTree.remove(new + suffix)
            }
            throw PersistentStoreError(wrapping: error, path: path)
        }
    }

    private static func nothing(in path: String) -> PersistentStoreError {
        PersistentStoreError(.damaged, "Nothing in the file is a table of a database.", path: path)
    }
}
