// SPDX-License-Identifier: MIT
import Foundation

extension SQLiteError {
    /// What an error says about the store file, and so what may be done about it. Only the first
    /// two ever lead to a repair.
    package enum Classification: Sendable, Hashable, CaseIterable {
        /// The content of the file is damaged.
        case damaged
        /// Perhaps damage, perhaps a passing condition: to be confirmed on a new connection.
        case confirmFirst
        /// Somebody else holds a lock, or a snapshot is too old: to be tried again.
        case busy
        /// The disk, the quota or the database is full.
        case noSpace
        /// Access was refused, or the file or its file system is read-only.
        case permission
        /// Memory or file descriptors ran out.
        case resources
        /// The file or the device cannot be reached or used now.
        case unavailable
        /// A statement or a call is wrong. A schema that is not ours looks like this too: only the
        /// caller, who knows the statement, can tell.
        case programming
        /// A constraint of the schema was violated.
        case constraint
        /// The operation was interrupted or aborted.
        case interrupted
        /// The connection was poisoned, closed or inherited from a parent process.
        case revoked
    }

    /// The classification of this error by its code and, where the code leaves it open, by `errno`.
    package var classification: Classification {
        Classification(code: code, systemErrno: systemErrno)
    }
}

extension SQLiteError.Classification {
    /// Classifies a result code. Pure: the same arguments always give the same answer.
    package init(code: SQLiteError.ResultCode, systemErrno: Int32 = 0) {
        switch code {
        case .connectionPoisoned, .connectionForked, .connectionClosed: self = .revoked
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged
        case .SQLITE_IOERR: self.init(ioError: code, systemErrno: systemErrno)
        case .SQLITE_CANTOPEN: self.init(cannotOpen: code, systemErrno: systemErrno)
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL: self = .busy
        case .SQLITE_FULL: self = .noSpace
        case .SQLITE_READONLY_DBMOVED: self = .unavailable
        case .SQLITE_PERM, .SQLITE_READONLY, .SQLITE_AUTH: self = .permission
        case .SQLITE_NOMEM: self = .resources
        case .SQLITE_CONSTRAINT: self = .constraint
        case .SQLITE_INTERRUPT, .SQLITE_ABORT: self = .interrupted
        case .SQLITE_NOLFS: self = .unavailable
        default: self = .programming
        }
    }

    private init(ioError code: SQLiteError.ResultCode, systemErrno: Int32) {
        switch code {
        case .SQLITE_IOERR_DATA, .SQLITE_IOERR_CORRUPTFS: self = .damaged
        // A short read is a truncated file, or a file that another process is just truncating.
        case .SQLITE_IOERR_SHORT_READ: self = .confirmFirst
        case .SQLITE_IOERR_NOMEM: self = .resources
        case .SQLITE_IOERR_BLOCKED: self = .busy
        case .SQLITE_IOERR_AUTH: self = .permission
        default: self = Self(systemErrno: systemErrno) ?? .unavailable
        }
    }

    private init(cannotOpen code: SQLiteError.ResultCode, systemErrno: Int32) {
        self = Self(systemErrno: systemErrno) ?? .unavailable
    }

    private init?(systemErrno: Int32) {
        switch systemErrno {
        case ENOSPC, EDQUOT, EFBIG: self = .noSpace
        case EACCES, EPERM, EROFS: self = .permission
        case EMFILE, ENFILE, ENOMEM: self = .resources
        default: return nil
        }
    }
}
