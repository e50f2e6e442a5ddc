// SPDX-License-Identifier: MIT

package import CacheStoreModel
import CacheStoreHealing
import CacheStoreSQLite
import Foundation

extension SQLiteStore {
    package func metadata() throws -> [String: PropertyValue] {
        try read { connection in
            var metadata: [String: PropertyValue] = [:]
            let statement = try connection.statement(
                sql: "SELECT \"key\", \"value\" FROM \"cachestore_metadata\"")
            try statement.rows { row in
                guard let key = row.text(at: 0), let text = row.text(at: 1) else { return }
                metadata[key] = try? JSONDecoder().decode(
                    PropertyValue.self, from: Data(text.utf8))
            }
            return metadata
        }
    }

    package func setMetadata(_ metadata: [String: PropertyValue]) throws {
        var texts: [(String, String)] = []
        for (key, value) in metadata {
            guard let data = try? JSONEncoder().encode(value) else {
                throw PersistentStoreError(
                    .invalidConfiguration, "The metadata refer to an object: \(key)",
                    path: url?.path)
            }
            texts.append((key, String(decoding: data, as: UTF8.self)))
        }
        try write { connection in
            try connection.execute("DELETE FROM \"cachestore_metadata\"")
            for (key, text) in texts {
                try connection.execute(
                    """
                    INSERT INTO "cachestore_metadata" ("key", "value") VALUES (\(key), \(text))
                    """)
            }
        }
    }
}
