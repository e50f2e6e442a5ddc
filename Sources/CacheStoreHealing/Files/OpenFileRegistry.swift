// SPDX-License-Identifier: MIT

import Foundation

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

/// The database files that this process has open through SQLite. Closing any other handle on one of
/// them would give back SQLite's locks, so such a handle stays open until the last connection is
/// closed; SQLite does the same with its own.
final class OpenFileRegistry: Sendable {
    static let shared = OpenFileRegistry()

    private struct Entry {
        var count = 0
        /// Handles that nobody needs any more.
        var parked: [Int32] = []
    }

    // Guarded by `lock`. Not a Mutex of the Synchronization module, for the reason in IdentitySpace.
    nonisolated(unsafe) private var entries: [FileIdentity: Entry] = [:]
    private let lock = NSLock()

    func contains(_ identity: FileIdentity) -> Bool {
        lock.withLock { entries[identity] != nil }
    }

    func add(_ identity: FileIdentity) {
        lock.withLock { entries[identity, default: Entry()].count += 1 }
    }

    func remove(_ identity: FileIdentity) {
        let parked: [Int32] = lock.withLock {
            guard let entry = entries[identity] else { return [] }
            if entry.count > 1 {
                entries[identity]?.count -= 1
                return []
            }
            entries[identity] = nil
            return entry.parked
        }
        for descriptor in parked { Foundation.close(descriptor) }
    }

    /// Closes a handle, or keeps it until that does no harm.
    func close(_ descriptor: Int32) {
        var status = stat()
        let isParked =
            fstat(descriptor, &status) == 0
            && lock.withLock {
                entries[FileIdentity(status)]?.parked.append(descriptor) != nil
            }
        if !isParked { Foundation.close(descriptor) }
    }
}
