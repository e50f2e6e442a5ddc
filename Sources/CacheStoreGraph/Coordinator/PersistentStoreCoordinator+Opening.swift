// SPDX-License-Identifier: MIT

public import CacheStoreHealing
import CacheStoreModel
import CacheStorePersistence
import Foundation

extension PersistentStoreCoordinator {
    /// Opens a store, heals it where it must be healed, and takes it as the coordinator's store.
    ///
    /// A clean store opens in constant time. A damaged, foreign or unmigratable file is set aside and
    /// replaced by a new store; the report says so. A model change that only adds or removes is
    /// carried out in place.
    ///
    /// - Returns: what was found and done.
    /// - Throws: ``ModelError`` if the model is not sound; `PersistentStoreError` where the store
    ///   cannot be had although nothing says that it is damaged (with the policy `fail`);
    ///   ``ContextError`` with code `invalidRequest` if the coordinator has a store already.
    @discardableResult
    public func addPersistentStore(
        _ description: PersistentStoreDescription
    ) throws -> StoreOpenReport {
        if let error = managedObjectModel.deferredError { throw error }
        _ = try GraphModel.of(managedObjectModel)
        guard let url = description.url else {
            let store = try SQLiteStore.inMemory(model: managedObjectModel)
            try attach(store, description: description)
            return StoreOpenReport.inMemory(
                fingerprint: managedObjectModel.fingerprint,
                storeIdentifier: store.space.storeIdentifier)
        }
        let (store, report) = try SQLiteStore.open(
            at: url, model: managedObjectModel, options: description.options)
        try attach(store, description: description)
        return report
    }
}
