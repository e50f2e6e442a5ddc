// SPDX-License-Identifier: MIT

import Foundation

/// Who has a database open, as SQLite's locks on it tell.
enum DatabaseUse {
    /// Where SQLite's locks are, far behind any content: https://sqlite.org/src/file/src/os.h
    /// (`PENDING_BYTE` and what follows, 512 bytes).
    private static let start: off_t = 0x4000_0000
    private static let length: off_t = 512

    /// Whether another process has any lock on the database: a connection that uses a log keeps one
    /// as long as it is open, others while they read or write.
    ///
    /// Asking takes no lock. `false` where the file system has none.
    static func isInUse(_ file: RawFile) -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = start
        lock.l_len = length
        guard fcntl(file.descriptor, F_GETLK, &lock) == 0 else { return false }
        return lock.l_type != Int16(F_UNLCK)
    }
}
