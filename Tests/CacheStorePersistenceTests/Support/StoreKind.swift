// SPDX-License-Identifier: MIT

import CacheStoreModel
import Foundation
import Testing

@testable import CacheStorePersistence

/// The stores that pass the contract tests.
enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory
    case sqlite
    case sqliteInMemory
    /// Writes all rows as it otherwise writes many.
    case sqliteRows

    var testDescription: String { rawValue }

    /// A new, empty store. A store that has files keeps them in the directory.
    func makeStore(
        model: ManagedObjectModel, in directory: TemporaryDirectory
    ) throws -> any PersistentStore {
        switch self {
        case .memory: InMemoryStore(model: model)
        case .sqlite:
            try SQLiteStore.open(
                at: directory.url.appendingPathComponent("store.sqlite"), model: model
            ).store
        case .sqliteInMemory: try SQLiteStore.inMemory(model: model)
        case .sqliteRows: try SQLiteStore.inMemory(model: model, fewestRows: 1)
        }
    }
}
