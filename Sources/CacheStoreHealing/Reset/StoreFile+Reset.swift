// SPDX-License-Identifier: MIT

import CacheStoreSQLite
package import Foundation

extension StoreFile {
    /// Empties the store while it is open, also while others have it open, and gives this object up:
    /// it is to be closed and the store opened again.
    ///
    /// One transaction: others see either the old content or, at their next operation, that the
    /// store was replaced. For a store that is whole; a damaged one needs ``StoreOpener``.
    ///
    /// - Returns: the identity of the new content.
    /// - Throws: as ``write(_:)``; then nothing has changed.
    @discardableResult
    package func reset(to content: any StoreContent) throws -> UUID {
        let new = UUID()
        try write { connection in
            guard case .ours(let old) = try StoreMeta.read(from: connection) else {
                throw replaced()
            }
            for (kind, name) in try Self.schemaObjects(in: connection) {
                try connection.execute(
                    SQLFragment(sql: "DROP \(kind) IF EXISTS ") + .identifier(name))
            }
            connection.clearStatementCache()
            try StoreMeta.create(
                in: connection, identifier: new, content: content, replacing: old.lineage)
            try content.createSchema(in: connection)
            try StoreMeta.copySchema(in: connection)
        }
        giveUp(.storeReplaced)
        // Others may still read a value of their snapshot here; they get a miss, as they would at
        // their next read.
        try StoreReset.emptyBlobs(of: paths)
        return new
    }

    private static func schemaObjects(
        in connection: Connection
    ) throws -> [(kind: String, name: String)] {
        var objects: [(kind: String, name: String)] = []
        let sql = """
            SELECT upper(type), name FROM sqlite_schema
            WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            ORDER BY type = 'table'
            """
        try connection.prepare(sql: sql).rows { row in
            if let kind = row.text(at: 0), let name = row.text(at: 1) {
                objects.append((kind: kind, name: name))
            }
        }
        return objects
    }
}
