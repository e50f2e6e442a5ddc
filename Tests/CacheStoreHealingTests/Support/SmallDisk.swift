// SPDX-License-Identifier: MIT

import Foundation
import Glibc

/// A file system of a few megabytes in memory, seen by this process alone.
enum SmallDisk {
    /// Whether this process may mount (`CAP_SYS_ADMIN`, the bit 21): root in a container mostly may
    /// not.
    static let isAvailable: Bool = {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
        let capabilities = line.flatMap { UInt64($0.split(separator: "\t").last ?? "", radix: 16) }
        return (capabilities ?? 0) & 1 << 21 != 0
    }()

    static func mount(at directory: String, size: String) -> Bool {
        guard hasOwnMounts else { return false }
        return Glibc.mount("none", directory, "tmpfs", 0, "size=\(size),mode=0700") == 0
    }

    /// Mounts a directory over itself, for reading only.
    static func makeReadOnly(_ directory: String) -> Bool {
        guard hasOwnMounts else { return false }
        let bind = UInt(MS_BIND)
        guard Glibc.mount(directory, directory, nil, bind, nil) == 0 else { return false }
        let readOnly = bind | UInt(MS_REMOUNT) | UInt(MS_RDONLY)
        return Glibc.mount("none", directory, nil, readOnly, nil) == 0
    }

    /// Gives this process mounts of its own, once.
    private static let hasOwnMounts: Bool = {
        // The C library has it, but Swift's module of it does not.
        guard let symbol = dlsym(nil, "unshare") else { return false }
        let unshare = unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)
        let newMountNamespace: Int32 = 0x0002_0000
        guard unshare(newMountNamespace) == 0 else { return false }
        // Else the mount would be passed on to the namespace this one was copied from.
        let isPrivate = UInt(MS_REC) | UInt(MS_PRIVATE)
        return Glibc.mount("none", "/", nil, isPrivate, nil) == 0
    }()

    /// Takes all the space that is left.
    static func fill(_ directory: String) {
        let descriptor = open(directory + "/filler", O_WRONLY | O_CREAT, 0o600)
        let bytes = [UInt8](repeating: 1, count: 4096)
        while write(descriptor, bytes, bytes.count) > 0 {}
        close(descriptor)
    }

    static func free(_ directory: String) { unlink(directory + "/filler") }
}
