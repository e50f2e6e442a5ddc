// SPDX-License-Identifier: MIT

import CacheStoreModel
import Foundation
import Testing

@Suite struct EntityDescriptionCodableTests {
    private func roundTrip(_ entity: EntityDescription) throws -> EntityDescription {
        try JSONDecoder().decode(EntityDescription.self, from: JSONEncoder().encode(entity))
    }

    @Test func `a description with everything in it comes back equal`() throws {
        let decimal = try #require(Decimal(string: "1.25"))
        let url = try #require(URL(string: "https://example.org/a"))
        let defaults: [(AttributeType, PropertyValue)] = [
            (.integer64, .integer(.min)), (.boolean, .boolean(true)),
            (.double, .double(-.infinity)),
            (.string, .string("ü\u{0}")), (.date, .date(Date(timeIntervalSince1970: 0.1))),
            (.binaryData, .data(Data([0, 255]))), (.decimal, .decimal(decimal)),
            (.uuid, .uuid(UUID())), (.url, .url(url)), (.string, .null),
        ]
        var attributes = defaults.enumerated().map { index, pair in
            AttributeDescription("a\(index)", pair.0, default: pair.1)
        }
        attributes.append(
            AttributeDescription(
                "full", .string, isOptional: true, options: [.compressed, .externalStorage],
                validation: [
                    .minimum(1), .maximum(2), .earliest(Date(timeIntervalSince1970: 1)),
                    .latest(Date(timeIntervalSince1970: 2)), .minimumLength(3),
                    .maximumLength(4), .matches("a+"),
                ], renamingIdentifier: "r", versionHashModifier: "v", userInfo: ["k": "v"]))
        let relationships = [
            RelationshipDescription(
                "many", toMany: "E", isOrdered: true, isOptional: false, inverse: "one",
                deleteRule: .cascade, minimumCount: 1, maximumCount: 9),
            RelationshipDescription("one", toOne: "E", inverse: "many", deleteRule: .deny),
        ]
        let entity = EntityDescription(
            "E", superentity: "S", isAbstract: true, attributes: attributes,
            relationships: relationships, uniquenessConstraints: [["a0", "a1"]],
            indexes: [IndexDescription("i", on: ["a2"])], renamingIdentifier: "old",
            versionHashModifier: "2", userInfo: ["x": "y"])
        #expect(try roundTrip(entity) == entity)
    }

    @Test func `an unknown type is an error, not a trap`() throws {
        let json = Data(#"{"name":"E","attributes":[{"name":"a","type":"colour"}]}"#.utf8)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(EntityDescription.self, from: json)
        }
    }
}
