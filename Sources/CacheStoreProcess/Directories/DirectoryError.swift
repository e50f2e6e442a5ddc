// SPDX-License-Identifier: MIT

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A directory that cannot be found, made, or trusted.
///
/// The message names the path and the reason; it never holds anything stored in the directory.
public struct DirectoryError: Error, Sendable {
    /// The kind of a ``DirectoryError``.
    ///
    /// Codes are compared in `catch` clauses: `catch DirectoryError.Code.noSpace { … }`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String, Sendable {
            case notAbsolute, noHomeDirectory, invalidPathComponent, notWritable, notADirectory
            case untrustedOwner, worldWritable, readOnlyFileSystem, noSpace, system
        }

        private let kind: Kind

        /// A path that must be absolute is relative, empty, or no file path at all.
        public static let notAbsolute = Code(kind: .notAbsolute)
        /// Neither the environment nor the password database names a home directory.
        public static let noHomeDirectory = Code(kind: .noHomeDirectory)
        /// A name cannot be used as one component of a path.
        public static let invalidPathComponent = Code(kind: .invalidPathComponent)
        /// The permissions do not let this process write.
        public static let notWritable = Code(kind: .notWritable)
        /// Something that is not a directory is in the way.
        public static let notADirectory = Code(kind: .notADirectory)
        /// The directory belongs to another user, who could replace its content.
        public static let untrustedOwner = Code(kind: .untrustedOwner)
        /// Other users may write to the directory.
        public static let worldWritable = Code(kind: .worldWritable)
        /// The file system is mounted read-only.
        public static let readOnlyFileSystem = Code(kind: .readOnlyFileSystem)
        /// The disk or the quota is full.
        public static let noSpace = Code(kind: .noSpace)
        /// Another failure of a system call; ``DirectoryError/systemErrorNumber`` says which.
        public static let system = Code(kind: .system)

        /// The name of the code.
        public var description: String { kind.rawValue }

        /// Returns whether an error is a ``DirectoryError`` with this code.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? DirectoryError)?.code == code
        }
    }

    /// What went wrong.
    public let code: Code
    /// A sentence for a log or a person.
    public let message: String
    /// The path concerned, where there is one.
    public let path: String?
    /// The `errno` of the system call that failed, where one did.
    public let systemErrorNumber: Int32?

    package init(
        _ code: Code, _ message: String, path: String? = nil, systemErrorNumber: Int32? = nil
    ) {
        self.code = code
        self.message = message
        self.path = path
        self.systemErrorNumber = systemErrorNumber
    }

    /// Creates the error for a system call that failed at a path.
    package init(systemErrorNumber number: Int32, doing action: String, at path: String) {
        let code: Code =
            switch number {
            case EACCES, EPERM: .notWritable
            case ENOTDIR: .notADirectory
            case EROFS: .readOnlyFileSystem
            case ENOSPC, EDQUOT: .noSpace
            default: .system
            }
        self.init(
            code, "Cannot \(action) \(path): \(SystemCall.describe(number))", path: path,
            systemErrorNumber: number)
    }
}

extension DirectoryError: CustomStringConvertible {
    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
