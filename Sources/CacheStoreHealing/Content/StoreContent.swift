// SPDX-License-Identifier: MIT

package import CacheStoreSQLite
package import Foundation

/// What opening a store must know of its content, without knowing entities.
///
/// Every closure-like member runs on the writing connection, inside a transaction that the opener
/// began and will end. Errors of SQLite are passed on as they are, so that damage is recognised.
package protocol StoreContent: Sendable {
    /// A short text that is equal for two models exactly when their schemas are.
    var fingerprint: String { get }

    /// The model as JSON, kept in the store so that a later migration need not have the old model.
    var storedDescription: Data { get }

    /// Creates the tables and indices in an empty database.
    func createSchema(in connection: Connection) throws

    /// Returns whether the tables and columns are there that the fingerprint promises.
    ///
    /// Asked at every opening, so it costs no more than reading the schema.
    func schemaIsIntact(in connection: Connection) throws -> Bool

    /// Brings the tables of an older model to this one.
    ///
    /// - Parameter stored: the description that the older model left in the store.
    /// - Throws: ``Unmigratable`` when that cannot be done; the transaction is rolled back.
    func migrate(in connection: Connection, from stored: Data) throws -> MigrationSummary
}

/// What a migration did.
package struct MigrationSummary: Sendable, Hashable {
    /// One sentence for each change.
    package var changes: [String]
    /// Rows that were dropped, by table or entity.
    package var rowsLost: [String: Int]

    package init(changes: [String] = [], rowsLost: [String: Int] = [:]) {
        self.changes = changes
        self.rowsLost = rowsLost
    }
}

/// Why the content of a store cannot be brought to the current model.
package struct Unmigratable: Error, Sendable, Hashable {
    /// A sentence for the report.
    package let reason: String

    package init(reason: String) { self.reason = reason }
}
