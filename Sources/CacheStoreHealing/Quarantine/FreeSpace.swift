// SPDX-License-Identifier: MIT

import Foundation

/// The room on a file system.
struct FreeSpace: Sendable, Hashable {
    /// What a user without privileges may still take, in bytes.
    var available: Int64
    /// The size of the file system, in bytes.
    var total: Int64

    init(available: Int64, total: Int64) {
        self.available = available
        self.total = total
    }

    /// Asks for the file system that a path is on; `nil` where it does not say.
    init?(at path: String) {
        var status = statvfs()
        guard statvfs(path, &status) == 0, status.f_blocks > 0 else { return nil }
        let unit = UInt64(status.f_frsize)
        available = Int64(clamping: UInt64(status.f_bavail) &* unit)
        total = Int64(clamping: UInt64(status.f_blocks) &* unit)
    }

    /// What must stay free beside a set that is kept.
    func reserve(of policy: QuarantinePolicy) -> Int64 { min(policy.minimumFreeBytes, total / 20) }
}
