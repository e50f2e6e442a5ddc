// SPDX-License-Identifier: MIT

import CacheStoreSQLite

/// Gives a store file, whatever it has, the content of another one: in place, as one transaction of
/// SQLite's, so that it has either the old content or the new one. Only under the store's exclusive
/// lock, or under the lock that keeps writers out.
struct StoreReplacement {
    /// What empties the store where SQLite cannot write over what is there.
    let reset: StoreReset
    /// Called before each of the at most two tries to copy; for tests that let one fail, or end the
    /// process there.
    var willCopy: ((_ isEmpty: Bool) throws -> Void)?

    /// - Parameter keep: called before the store is emptied: from then on the new one is all there is.
    /// - Throws: ``SQLiteError``; then the store is as it was, or empty where SQLite could not write
    ///   over the old content.
    func replace(by new: String, keep: () throws -> String) throws {
        do {
            try willCopy?(false)
            try copy(from: new)
        } catch let error as SQLiteError {
            switch error.classification {
            case .busy, .noSpace, .permission, .resources: throw error
            default: break
            }
            let kept = try keep()
            _ = try reset.empty()
            try willCopy?(true)
            try copy(from: kept)
        }
    }

    private func copy(from new: String) throws {
        if reset.isShared, reset.usesLog, FileTree.size(at: reset.paths.main) ?? 0 > 0 {
            try reset.makeFirstPageReadable()
        }
        try ChecksumVFS.register()
        let connection = try Connection(
            .file(reset.paths.main), vfs: ChecksumVFS.name, busyTimeout: reset.busyTimeout)
        // As for a reset: what is there is not to be believed, not even its first page.
        try connection.setsChecksumVerification(false)
        try? connection.execute(sql: "SELECT count(*) FROM sqlite_schema")
        try connection.configure(.resetDatabase, true)
        let source = try Connection(.file(new), mode: .readOnly, vfs: ChecksumVFS.name)
        try source.copy(to: connection)
        try source.close()
        try connection.configure(.resetDatabase, false)
        try connection.setsChecksumVerification(true)
        try connection.resetPageCache()
        // Empties the log as well.
        do {
            try connection.sealPages()
        } catch let error as SQLiteError where reset.isShared && error.classification == .busy {
            // Somebody still reads the old content; as after a reset.
            return try connection.close()
        }
        guard try connection.checksumStatistics?.writer == .sealed else {
            throw SQLiteError(code: .SQLITE_CORRUPT, message: "the pages got no checksums")
        }
        try connection.close()
    }
}
