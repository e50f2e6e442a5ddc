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
        var found: [String: Set<String>] = [:]
        try connection.statement(
            sql: """
                SELECT s.name, c.name FROM sqlite_schema AS s, pragma_table_info(s.name) AS c
                WHERE s.type = 'table'
                """
        ).rows { row in
            if let table = row.text(at: 0), let column = row.text(at: 1) {
                found[table, default: []].insert(column)
            }
        }
        guard found["cachestore_metadata"] != nil,
            found["cachestore_entities"]?.isSuperset(of: ["number", "name", "root", "last_key"])
                == true
        else { return false }
        for table in tables.values {
            let columns = table.definitions.map(\.name)
            guard found[table.name]?.isSuperset(of: columns) == true else { return false }
        }
        for join in joins {
            let columns = join.definitions.map(\.name)
            guard found[join.name]?.isSuperset(of: columns) == true else { return false }
        }
        var names: Set<String> = []
        try connection.statement(sql: "SELECT name FROM sqlite_schema WHERE type = 'index'").rows {
            if let name = $0.text(at: 0) { names.insert(name) }
        }
        let numbers = try EntityNumbers.load(from: connection, model: model)
        return names.isSuperset(of: indexes.map(\.name)) && !numbers.numbers.contains(-1)
    }
}
