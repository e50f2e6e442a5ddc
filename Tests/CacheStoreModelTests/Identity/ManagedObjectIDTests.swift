// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import Synchronization
import Testing

@testable import CacheStoreModel

@Suite struct ManagedObjectIDTests {
    private static func makeModel() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription("Animal"), EntityDescription("Cat", superentity: "Animal"),
            EntityDescription("Stone"),
        ])
    }

    private func id(
        _ model: ManagedObjectModel, _ store: UUID?, _ entity: String, _ key: Int64
    ) throws -> ManagedObjectID {
        ManagedObjectID(
            space: IdentitySpace.space(storeIdentifier: store, model: model),
            entityIndex: try model.requiredEntity(named: entity).index, key: key)
    }

    @Test func `IDs are equal when they name the same row`() throws {
        let model = try Self.makeModel()
        let (store, other) = (UUID(), UUID())
        let first = try id(model, store, "Animal", 7)
        // The rows of a hierarchy share their keys.
        #expect(first == (try id(model, store, "Cat", 7)))
        #expect(first.hashValue == (try id(model, store, "Cat", 7)).hashValue)
        #expect(first != (try id(model, store, "Animal", 8)))
        #expect(first != (try id(model, store, "Stone", 7)))
        #expect(first != (try id(model, other, "Animal", 7)))
    }

    @Test func `IDs of one store under two models are equal`() throws {
        let store = UUID()
        let first = try id(try Self.makeModel(), store, "Cat", 7)
        let second = try id(try Self.makeModel(), store, "Cat", 7)
        #expect(first.space !== second.space)
        #expect(first == second)
        #expect(first.hashValue == second.hashValue)
    }

    @Test func `the URI tells store, entity and key`() throws {
        let store = UUID()
        let saved = try id(try Self.makeModel(), store, "Cat", .max)
        let uri = saved.uriRepresentation
        #expect(
            uri.absoluteString == "x-cachestore://\(store.uuidString)/Cat/p9223372036854775807")
        let parts = try #require(ManagedObjectID.parse(uri))
        #expect(parts.storeIdentifier == store)
        #expect(parts.entityName == "Cat")
        #expect(parts.key == .max)
    }

    @Test func `a temporary ID has a URI, with and without a store`() throws {
        let model = try Self.makeModel()
        for store in [nil, UUID()] {
            let temporary = try id(model, store, "Stone", -12)
            #expect(temporary.isTemporaryID)
            let parts = try #require(ManagedObjectID.parse(temporary.uriRepresentation))
            #expect(parts.storeIdentifier == store)
            #expect(parts.key == -12)
        }
    }

    @Test func `a name of any script survives the URI`() throws {
        let model = try ManagedObjectModel(entities: [EntityDescription("Größe")])
        let parts = try #require(
            ManagedObjectID.parse(try id(model, UUID(), "Größe", 1).uriRepresentation))
        #expect(parts.entityName == "Größe")
    }

    @Test(arguments: [
        "http://00000000-0000-0000-0000-000000000000/Cat/p1", "x-cachestore:", "x-cachestore://",
        "x-cachestore:///Cat", "x-cachestore:///Cat/", "x-cachestore:///Cat/p",
        "x-cachestore:///Cat/p0", "x-cachestore:///Cat/p-1", "x-cachestore:///Cat/t-1",
        "x-cachestore:///Cat/q1", "x-cachestore:///Cat/p1/p1", "x-cachestore:///Cat/p1x",
        "x-cachestore:///Cat/p9223372036854775808", "x-cachestore://not-a-uuid/Cat/p1",
        "x-cachestore:///Cat/p%00", "x-cachestore:///%2F/p1", "x-cachestore:///Cat/%F0%9F",
        "/Cat/p1",
    ])
    func `a malformed URI is no ID`(text: String) throws {
        // Foundation refuses some of the texts already.
        guard let uri = URL(string: text) else { return }
        #expect(ManagedObjectID.parse(uri) == nil)
    }

    @Test func `temporary keys differ across threads`() throws {
        let model = try Self.makeModel()
        let space = IdentitySpace.space(storeIdentifier: nil, model: model)
        let keys = Mutex<Set<Int64>>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            let made = (0..<500).map { _ in
                ManagedObjectID.temporary(in: space, entityIndex: 0).key
            }
            keys.withLock { $0.formUnion(made) }
        }
        let all = keys.withLock { $0 }
        #expect(all.count == 4000)
        #expect(all.allSatisfy { $0 < 0 })
    }
}
