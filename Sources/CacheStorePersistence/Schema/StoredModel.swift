// SPDX-License-Identifier: MIT

import CacheStoreModel
import Foundation

/// The form in which a model travels in its store: the entity descriptions as JSON.
enum StoredModel {
    static func encode(_ model: ManagedObjectModel) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(model.entities.map(\.description))
    }

    /// - Throws: `DecodingError` or ``ModelError`` for bytes that are no model.
    static func decode(_ data: Data) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: try JSONDecoder().decode([EntityDescription].self, from: data))
    }
}
