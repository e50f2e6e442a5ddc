// SPDX-License-Identifier: MIT

import CacheStoreSQLite

/// Registers the functions of the store on each connection, when it is first used.
enum ConnectionPreparation {
    static func prepare(_ connection: Connection) throws {
        // Nobody else has the connection, so nobody can use it before its functions are there.
        guard !connection.notes.pointee.hasFunctions else { return }
        try QueryFunctions.register(on: connection)
        try connection.registerRowPacker()
        connection.notes.pointee.hasFunctions = true
    }
}
