// SPDX-License-Identifier: MIT
import CCacheStoreSQLite

/// What can be asked of the file under the main database
/// (https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html).
extension Connection {
    /// Returns whether the path leads to another file by now, or to none. A system call.
    package func hasMoved() throws(SQLiteError) -> Bool {
        var moved: Int32 = 0
        // A database in memory has no file that could move.
        return try fileControl(SQLITE_FCNTL_HAS_MOVED, &moved) && moved != 0
    }

    /// Returns a number that changes when the content was changed by a commit, of this connection
    /// or any other.
    package func dataVersion() throws(SQLiteError) -> UInt32 {
        var version: UInt32 = 0
        _ = try fileControl(SQLITE_FCNTL_DATA_VERSION, &version)
        return version
    }

    /// Returns how many bytes at the end of each page SQLite leaves alone.
    package func reservedBytes() throws(SQLiteError) -> Int {
        var count: Int32 = -1
        _ = try fileControl(SQLITE_FCNTL_RESERVE_BYTES, &count)
        return Int(count)
    }

    /// Sets the reserved bytes for a new file, or for the next `VACUUM`.
    package func setReservedBytes(_ count: Int) throws(SQLiteError) {
        guard (0...255).contains(count) else {
            throw SQLiteError(code: .SQLITE_RANGE, message: "0 to 255 bytes can be reserved")
        }
        var count = Int32(count)
        _ = try fileControl(SQLITE_FCNTL_RESERVE_BYTES, &count)
    }

    /// Returns whether the log stays when the last connection closes.
    package func persistsWAL() throws(SQLiteError) -> Bool {
        var value: Int32 = -1
        return try fileControl(SQLITE_FCNTL_PERSIST_WAL, &value) && value != 0
    }

    package func setPersistsWAL(_ persists: Bool) throws(SQLiteError) {
        var value: Int32 = persists ? 1 : 0
        _ = try fileControl(SQLITE_FCNTL_PERSIST_WAL, &value)
    }

    /// Returns how many bytes of the file SQLite may map into memory
    /// (https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntlmmapsize).
    package func mappingLimit() throws(SQLiteError) -> Int64 {
        // Asks; and a file that knows nothing of it is never mapped.
        var limit: Int64 = -1
        return try fileControl(SQLITE_FCNTL_MMAP_SIZE, &limit) ? limit : 0
    }

    /// Lets the file grow in steps of a size, against fragments; 0 turns it off.
    package func setChunkSize(_ bytes: Int) throws(SQLiteError) {
        var bytes = Int32(clamping: max(0, bytes))
        _ = try fileControl(SQLITE_FCNTL_CHUNK_SIZE, &bytes)
    }

    /// Makes the file at least so long, with its blocks on the disk.
    package func grow(to bytes: Int64) throws(SQLiteError) {
        // SQLite grows a file ahead only where a chunk size is set; a page changes nothing else.
        try setChunkSize(4096)
        var bytes = bytes
        _ = try fileControl(SQLITE_FCNTL_SIZE_HINT, &bytes)
        try setChunkSize(0)
    }

    /// Forgets the pages in memory, so that the next read comes from the file.
    package func resetPageCache() throws(SQLiteError) {
        try state.check()
        try confirm(sqlite3_file_control(state.handle, "main", SQLITE_FCNTL_RESET_CACHE, nil))
    }

    /// Returns `false` where the file does not know the operation.
    func fileControl<T: BitwiseCopyable>(
        _ operation: Int32, _ argument: inout T
    ) throws(SQLiteError) -> Bool {
        try state.check()
        // No name stands for the main database, and is not looked up
        // (https://sqlite.org/c3ref/file_control.html).
        let result = withUnsafeMutablePointer(to: &argument) {
            sqlite3_file_control(state.handle, nil, operation, $0)
        }
        if result == SQLITE_NOTFOUND { return false }
        try confirm(result)
        return true
    }

    private func confirm(_ result: Int32) throws(SQLiteError) {
        guard result == SQLITE_OK else { throw SQLiteError(result: result) }
    }
}
