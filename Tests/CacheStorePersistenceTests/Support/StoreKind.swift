// SPDX-License-Identifier: MIT

import CacheStoreModel
import Testing

@testable import CacheStorePersistence

/// The stores that pass the contract tests.
enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory

    var testDescription: String { rawValue }

    /// A new, empty store. A store that has files keeps them in the directory.
    func makeStore(
        model: ManagedObjectModel, in directory: TemporaryDirectory
    ) throws -> any PersistentStore {
        switch self {
        case .memory: InMemoryStore(model: model)
        }
    }
}
