// SPDX-License-Identifier: MIT

import CacheStoreHealing
package import CacheStoreModel
import CacheStoreProcess
import CacheStoreQuery
import CacheStoreSQLite
package import Foundation

/// A store in a SQLite database.
///
/// Reads run beside each other and beside a write, each on a snapshot; writes one after the other.
package final class SQLiteStore: PersistentStore {
    package let space: IdentitySpace
    package let model: ManagedObjectModel
    package let url: URL?
    package let isReadOnly: Bool

    let map: StoreMap
    let shapes = CompiledShapes()
    let resolver: ValueResolver
    let access: any DatabaseAccess
    private let plans = UpdatePlans()
    private let fewestRows: Int

    init(
        _ access: any DatabaseAccess, schema: SQLiteSchema, identifier: UUID, url: URL?,
        isReadOnly: Bool = false, files: ExternalFiles? = nil,
        fewestRows: Int = SaveOperation.fewestRows
    ) throws {
        self.access = access
        self.url = url
        self.isReadOnly = isReadOnly
        self.fewestRows = fewestRows
        model = schema.model
        space = IdentitySpace.space(storeIdentifier: identifier, model: schema.model)
        resolver = ValueResolver(files: files)
        var numbers: EntityNumbers?
        try Self.translating(url) {
            try access.readStatement {
                numbers = try EntityNumbers.load(from: $0, model: schema.model)
            }
        }
        map = StoreMap(
            schema: schema, numbers: numbers ?? EntityNumbers(byName: [:], model: schema.model))
    }

    // MARK: Access

    func read<T>(_ body: (Connection) throws -> T) throws -> T {
        try Self.translating(url) {
            try access.read { connection in
                try ConnectionPreparation.prepare(connection)
                return try body(connection)
            }
        }
    }

    /// Reads with a single statement.
    @inline(__always)
    func readStatement(_ body: (Connection) throws -> Void) throws {
        try Self.translating(url) {
            try access.readStatement { connection in
                try ConnectionPreparation.prepare(connection)
                try body(connection)
            }
        }
    }

    func write<T>(_ body: (Connection) throws -> T) throws -> T {
        guard !isReadOnly else {
            throw PersistentStoreError(
                .readOnly, "The store was opened to be read.", path: url?.path)
        }
        return try Self.translating(url) {
            try access.write { connection in
                try ConnectionPreparation.prepare(connection)
                return try body(connection)
            }
        }
    }

    @inline(__always)
    private static func translating<T>(_ url: URL?, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw PersistentStoreError(sqlite: error, path: url?.path)
        }
    }

    // MARK: Saving

    package func save(_ changes: ChangeSet) throws -> SaveReceipt {
        guard !changes.isEmpty else { return SaveReceipt(insertedKeys: []) }
        // Large files are written before the transaction, so that the writer lock is not held
        // meanwhile.
        var encoder = ValueEncoder(files: resolver.files)
        var reachedCommit = false
        var lock: FileLock?
        defer { resolver.files?.removeMark(lock ?? encoder.lock) }
        do {
            let encoded = try encoder.encode(changes, in: model)
            lock = try encoder.lock ?? lockForDroppedFiles(of: changes)
            let operation = try write { connection in
                let operation = SaveOperation(
                    encoded, on: connection, map: map, plans: plans, resolver: resolver,
                    fewestRows: fewestRows)
                try operation.run()
                if !operation.outcome.unneededFiles.isEmpty { resolver.files?.setMark() }
                reachedCommit = true
                return operation.outcome
            }
            for name in operation.unneededFiles { resolver.files?.remove(name) }
            return SaveReceipt(insertedKeys: operation.insertedKeys)
        } catch {
            // A commit that failed while it was written may be there all the same, with rows that
            // name the files; for want of space it is not.
            if !reachedCommit || PersistentStoreError.Code.noSpace ~= error {
                for name in encoder.written { resolver.files?.remove(name) }
            }
            throw error
        }
    }

    /// Locks the directory of large values where a save may leave files that no row names.
    private func lockForDroppedFiles(of changes: ChangeSet) throws -> FileLock? {
        guard let files = resolver.files else { return nil }
        let mayDrop =
            changes.updated.contains { !map.externals[Int($0.id.entityIndex)].isEmpty }
            || changes.deleted.contains { !map.externals[Int($0.id.entityIndex)].isEmpty }
        return mayDrop ? try files.lock(.shared) : nil
    }

    package func reserveKeys(for entity: Entity, count: Int) throws -> Range<Int64> {
        guard count > 0 else { return 0..<0 }
        return try write { connection in
            let first = try SaveOperation.reserveKeys(
                Int64(count), root: entity.root, connection: connection)
            return first..<first + Int64(count)
        }
    }

    package func setFailureHandler(_ handler: (@Sendable (any Error) -> Void)?) {
        resolver.setFailureHandler(handler)
    }

    package func close() throws {
        try Self.translating(url) { try access.close(clean: true) }
    }
}
