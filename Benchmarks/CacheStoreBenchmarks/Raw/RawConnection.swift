// SPDX-License-Identifier: MIT

import CCacheStoreSQLite
import Foundation

/// A connection of the rival, with the settings that a store of ours has.
///
/// A log of 1,024 pages is copied into the file at the commit that finds it so long: ours does that
/// as well, inside the save.
final class RawConnection {
    private let pointer: OpaquePointer

    static func path(in folder: URL) -> String { folder.appendingPathComponent("raw.sqlite").path }

    /// - Parameter cacheSize: the page cache in KiB.
    init(path: String, cacheSize: Int = 65_536) throws {
        let isNew = access(path, F_OK) != 0
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close(opened)
            throw BenchmarkError("\(path) cannot be opened")
        }
        pointer = opened
        sqlite3_busy_timeout(pointer, 5_000)
        try execute(
            """
            \(isNew ? "PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL;" : "")
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = NORMAL;
            PRAGMA cache_size = -\(cacheSize);
            PRAGMA wal_autocheckpoint = 1024;
            PRAGMA temp_store = MEMORY;
            PRAGMA cell_size_check = ON;
            PRAGMA secure_delete = FAST;
            CREATE TABLE IF NOT EXISTS metadata (version INTEGER NOT NULL);
            """)
    }

    // Fails only while a statement is in use, and then the connection leaks.
    deinit { sqlite3_close(pointer) }

    func prepare(_ sql: String) throws -> RawStatement { try RawStatement(pointer, sql) }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(pointer, sql, nil, nil, nil) == SQLITE_OK else {
            throw BenchmarkError(String(cString: sqlite3_errmsg(pointer)))
        }
    }

    /// Runs a closure in a transaction.
    func transaction(_ body: () throws -> Void) throws {
        try execute("BEGIN IMMEDIATE")
        try body()
        try execute("COMMIT")
    }

    /// Makes the tables where there are none.
    func create(_ sql: String) throws {
        guard try !prepare("SELECT 1 FROM metadata").step() else { return }
        try execute(sql)
        try execute("INSERT INTO metadata VALUES (1)")
    }

    /// Brings everything into the database file.
    func checkpoint() throws { try execute("PRAGMA wal_checkpoint(TRUNCATE)") }
}
