// SPDX-License-Identifier: MIT

package import CacheStoreHealing
import CacheStoreModel
package import CacheStoreSQLite
import Foundation

/// What is in a store file, by the description of the model that travels in it: for who has the file
/// and not the program.
package struct StoredContent: Sendable {
    let schema: SQLiteSchema
    private let identifier: UUID

    /// Reads the description.
    ///
    /// - Returns: `nil` where it is gone, or is no model.
    /// - Throws: ``SQLiteError`` where the store cannot be read.
    package init?(_ examination: FileExamination) throws {
        guard let meta = examination.meta,
            let description = try examination.storedDescription(),
            let model = try? StoredModel.decode(description)
        else { return nil }
        schema = SQLiteSchema(model: model)
        identifier = meta.storeIdentifier
    }

    /// Whether it is the model that the store says it has.
    package func fits(_ meta: StoreMeta) -> Bool { schema.fingerprint == meta.fingerprint }

    /// The names of the entities that can have objects.
    package var entityNames: [String] {
        schema.model.entities.filter { !$0.isAbstract }.map(\.name)
    }

    /// Whether the tables and indexes are there.
    package func schemaIsIntact(in connection: Connection) throws -> Bool {
        try schema.schemaIsIntact(in: connection)
    }

    /// The rows of each entity. O(rows).
    package func objectCounts(in connection: Connection) throws -> [String: Int] {
        let numbers = try EntityNumbers.load(from: connection, model: schema.model)
        var counts: [String: Int] = [:]
        for name in entityNames { counts[name] = 0 }
        for (root, table) in schema.tables {
            let column =
                table.hasEntityColumn ? "\"_entity\"" : String(numbers.numbers[root])
            let sql = "SELECT \(column), count(*) FROM \(SQLFragment.quoted(table.name)) GROUP BY 1"
            try connection.prepare(sql: sql).rows { row in
                guard let index = numbers.index(ofNumber: row.int64(at: 0)) else { return }
                counts[schema.model.entities[index].name, default: 0] += Int(row.int64(at: 1))
            }
        }
        return counts
    }

    /// Checks the graph in one snapshot, and repairs nothing. Files of large values that are missing
    /// are found, those that no row names are not looked for: a save may be under way.
    package func checkGraph(
        in connection: Connection, of paths: StorePaths
    ) throws -> GraphReport {
        let numbers = try EntityNumbers.load(from: connection, model: schema.model)
        let map = StoreMap(schema: schema, numbers: numbers)
        let checker = GraphChecker(
            connection, map: map,
            space: IdentitySpace.space(storeIdentifier: identifier, model: schema.model),
            repairs: false)
        let files = ExternalFiles(
            directory: URL(filePath: paths.blobs, directoryHint: .isDirectory),
            synchronizes: false, busyTimeout: .zero)
        let named = try checker.checkFiles(
            present: try files.list().names, damaged: [], unfinished: 0, isComplete: false
        ).named
        try checker.checkRows()
        let damaged = Set(named.filter { !files.isIntact($0) }.map(\.name))
        if !damaged.isEmpty { try checker.noteDamagedFiles(damaged) }
        return checker.finish().report
    }

    /// Opens the store as its program would, so that it is checked, sealed and closed cleanly, and
    /// repairs its graph.
    package func open(
        at paths: StorePaths, busyTimeout: Duration
    ) throws -> (report: StoreOpenReport, graph: GraphReport) {
        var options = StoreOptions()
        options.verification = VerificationPolicy(.always, deadline: .seconds(24 * 60 * 60))
        options.busyTimeout = busyTimeout
        let (store, report) = try SQLiteStore.open(
            at: paths.url, model: schema.model, options: options)
        let graph: GraphReport
        do {
            graph = try store.verifyGraph(repairing: true).report
        } catch {
            try? store.close()
            throw error
        }
        try store.close()
        return (report, graph)
    }
}
