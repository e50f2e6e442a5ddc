// SPDX-License-Identifier: MIT

package import CacheStoreHealing
package import CacheStoreModel
import CacheStoreSQLite
package import Foundation

// The file's own access to its connections and locks is all that a store needs.
extension StoreFile: DatabaseAccess {}

extension SQLiteStore {
    /// Opens the store at a place, healing or migrating it where it needs that.
    ///
    /// With the policy `inMemory` for files that cannot be had, the store is in memory then; the
    /// report says so.
    ///
    /// - Throws: `ModelError` for a model that could not be made; `PersistentStoreError` as
    ///   `StoreOpener.open(at:content:options:)` throws it.
    package static func open(
        at url: URL, model: ManagedObjectModel, options: StoreOptions = StoreOptions()
    ) throws -> (store: SQLiteStore, report: StoreOpenReport) {
        if let error = model.deferredError { throw error }
        let schema = SQLiteSchema(model: model)
        let opened = try StoreOpener.open(at: url, content: schema, options: options)
        return (try store(in: opened, schema: schema), opened.report)
    }

    package func replacement() throws -> (store: any PersistentStore, report: StoreOpenReport)? {
        guard let file = access as? StoreFile, file.isGivenUp else { return nil }
        let opened = try StoreOpener.reopen(file, content: map.schema)
        return (try Self.store(in: opened, schema: map.schema), opened.report)
    }

    package func startMaintenance(onDamage: @escaping @Sendable () -> Void) {
        guard let file = access as? StoreFile else { return }
        StoreScrubber.start(for: file, onDamage: onDamage)
    }

    private static func store(
        in opened: OpenedStore, schema: SQLiteSchema
    ) throws -> SQLiteStore {
        guard let file = opened.file else { return try inMemory(model: schema.model) }
        let files = ExternalFiles(
            directory: URL(filePath: file.paths.blobs, directoryHint: .isDirectory),
            synchronizes: file.options.synchronous == .full,
            busyTimeout: file.options.busyTimeout)
        let store = try SQLiteStore(
            file, schema: schema, identifier: file.identifier, url: file.url,
            isReadOnly: file.options.isReadOnly, files: files)
        store.removeLeftOverFiles()
        return store
    }

    /// A store in a SQLite database in memory, gone when it is closed.
    ///
    /// External values are kept in their rows.
    ///
    /// - Parameter fewestRows: from how many changes of a kind on one statement writes them all.
    /// - Throws: `ModelError` for a model that could not be made; `PersistentStoreError` where
    ///   SQLite cannot be had.
    package static func inMemory(
        model: ManagedObjectModel, fewestRows: Int? = nil
    ) throws -> SQLiteStore {
        if let error = model.deferredError { throw error }
        let schema = SQLiteSchema(model: model)
        do {
            let connection = try Connection(.memory)
            // Among others: no large sorting in the directory for temporary files.
            try ConnectionSettings().apply(to: connection)
            try connection.transaction { try schema.createSchema(in: connection) }
            return try SQLiteStore(
                SingleConnection(connection), schema: schema, identifier: UUID(), url: nil,
                fewestRows: fewestRows ?? SaveOperation.fewestRows)
        } catch let error as SQLiteError {
            throw PersistentStoreError(sqlite: error)
        }
    }
}
