// SPDX-License-Identifier: MIT

import Foundation

/// A copy of a database with its journal and log, in a directory of its own among the temporary
/// files, deleted with this object at the latest.
final class TemporaryCopy {
    let path: String
    private let directory: String

    init(of paths: StorePaths) throws {
        let root = FileManager.default.temporaryDirectory.path(percentEncoded: false)
        var template = Array((root + "/cachestore-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw PersistentStoreError(file: FileSystemError("create", root))
        }
        let bytes = template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        directory = String(decoding: bytes, as: UTF8.self)
        path = directory + "/copy.sqlite"
        do {
            for (source, suffix) in [
                (paths.main, ""), (paths.journal, "-journal"), (paths.log, "-wal"),
                (paths.sums, "-sums"),
            ]
            where FileTree.size(at: source) != nil {
                try FileTree.copy(source, to: path + suffix)
            }
        } catch {
            try? FileTree.removeDirectory(directory)
            throw PersistentStoreError(wrapping: error, path: paths.main)
        }
    }

    /// Deletes the names of the files; who has them open goes on reading. So nothing is left behind,
    /// however the process ends.
    func deleteNames() { try? FileTree.removeDirectory(directory) }

    deinit { deleteNames() }
}
