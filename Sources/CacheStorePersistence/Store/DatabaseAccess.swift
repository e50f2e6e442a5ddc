// SPDX-License-Identifier: MIT

import CacheStoreHealing
import CacheStoreSQLite
import Foundation
import Synchronization

/// How a store gets at its database: a file with its locks and readers, or one connection.
protocol DatabaseAccess: AnyObject, Sendable {
    /// Calls a closure with a connection that reads one snapshot.
    func read<T>(_ body: (Connection) throws -> T) throws -> T
    /// The same for a closure that runs one statement, for less. What is read goes into variables of
    /// the caller: a result of any type would cost a part of what a statement does.
    func readStatement(_ body: (Connection) throws -> Void) throws
    /// Calls a closure in a write transaction: commits when it returns, rolls back when it throws.
    func write<T>(_ body: (Connection) throws -> T) throws -> T
    func close(clean: Bool) throws
}

/// One connection for everything, with a mutex around it: a database in memory.
final class SingleConnection: DatabaseAccess, @unchecked Sendable {
    // Unchecked: the connection is used only while the mutex is held.
    private let connection: Connection
    private let isClosed = Mutex(false)

    init(_ connection: Connection) { self.connection = connection }

    func read<T>(_ body: (Connection) throws -> T) throws -> T {
        try alone { try body(connection) }
    }

    func readStatement(_ body: (Connection) throws -> Void) throws { try read(body) }

    func write<T>(_ body: (Connection) throws -> T) throws -> T {
        try alone { try connection.transaction(.immediate) { try body(connection) } }
    }

    private func alone<T>(_ body: () throws -> T) throws -> T {
        var result: Result<T, any Error> = .failure(Self.closed)
        isClosed.withLock { isClosed in
            if !isClosed { result = Result { try body() } }
        }
        return try result.get()
    }

    func close(clean: Bool) throws {
        try isClosed.withLock { isClosed in
            guard !isClosed else { return }
            isClosed = true
            try connection.close()
        }
    }

    private static let closed = PersistentStoreError(.closed, "The store is closed.")
}
