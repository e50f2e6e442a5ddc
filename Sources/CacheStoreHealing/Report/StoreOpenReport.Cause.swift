// SPDX-License-Identifier: MIT

extension StoreOpenReport {
    /// Why opening a store did more than open it.
    public struct Cause: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: Sendable, Hashable {
            case none, fileMissing, emptyFile, notADatabase, damaged, foreignFile, newerFormat
            case modelChanged, unmigratable(String), storeLocked, noSpace, permissionDenied
            case unavailable, requested, crashLoop, removed, replaced
            case interrupted
        }

        private let kind: Kind

        /// There was nothing to be done.
        public static let none = Cause(kind: .none)
        /// There was no file.
        public static let fileMissing = Cause(kind: .fileMissing)
        /// The file was empty, or a single byte.
        public static let emptyFile = Cause(kind: .emptyFile)
        /// The file was not a database.
        public static let notADatabase = Cause(kind: .notADatabase)
        /// The content of the file was damaged.
        public static let damaged = Cause(kind: .damaged)
        /// The file belonged to another application; it was set aside.
        public static let foreignFile = Cause(kind: .foreignFile)
        /// The file had the format of a later version; it was set aside.
        public static let newerFormat = Cause(kind: .newerFormat)
        /// The store was written for another model.
        public static let modelChanged = Cause(kind: .modelChanged)
        /// The store was written for another model, and could not be migrated for this reason.
        public static func unmigratable(_ reason: String) -> Cause {
            Cause(kind: .unmigratable(reason))
        }
        /// Another process had the store.
        public static let storeLocked = Cause(kind: .storeLocked)
        /// The disk or the quota was full.
        public static let noSpace = Cause(kind: .noSpace)
        /// The permissions did not allow the access.
        public static let permissionDenied = Cause(kind: .permissionDenied)
        /// The file or its device could not be used.
        public static let unavailable = Cause(kind: .unavailable)
        /// The store was healed, or ended the process while it was healed, too often: it is left
        /// alone for some openings.
        public static let crashLoop = Cause(kind: .crashLoop)
        /// The program asked for it.
        public static let requested = Cause(kind: .requested)
        /// The file was deleted or moved away while the store was open.
        public static let removed = Cause(kind: .removed)
        /// Another process, or another user of the store in this one, reset the store or put another
        /// file in its place while it was open.
        public static let replaced = Cause(kind: .replaced)
        /// An earlier opening or reset made the store, and its process ended before it was used:
        /// perhaps before it could tell that the store is new.
        public static let interrupted = Cause(kind: .interrupted)

        /// Why a migration was not possible; `nil` for another cause.
        public var unmigratableReason: String? {
            if case .unmigratable(let reason) = kind { reason } else { nil }
        }

        /// A few words for the cause.
        public var description: String {
            switch kind {
            case .none: "none"
            case .fileMissing: "there was no file"
            case .emptyFile: "the file was empty"
            case .notADatabase: "the file was not a database"
            case .damaged: "the file was damaged"
            case .foreignFile: "the file belonged to another application"
            case .newerFormat: "the file was written by a later version"
            case .modelChanged: "the model has changed"
            case .unmigratable(let reason):
                "the model has changed and cannot be migrated: \(reason)"
            case .storeLocked: "another process had the store"
            case .noSpace: "the disk was full"
            case .permissionDenied: "the permissions did not allow it"
            case .unavailable: "the file could not be used"
            case .crashLoop: "it was healed too often"
            case .requested: "the program asked for it"
            case .interrupted: "nobody has used it since it was made"
            case .removed: "the file was removed while the store was open"
            case .replaced: "another has reset the store or replaced its file"
            }
        }
    }
}
