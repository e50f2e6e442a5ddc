// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import Foundation

@testable import CacheStorePersistence

/// A store with a fault, to see that comparisons notice it.
final class FaultyStore: PersistentStore {
    enum Fault: CaseIterable {
        case ignoresOrder, keepsRemovedMembers, ignoresOffset, sortsDescendingOnly
        case ignoresPredicate, losesReferences, ignoresSubentities
    }

    private let store: InMemoryStore
    private let fault: Fault

    init(_ fault: Fault, model: ManagedObjectModel) {
        store = InMemoryStore(model: model)
        self.fault = fault
    }

    var space: IdentitySpace { store.space }
    var model: ManagedObjectModel { store.model }
    var url: URL? { nil }
    var isReadOnly: Bool { false }

    private func changed(_ query: StoreQuery) -> StoreQuery {
        var query = query
        switch fault {
        case .ignoresOffset: query.offset = 0
        case .sortsDescendingOnly:
            query.sort = query.sort.map { SortKey(path: $0.path, isAscending: false) }
        case .ignoresPredicate: query.predicate = nil
        case .ignoresSubentities: query.includesSubentities = true
        default: break
        }
        return query
    }

    func rows(matching query: StoreQuery) throws -> [RowBatch] {
        try store.rows(matching: changed(query))
    }

    func objectIDs(matching query: StoreQuery) throws -> [ManagedObjectID] {
        try store.objectIDs(matching: changed(query))
    }

    func count(matching query: StoreQuery) throws -> Int {
        try store.count(matching: changed(query))
    }

    func rows(of entity: Entity, keys: [Int64]) throws -> [RowBatch] {
        try store.rows(of: entity, keys: keys)
    }

    func members(
        of property: Property, in entity: Entity, owners: [Int64]
    ) throws -> [RowBatch] {
        try store.members(of: property, in: entity, owners: owners)
    }

    func save(_ changes: ChangeSet) throws -> SaveReceipt {
        var changes = changes
        for index in changes.toMany.indices {
            if fault == .ignoresOrder { changes.toMany[index].order = nil }
            if fault == .keepsRemovedMembers { changes.toMany[index].removed = [] }
        }
        if fault == .losesReferences {
            for index in changes.updated.indices {
                for place in changes.updated[index].values.indices {
                    guard case .object = changes.updated[index].values[place] else { continue }
                    changes.updated[index].values[place] = .null
                }
            }
        }
        return try store.save(changes)
    }

    func reserveKeys(for entity: Entity, count: Int) throws -> Range<Int64> {
        try store.reserveKeys(for: entity, count: count)
    }

    func verifyGraph(repairing: Bool) throws -> GraphVerification {
        try store.verifyGraph(repairing: repairing)
    }

    func metadata() throws -> [String: PropertyValue] { try store.metadata() }
    func setMetadata(_ metadata: [String: PropertyValue]) throws {
        try store.setMetadata(metadata)
    }
    func close() throws { try store.close() }
}
