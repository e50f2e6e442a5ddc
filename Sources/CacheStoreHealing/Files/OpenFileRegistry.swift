// SPDX-License-Identifier: MIT

import Foundation
import Synchronization

/// A file, whatever its name.
struct FileIdentity: Sendable, Hashable {
    let device: UInt64
    let inode: UInt64

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// `nil` where there is no file.
    init?(path: String) {
        guard let status = FileTree.status(at: path) else { return nil }
        self.init(status)
    }
}

/// The database files that this process has open through SQLite, so that nothing else opens and
/// closes them: that would give back SQLite's locks.
///
/// The store's exclusive lock excludes this already, unless somebody deleted the lock file while a
/// store was open.
final class OpenFileRegistry: Sendable {
    static let shared = OpenFileRegistry()

    private let counts = Mutex<[FileIdentity: Int]>([:])

    func contains(_ identity: FileIdentity) -> Bool {
        counts.withLock { $0[identity] != nil }
    }

    func add(_ identity: FileIdentity) {
        counts.withLock { $0[identity, default: 0] += 1 }
    }

    func remove(_ identity: FileIdentity) {
        counts.withLock { counts in
            guard let count = counts[identity] else { return }
            counts[identity] = count > 1 ? count - 1 : nil
        }
    }
}
