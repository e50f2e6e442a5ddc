// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import CacheStoreModel

@Suite struct ManagedObjectIDCodableTests {
    private let model: ManagedObjectModel

    init() throws {
        model = try ManagedObjectModel(entities: [
            EntityDescription("Animal"), EntityDescription("Cat", superentity: "Animal"),
        ])
    }

    private func id(_ entity: String, _ key: Int64) throws -> ManagedObjectID {
        ManagedObjectID(
            space: IdentitySpace.space(storeIdentifier: UUID(), model: model),
            entityIndex: try model.requiredEntity(named: entity).index, key: key)
    }

    @Test func `a permanent ID comes back as it was`() throws {
        let ids = [try id("Cat", 7), try id("Animal", .max)]
        let decoded = try JSONDecoder().decode(
            [ManagedObjectID].self, from: JSONEncoder().encode(ids))
        #expect(decoded == ids)
        #expect(decoded.map(\.entityName) == ["Cat", "Animal"])
    }

    @Test func `a temporary ID is not encoded`() throws {
        let space = IdentitySpace.space(storeIdentifier: UUID(), model: model)
        let id = ManagedObjectID.temporary(in: space, entityIndex: 0)
        #expect(throws: EncodingError.self) { try JSONEncoder().encode([id]) }
    }

    @Test func `what names no object of a known store is not decoded`() throws {
        let known = try id("Cat", 7).uriRepresentation.absoluteString
        for text in [
            "https://example.org", known.replacingOccurrences(of: "Cat", with: "Dog"),
            known.replacingOccurrences(of: "/p", with: "/t"),
            "x-cachestore://\(UUID().uuidString)/Cat/p7", "x-cachestore:///Cat/p7",
        ] {
            let data = try JSONEncoder().encode([text])
            #expect(throws: DecodingError.self, "\(text)") {
                try JSONDecoder().decode([ManagedObjectID].self, from: data)
            }
        }
    }
}
