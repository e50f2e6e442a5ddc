// SPDX-License-Identifier: MIT

package import CacheStoreProcess
package import CacheStoreSQLite

extension PersistentStoreError {
    /// Creates the error of a store for an error of SQLite.
    package init(sqlite error: SQLiteError, path: String? = nil) {
        let (code, message): (Code, String) =
            switch error.classification {
            case .damaged, .confirmFirst: (.damaged, "The store file is damaged.")
            case .busy: (.busy, "The store is in use by another process or thread.")
            case .noSpace: (.noSpace, "There is no space left for the store.")
            case .permission: Self.permission(error)
            case .resources: (.outOfResources, "Memory or file handles ran out.")
            case .unavailable: Self.unavailable(error)
            case .revoked: Self.revoked(error)
            case .programming, .constraint, .interrupted:
                (.sqlite, "SQLite refused an operation of the store.")
            }
        self.init(code, message, path: path, underlying: error)
    }

    /// Creates the error of a store for a lock that cannot be had.
    package init(lock error: FileLockError, path: String? = nil) {
        let (code, message): (Code, String) =
            switch error.code {
            case .timedOut, .lockLost: (.busy, "The store is in use by another process.")
            case .forked: (.forked, "The store was opened by the parent of this process.")
            case .notARegularFile:
                (.unavailable, "Something that is not a file is where the lock should be.")
            case .notWritable: (.permissionDenied, "The directory of the store is not writable.")
            case .readOnlyFileSystem: (.readOnly, "The file system of the store is read-only.")
            case .noSpace: (.noSpace, "There is no space left for the lock of the store.")
            default: (.unavailable, "The lock of the store cannot be used.")
            }
        self.init(code, message, path: path, underlying: error)
    }

    /// Creates the error of a store for its directory.
    package init(directory error: DirectoryError, path: String? = nil) {
        let code: Code =
            switch error.code {
            case .notAbsolute, .invalidPathComponent: .invalidConfiguration
            case .notWritable, .untrustedOwner, .worldWritable: .permissionDenied
            case .readOnlyFileSystem: .readOnly
            case .noSpace: .noSpace
            default: .unavailable
            }
        self.init(
            code, "The directory of the store cannot be used: \(error.message)", path: path,
            underlying: error)
    }

    /// Makes an error of a store of any error that opening or using its file can give.
    package init(wrapping error: any Error, path: String? = nil) {
        switch error {
        case let error as PersistentStoreError: self = error
        case let error as SQLiteError: self.init(sqlite: error, path: path)
        case let error as FileLockError: self.init(lock: error, path: path)
        case let error as DirectoryError: self.init(directory: error, path: path)
        case let error as FileSystemError: self.init(file: error, path: path)
        default:
            self.init(
                .unavailable, "An operation of the store failed.", path: path, underlying: error)
        }
    }

    private static func permission(_ error: SQLiteError) -> (Code, String) {
        if .SQLITE_READONLY ~= error.code { return (.readOnly, "The store can only be read.") }
        return (.permissionDenied, "The permissions do not allow the access to the store.")
    }

    private static func unavailable(_ error: SQLiteError) -> (Code, String) {
        if error.code == .SQLITE_READONLY_DBMOVED {
            return (.storeRemoved, "The store file was moved or deleted while it was open.")
        }
        return (.unavailable, "The store file cannot be read or written.")
    }

    private static func revoked(_ error: SQLiteError) -> (Code, String) {
        switch error.code {
        case .connectionForked: (.forked, "The store was opened by the parent of this process.")
        case .connectionPoisoned: (.storeReplaced, "The content of the store was replaced.")
        default: (.closed, "The store is closed.")
        }
    }
}
