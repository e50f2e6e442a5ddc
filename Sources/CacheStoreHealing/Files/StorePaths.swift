// SPDX-License-Identifier: MIT

package import Foundation

/// The files that belong to one store, all derived from the place of the database.
///
/// A symbolic link at the place is followed first, so that two names of one database share their
/// lock (https://sqlite.org/howtocorrupt.html#_multiple_links_to_the_same_file).
package struct StorePaths: Sendable, Hashable {
    package let main: String
    package let directory: String
    package let fileName: String
    /// The name without the extension `sqlite`.
    package let name: String
    private let stem: String

    package init(main: String) {
        self.main = main
        (directory, fileName) = Self.split(main)
        let suffix = ".sqlite"
        name =
            fileName.hasSuffix(suffix) && fileName != suffix
            ? String(fileName.dropLast(suffix.count)) : fileName
        stem = directory + "/" + name
    }

    /// - Throws: ``PersistentStoreError`` with the code `invalidConfiguration`.
    package init(resolving url: URL) throws {
        let path = url.path(percentEncoded: false)
        guard url.isFileURL, path.hasPrefix("/"), !path.utf8.contains(0), !path.hasSuffix("/")
        else {
            throw PersistentStoreError(
                .invalidConfiguration, "The place of a store must be an absolute file path.")
        }
        // A link to a file that does not exist yet is left to SQLite, which follows it itself.
        if let resolved = realpath(path, nil) {
            self.init(main: String(cString: resolved))
            free(resolved)
        } else {
            self.init(main: path)
        }
    }

    package var url: URL { URL(filePath: main, directoryHint: .notDirectory) }

    package var log: String { main + "-wal" }
    package var sharedMemory: String { main + "-shm" }
    package var journal: String { main + "-journal" }
    /// The sums of the pages of the database as they were written last
    /// (Documentation/Decisions/0009-page-sums.md). It may be missing, or of another database.
    package var sums: String { main + "-sums" }

    /// The lock held shared while the store is used, and exclusively to create or heal it.
    package var lock: String { stem + ".lock" }
    /// The lock held for each write transaction and each checkpoint.
    ///
    /// A file of its own, since one `flock` has one mode: a writer still holds the store's lock
    /// shared.
    package var writerLock: String { stem + ".writer.lock" }
    /// There while damage was seen in a session and the store has not been checked since.
    package var damageMark: String { stem + ".damaged" }
    /// There while the store has been healed lately, or is being healed: see ``HealingRecord``.
    package var healingRecord: String { stem + ".healing" }
    /// A store in the making, of what a damaged one still has.
    package var salvage: String { stem + ".salvage" }
    /// A complete one, which is only to be copied to its place: there is nothing else left.
    package var salvaged: String { stem + ".salvaged" }
    /// How far the store was read through in the background, while that is going on.
    package var scrubNote: String { stem + ".scrub" }
    /// The directory of the external values.
    package var blobs: String { stem + ".blobs" }
    /// The directory of the sets that were kept, of all stores of the directory.
    package var quarantine: String { directory + "/quarantine" }

    private static func split(_ path: String) -> (directory: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let directory = path[..<slash]
        return (
            directory.isEmpty ? "/" : String(directory), String(path[path.index(after: slash)...])
        )
    }
}
