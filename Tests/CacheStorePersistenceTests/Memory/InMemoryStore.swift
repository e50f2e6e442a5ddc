// SPDX-License-Identifier: MIT

import CacheStoreHealing
import CacheStoreModel
import CacheStoreQuery
import Foundation
import Synchronization

@testable import CacheStorePersistence

/// The plainest store there is: a fetch looks at every row of its entity, a save copies what it
/// changes. The SQLite store is compared with it, operation by operation.
final class InMemoryStore: PersistentStore {
    let space: IdentitySpace
    let model: ManagedObjectModel
    var url: URL? { nil }
    var isReadOnly: Bool { false }

    // `nil` once the store is closed.
    private let content: Mutex<MemoryContent?>

    /// Creates an empty store.
    init(model: ManagedObjectModel, identifier: UUID = UUID()) {
        self.model = model
        space = IdentitySpace.space(storeIdentifier: identifier, model: model)
        content = Mutex(MemoryContent(model: model))
    }

    /// The content as it is now. Reading goes on from there without the lock.
    private func snapshot() throws -> MemoryContent {
        guard let content = content.withLock({ $0 }) else { throw Self.closed }
        return content
    }

    private static let closed = PersistentStoreError(.closed, "The store is closed.")

    // MARK: - Reading

    func rows(matching query: StoreQuery) throws -> [RowBatch] {
        let content = try snapshot()
        let objects = try objects(matching: query, in: content)
        return content.batches(of: query.entity, objects.map { ($0.key, nil) })
    }

    func objectIDs(matching query: StoreQuery) throws -> [ManagedObjectID] {
        try objects(matching: query, in: snapshot()).map(\.queryID)
    }

    func count(matching query: StoreQuery) throws -> Int {
        try objects(matching: query, in: snapshot()).count
    }

    private func objects(
        matching query: StoreQuery, in content: MemoryContent
    ) throws -> ArraySlice<MemoryQueryObject> {
        try query.requireStoredValues(in: model)
        let evaluator = try QueryEvaluator(query.predicate ?? .true)
        let entity = query.entity
        let family = query.includesSubentities ? entity.familyIndexes : [entity.index]
        var objects: [MemoryQueryObject] = []
        for (key, row) in content.tables[entity.rootIndex] ?? [:]
        where family.contains(row.entityIndex) {
            let object = MemoryQueryObject(content: content, space: space, key: key, row: row)
            if evaluator.matches(object) { objects.append(object) }
        }
        let sorted = QueryOrder(query.sort).sorted(objects) { $0 }
        return sorted.dropFirst(max(0, query.offset)).prefix(max(0, query.limit ?? .max))
    }

    func rows(of entity: Entity, keys: [Int64]) throws -> [RowBatch] {
        let content = try snapshot()
        let known = Set(keys).filter { content.row(of: entity, key: $0) != nil }
        return content.batches(of: entity, known.sorted().map { ($0, nil) })
    }

    func members(
        of property: Property, in entity: Entity, owners: [Int64]
    ) throws -> [RowBatch] {
        let content = try snapshot()
        guard let relationship = property.relationship, property.isToMany else { return [] }
        let destination = model.entities[relationship.destinationIndex]
        let rows = Set(owners).sorted().flatMap { owner in
            content.members(of: relationship, owner: owner).map { ($0.key, Int64?.some(owner)) }
        }
        return content.batches(of: destination, rows)
    }

    // MARK: - Writing

    func save(_ changes: ChangeSet) throws -> SaveReceipt {
        let keys = try withContent { content in
            // All or nothing: the copy takes the place of the content only if nothing is thrown.
            var copy = content
            let keys = try copy.apply(changes, in: space)
            content = copy
            return keys
        }
        return SaveReceipt(insertedKeys: keys)
    }

    func reserveKeys(for entity: Entity, count: Int) throws -> Range<Int64> {
        try withContent { $0.reserveKeys(for: entity, count: count) }
    }

    func verifyGraph(repairing: Bool) throws -> GraphVerification {
        let space = space
        return try withContent { $0.verify(repairing: repairing, in: space) }
    }

    func metadata() throws -> [String: PropertyValue] { try snapshot().metadata }

    func setMetadata(_ metadata: [String: PropertyValue]) throws {
        try withContent { $0.metadata = metadata }
    }

    func close() throws { content.withLock { $0 = nil } }

    private func withContent<Result: Sendable>(
        _ body: (inout MemoryContent) throws -> Result
    ) throws -> Result {
        try content.withLock { content in
            guard var open = content else { throw Self.closed }
            let result = try body(&open)
            content = open
            return result
        }
    }
}
