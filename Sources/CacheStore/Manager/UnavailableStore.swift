// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStorePersistence
import CacheStoreQuery
import Foundation

/// Stands in for a store that could not be opened: every use throws the reason.
final class UnavailableStore: PersistentStore {
    let space: IdentitySpace
    let model: ManagedObjectModel
    let url: URL?
    private let reason: any Error

    var isReadOnly: Bool { true }

    init(model: ManagedObjectModel, url: URL?, because reason: any Error) {
        self.model = model
        self.url = url
        self.reason = reason
        space = IdentitySpace.space(storeIdentifier: nil, model: model)
    }

    func rows(matching query: StoreQuery) throws -> [RowBatch] { throw reason }
    func objectIDs(matching query: StoreQuery) throws -> [ManagedObjectID] { throw reason }
    func count(matching query: StoreQuery) throws -> Int { throw reason }
    func rows(of entity: Entity, keys: [Int64]) throws -> [RowBatch] { throw reason }
    func members(
        of property: Property, in entity: Entity, owners: [Int64]
    ) throws -> [RowBatch] { throw reason }
    func save(_ changes: ChangeSet) throws -> SaveReceipt { throw reason }
    func reserveKeys(for entity: Entity, count: Int) throws -> Range<Int64> { throw reason }
    func verifyGraph(repairing: Bool) throws -> GraphVerification { throw reason }
    func metadata() throws -> [String: PropertyValue] { throw reason }
    func setMetadata(_ metadata: [String: PropertyValue]) throws { throw reason }
    func close() {}
}
