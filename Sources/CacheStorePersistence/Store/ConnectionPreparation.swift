// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Synchronization

/// Registers the functions of the store on each connection, when it is first used.
final class ConnectionPreparation: Sendable {
    private struct Prepared: @unchecked Sendable {
        // Unchecked: only compared with the connection that a thread has in its hands.
        weak var connection: Connection?
    }

    private let prepared = Mutex<[ObjectIdentifier: Prepared]>([:])

    func prepare(_ connection: Connection) throws {
        let identifier = ObjectIdentifier(connection)
        let isPrepared = prepared.withLock { prepared in
            // The address alone does not tell: a new connection may be where an old one was.
            if prepared[identifier]?.connection != nil { return true }
            prepared = prepared.filter { $0.value.connection != nil }
            prepared[identifier] = Prepared(connection: connection)
            return false
        }
        // Nobody else has the connection, so nobody can use it before its functions are there.
        if !isPrepared { try QueryFunctions.register(on: connection) }
    }
}
