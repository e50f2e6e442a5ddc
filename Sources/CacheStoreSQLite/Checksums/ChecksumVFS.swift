// SPDX-License-Identifier: MIT
import CCacheStoreShims
import CCacheStoreSQLite

/// SQLite's access to files, with a checksum for each page.
///
/// A database with ``reservedBytes`` reserved bytes that is opened through it has a checksum of
/// the content and the number of each page in the page itself: written with the page, compared
/// whenever the page is read, and damage is `SQLITE_IOERR_DATA` instead of wrong data. Any other
/// database goes through as it is.
///
/// ```swift
/// try ChecksumVFS.register()
/// let connection = try Connection(.file(path), vfs: ChecksumVFS.name)
/// try connection.setReservedBytes(ChecksumVFS.reservedBytes)  // of a new file
/// ```
package enum ChecksumVFS {
    /// The name to open a connection with.
    package static let name = "cachestore"

    /// What a database must reserve in each page.
    package static let reservedBytes = 8

    /// Registers the VFS. Any thread may call it, and more than once.
    ///
    /// - Parameters:
    ///   - name: another name, for a second one over another base.
    ///   - base: the VFS that does the work; `nil` is SQLite's own.
    /// - Throws: `SQLITE_NOTFOUND` when there is no such base, `SQLITE_MISUSE` when the name stands
    ///   for something else.
    package static func register(
        name: String = ChecksumVFS.name, over base: String? = nil
    ) throws(SQLiteError) {
        let result = cachestore_register_checksum_vfs(name, base)
        guard result == SQLITE_OK else {
            throw SQLiteError(
                code: .init(rawValue: result), message: "the checksum VFS cannot be registered")
        }
    }
}
