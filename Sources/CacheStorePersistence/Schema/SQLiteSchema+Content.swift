// SPDX-License-Identifier: MIT

import CacheStoreHealing
import CacheStoreModel
package import CacheStoreSQLite
package import Foundation

extension SQLiteSchema: StoreContent {
    package var fingerprint: String { model.fingerprint }

    package var storedDescription: Data {
        // What can be encoded was checked when the model was made: no value in it is a reference.
        (try? StoredModel.encode(model)) ?? Data()
    }

    static let createMetadata = """
        CREATE TABLE "cachestore_metadata" ("key" TEXT PRIMARY KEY NOT NULL, \
        "value" TEXT NOT NULL) WITHOUT ROWID
        """

    package func createSchema(in connection: Connection) throws {
        try connection.execute(sql: EntityNumbers.createTable)
        try connection.execute(sql: Self.createMetadata)
        try EntityNumbers.assign(in: connection, model: model)
        let numbers = try EntityNumbers.load(from: connection, model: model)
        for root in tables.keys.sorted() {
            if let table = tables[root] { try connection.execute(sql: table.createStatement) }
        }
        for join in joins { try connection.execute(sql: join.createStatement) }
        for index in indexes { try connection.execute(sql: index.createStatement(numbers)) }
    }

    package func schemaIsIntact(in connection: Connection) throws -> Bool {
        // First a statement: what SQLite knows of the tables is then as of this transaction.
        var names: Set<String> = []
        try connection.prepare(sql: "SELECT name FROM sqlite_schema WHERE type = 'index'").rows {
            if let name = $0.text(at: 0) { names.insert(name) }
        }
        guard try connection.hasTable("cachestore_metadata"),
            try connection.hasColumns(
                ["number", "name", "root", "last_key"], in: "cachestore_entities")
        else { return false }
        for table in tables.values {
            let columns = table.definitions.map(\.name)
            guard try connection.hasColumns(columns, in: table.name) else { return false }
        }
        for join in joins {
            let columns = join.definitions.map(\.name)
            guard try connection.hasColumns(columns, in: join.name) else { return false }
        }
        let numbers = try EntityNumbers.load(from: connection, model: model)
        return names.isSuperset(of: indexes.map(\.name)) && !numbers.numbers.contains(-1)
    }
}
