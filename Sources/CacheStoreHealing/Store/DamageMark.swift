// SPDX-License-Identifier: MIT

import CacheStoreSQLite

/// A small file beside a store in which damage was seen while it was open: the next opening that has
/// the store for itself checks all of it, whatever the policy and the clean mark say.
///
/// A file of its own, for the store itself may not be writable any more. The mark decides nothing:
/// what one session saw may have been a passing failure to read.
enum DamageMark {
    static func exists(for paths: StorePaths) -> Bool {
        FileTree.status(at: paths.damageMark) != nil
    }

    /// Best effort: a disk that refuses it has no better place either.
    static func leave(for paths: StorePaths, because error: SQLiteError) {
        guard let file = try? RawFile(creating: paths.damageMark) else { return }
        try? file.append(Array("\(error.code)\n".utf8))
        try? file.synchronize()
        FileTree.synchronizeDirectory(paths.directory)
    }

    /// Best effort: a mark that stays costs another check.
    static func remove(for paths: StorePaths) {
        if exists(for: paths) { try? FileTree.remove(paths.damageMark) }
    }
}
