// SPDX-License-Identifier: MIT
import CCacheStoreFaults
import CCacheStoreSQLite

/// What can fail in a ``FaultPlan``.
public struct FaultOperation: Sendable, Hashable {
    let value: cachestore_fault_operation
    let usualResultCode: Int32

    private init(_ value: cachestore_fault_operation, _ usualResultCode: Int32) {
        self.value = value
        self.usualResultCode = usualResultCode
    }

    /// Whatever comes next.
    public static let any = Self(CACHESTORE_FAULT_ANY, SQLITE_IOERR)
    /// Opening a file.
    public static let open = Self(CACHESTORE_FAULT_OPEN, SQLITE_CANTOPEN)
    /// Reading from a file.
    public static let read = Self(CACHESTORE_FAULT_READ, SQLITE_IOERR | 1 << 8)
    /// Writing to a file.
    public static let write = Self(CACHESTORE_FAULT_WRITE, SQLITE_IOERR | 3 << 8)
    /// Waiting until what was written is on the disk.
    public static let sync = Self(CACHESTORE_FAULT_SYNC, SQLITE_IOERR | 4 << 8)
    /// Changing the length of a file.
    public static let truncate = Self(CACHESTORE_FAULT_TRUNCATE, SQLITE_IOERR | 6 << 8)
    /// Asking for the length of a file.
    public static let size = Self(CACHESTORE_FAULT_SIZE, SQLITE_IOERR | 7 << 8)
    /// Removing a file.
    public static let delete = Self(CACHESTORE_FAULT_DELETE, SQLITE_IOERR | 10 << 8)
    /// Asking whether a file exists.
    public static let access = Self(CACHESTORE_FAULT_ACCESS, SQLITE_IOERR | 13 << 8)
    /// Taking a lock.
    public static let lock = Self(CACHESTORE_FAULT_LOCK, SQLITE_IOERR | 15 << 8)
    /// Getting the shared memory of a log.
    public static let sharedMemory = Self(CACHESTORE_FAULT_SHARED_MEMORY, SQLITE_IOERR | 21 << 8)

    /// Each kind of operation, without ``any``.
    public static let allKinds = [
        open, read, write, sync, truncate, size, delete, access, lock, sharedMemory,
    ]

    /// Returns whether two stand for the same.
    public static func == (left: Self, right: Self) -> Bool {
        left.value.rawValue == right.value.rawValue
    }

    /// Feeds what makes it the same as another.
    public func hash(into hasher: inout Hasher) { hasher.combine(value.rawValue) }
}

extension FaultOperation: CustomStringConvertible {
    /// The name, as `write`.
    public var description: String {
        let names = [
            "any", "open", "read", "write", "sync", "truncate", "size", "delete", "access", "lock",
            "sharedMemory",
        ]
        return names[Int(value.rawValue)]
    }
}
