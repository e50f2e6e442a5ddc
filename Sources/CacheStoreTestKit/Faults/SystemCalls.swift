// SPDX-License-Identifier: MIT
import CCacheStoreFaults

/// Which calls of the system a ``SystemFaultPlan`` means.
public struct SystemCalls: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    private init(_ bit: Int) { rawValue = bit }

    /// `open`.
    public static let open = Self(CACHESTORE_CALL_OPEN)
    /// `read`, `pread`.
    public static let read = Self(CACHESTORE_CALL_READ)
    /// `write`, `pwrite`, `sendfile`, `copy_file_range`.
    public static let write = Self(CACHESTORE_CALL_WRITE)
    /// `fsync`, `fdatasync`.
    public static let sync = Self(CACHESTORE_CALL_SYNC)
    /// `ftruncate`.
    public static let truncate = Self(CACHESTORE_CALL_TRUNCATE)
    /// `unlink`, `rmdir`.
    public static let remove = Self(CACHESTORE_CALL_REMOVE)
    /// `rename`, `link`.
    public static let rename = Self(CACHESTORE_CALL_RENAME)
    /// `mkdir`.
    public static let makeDirectory = Self(CACHESTORE_CALL_MAKE_DIRECTORY)
    /// `stat`, `lstat`, `fstat`, `access`.
    public static let look = Self(CACHESTORE_CALL_LOOK)
    /// `flock`, and `fcntl` where it takes a lock. Giving one back never fails.
    public static let lock = Self(CACHESTORE_CALL_LOCK)
    /// `mmap` of a file.
    public static let map = Self(CACHESTORE_CALL_MAP)
    /// All of them.
    public static let all = Self(CACHESTORE_CALL_ALL)

    /// What needs space on a disk, and so can fail with `ENOSPC`.
    public static let needingSpace: Self = [
        .open, .write, .sync, .truncate, .rename, .makeDirectory,
    ]
}
