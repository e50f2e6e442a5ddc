// SPDX-License-Identifier: MIT

import CacheStoreModel

/// A model with every type of attribute and every storage of a relationship.
enum ContractModel {
    static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [value, person, employee, team, tag])
    }

    /// The types of attributes, each with the name of the attribute that has it.
    static let types: [(name: String, type: AttributeType)] = AttributeType.Kind.allCases.map {
        ("of_\($0.rawValue)", AttributeType($0))
    }

    private static let value = EntityDescription(
        "Value",
        attributes: types.map { AttributeDescription($0.name, $0.type, isOptional: true) } + [
            AttributeDescription("packed", .string, isOptional: true, options: .compressed),
            AttributeDescription(
                "outside", .binaryData, isOptional: true, options: .externalStorage),
            AttributeDescription("passing", .string, isOptional: true, options: .transient),
        ])

    private static let person = EntityDescription(
        "Person",
        attributes: [
            AttributeDescription("name", .string),
            AttributeDescription("age", .integer32, isOptional: true),
            AttributeDescription("height", .double, isOptional: true),
            AttributeDescription("email", .string, isOptional: true, options: .unique),
            AttributeDescription("first", .string, isOptional: true),
            AttributeDescription("last", .integer64, isOptional: true),
            AttributeDescription("isActive", .boolean, isOptional: true),
            AttributeDescription("wealth", .decimal, isOptional: true),
            AttributeDescription("born", .date, isOptional: true),
            AttributeDescription("note", .string, isOptional: true, options: .compressed),
        ],
        relationships: [
            RelationshipDescription("team", toOne: "Team", inverse: "members"),
            RelationshipDescription("friends", toMany: "Person", inverse: "friends"),
            RelationshipDescription("tags", toMany: "Tag", isOrdered: true, inverse: "people"),
            RelationshipDescription("likes", toMany: "Tag"),
        ],
        uniquenessConstraints: [["first", "last"]])

    private static let employee = EntityDescription(
        "Employee", superentity: "Person",
        attributes: [
            AttributeDescription("salary", .integer64, isOptional: true),
            AttributeDescription("badge", .string, isOptional: true, options: .unique),
        ],
        relationships: [
            RelationshipDescription("boss", toOne: "Employee", inverse: "reports"),
            RelationshipDescription("reports", toMany: "Employee"),
        ])

    private static let team = EntityDescription(
        "Team", attributes: [AttributeDescription("name", .string)],
        relationships: [
            RelationshipDescription("members", toMany: "Person", isOrdered: true),
            RelationshipDescription("lead", toOne: "Person"),
        ])

    private static let tag = EntityDescription(
        "Tag",
        attributes: [
            AttributeDescription("name", .string),
            AttributeDescription("weight", .integer16, isOptional: true),
        ],
        relationships: [
            RelationshipDescription("people", toMany: "Person", isOrdered: true, inverse: "tags")
        ])
}
