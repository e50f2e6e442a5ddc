// SPDX-License-Identifier: MIT

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A failure to take or keep the lock of a file.
///
/// That another process has the lock is no error, until the time to wait for it is over.
public struct FileLockError: Error, Sendable {
    /// The kind of a ``FileLockError``.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String, Sendable {
            case timedOut, lockLost, forked, notARegularFile, notWritable, readOnlyFileSystem
            case noSpace, unsupported, system
        }

        private let kind: Kind

        /// Others had the lock until the time to wait was over.
        public static let timedOut = Code(kind: .timedOut)
        /// A change from shared to exclusive failed, and another process took the lock meanwhile.
        public static let lockLost = Code(kind: .lockLost)
        /// The lock was made by the parent of this process.
        public static let forked = Code(kind: .forked)
        /// A symbolic link, a directory or a device has the name of the lock file.
        public static let notARegularFile = Code(kind: .notARegularFile)
        /// The permissions do not let this process open the lock file.
        public static let notWritable = Code(kind: .notWritable)
        /// The lock file does not exist, and the file system is mounted read-only.
        public static let readOnlyFileSystem = Code(kind: .readOnlyFileSystem)
        /// The disk or the quota is full.
        public static let noSpace = Code(kind: .noSpace)
        /// The file system has no locks.
        public static let unsupported = Code(kind: .unsupported)
        /// Another failure of a system call; ``FileLockError/systemErrorNumber`` says which.
        public static let system = Code(kind: .system)

        /// The name of the code.
        public var description: String { kind.rawValue }

        /// Returns whether an error is a ``FileLockError`` with this code.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? FileLockError)?.code == code
        }
    }

    /// What went wrong.
    public let code: Code
    /// A sentence for a log or a person.
    public let message: String
    /// The path of the lock file.
    public let path: String
    /// The `errno` of the system call that failed, where one did.
    public let systemErrorNumber: Int32?

    package init(
        _ code: Code, _ message: String, path: String, systemErrorNumber: Int32? = nil
    ) {
        self.code = code
        self.message = message
        self.path = path
        self.systemErrorNumber = systemErrorNumber
    }

    /// Creates the error for a system call that failed.
    init(systemErrorNumber number: Int32, doing action: String, at path: String) {
        let code: Code =
            switch number {
            case EACCES, EPERM: .notWritable
            case ELOOP, EISDIR, ENXIO: .notARegularFile
            case EROFS: .readOnlyFileSystem
            case ENOSPC, EDQUOT: .noSpace
            case ENOLCK, EOPNOTSUPP, ENOSYS: .unsupported
            default: .system
            }
        self.init(
            code, "Cannot \(action) \(path): \(SystemCall.describe(number))", path: path,
            systemErrorNumber: number)
    }
}

extension FileLockError: CustomStringConvertible {
    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
