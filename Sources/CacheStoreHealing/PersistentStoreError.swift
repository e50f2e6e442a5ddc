// SPDX-License-Identifier: MIT

/// A failure of a store as a whole: of its file, its locks, its disk.
///
/// ```swift
/// do { … } catch PersistentStoreError.Code.noSpace { … }
/// ```
///
/// The message names the file and the reason; it never holds anything stored in it.
public struct PersistentStoreError: Error, Sendable {
    /// The kind of a ``PersistentStoreError``.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String, Sendable {
            case busy, noSpace, permissionDenied, readOnly, damaged, foreignFile, newerFormat
            case unmigratable, closed, storeReplaced, storeRemoved, forked, unavailable
            case invalidConfiguration, outOfResources, crashLoop, sqlite
        }

        private let kind: Kind

        /// Another process or thread had a lock until the time to wait was over.
        public static let busy = Code(kind: .busy)
        /// The disk or the quota is full.
        public static let noSpace = Code(kind: .noSpace)
        /// The permissions, or the owner of the file or its directory, do not allow the access.
        public static let permissionDenied = Code(kind: .permissionDenied)
        /// The store, or the file system it lies on, can only be read.
        public static let readOnly = Code(kind: .readOnly)
        /// The content of the file is damaged.
        public static let damaged = Code(kind: .damaged)
        /// The file belongs to another application.
        public static let foreignFile = Code(kind: .foreignFile)
        /// The file was written in a format of a later version.
        public static let newerFormat = Code(kind: .newerFormat)
        /// The content cannot be brought to the current model.
        public static let unmigratable = Code(kind: .unmigratable)
        /// The store was closed.
        public static let closed = Code(kind: .closed)
        /// The store was reset, or its file replaced, since it was opened.
        public static let storeReplaced = Code(kind: .storeReplaced)
        /// The file was deleted or moved away since the store was opened.
        public static let storeRemoved = Code(kind: .storeRemoved)
        /// The store was opened by the parent of this process.
        public static let forked = Code(kind: .forked)
        /// The file or its device cannot be reached or used.
        public static let unavailable = Code(kind: .unavailable)
        /// What was asked for makes no sense.
        public static let invalidConfiguration = Code(kind: .invalidConfiguration)
        /// Memory or file handles ran out.
        public static let outOfResources = Code(kind: .outOfResources)
        /// The store was healed, or ended the process while it was healed, too often; it is left alone
        /// for some openings.
        public static let crashLoop = Code(kind: .crashLoop)
        /// Another error of SQLite; ``PersistentStoreError/underlying`` has it.
        public static let sqlite = Code(kind: .sqlite)

        /// The name of the code.
        public var description: String { kind.rawValue }

        /// Returns whether an error is a ``PersistentStoreError`` with this code.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? PersistentStoreError)?.code == code
        }
    }

    /// What went wrong.
    public let code: Code
    /// A sentence for a log or a person.
    public let message: String
    /// The path of the store file, where there is one.
    public let path: String?
    /// The error that led to this one.
    public let underlying: (any Error)?

    package init(
        _ code: Code, _ message: String, path: String? = nil, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.path = path
        self.underlying = underlying
    }
}

extension PersistentStoreError: CustomStringConvertible {
    /// The code, the message, and the error behind it.
    public var description: String {
        var text = "\(code): \(message)"
        if let path { text += " [\(path)]" }
        if let underlying { text += " – \(underlying)" }
        return text
    }
}
