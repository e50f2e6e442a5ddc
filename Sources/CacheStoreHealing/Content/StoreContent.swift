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

    /// Indexes whose entries ``repairSalvaged(in:from:entries:)`` is to have: what they say of rows
    /// that are lost.
    var indexesForRepair: [String] { get }

    /// Makes the rows of a salvaged store fit together again, some of them being lost.
    ///
    /// - Parameters:
    ///   - stored: the description of the model that the tables are of, current or older.
    ///   - entries: of the indexes that were asked for.
    func repairSalvaged(
        in connection: Connection, from stored: Data, entries: [String: [[SQLBinding]]]
    ) throws -> SalvageRepair
}

extension StoreContent {
    package var indexesForRepair: [String] { [] }

    /// Leaves all rows as they are.
    package func repairSalvaged(
        in connection: Connection, from stored: Data, entries: [String: [[SQLBinding]]]
    ) throws -> SalvageRepair { SalvageRepair() }
}

/// What was done to make salvaged rows fit together.
package struct SalvageRepair: Sendable, Hashable {
    /// Rows whose reference to a lost row was emptied, by table.
    package var emptied: [String: Int]
    /// Rows that cannot be without a row that is lost, and went with it, by table.
    package var removed: [String: Int]

    package init(emptied: [String: Int] = [:], removed: [String: Int] = [:]) {
        self.emptied = emptied
        self.removed = removed
    }
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
