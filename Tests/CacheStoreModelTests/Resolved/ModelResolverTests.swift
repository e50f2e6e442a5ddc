// SPDX-License-Identifier: MIT

import CacheStoreModel
import Testing

/// What makes a model unsound, and what does not.
@Suite struct ModelResolverTests {
    private func error(_ entities: EntityDescription...) throws -> ModelError {
        try #require(throws: ModelError.self) { try ManagedObjectModel(entities: entities) }
    }

    // MARK: - Names

    @Test(arguments: [
        "", "1st", "a b", "a-b", "a.b", "\"", "é'", String(repeating: "x", count: 129),
    ])
    func `names that are no identifiers are refused`(name: String) throws {
        #expect(try error(EntityDescription(name)).code == .invalidName)
        let attribute = try error(
            EntityDescription("A", attributes: [AttributeDescription(name, .string)]))
        #expect(attribute.code == .invalidName)
        #expect(attribute.entity == "A")
        let relationship = try error(
            EntityDescription("A", relationships: [RelationshipDescription(name, toOne: "A")]))
        #expect(relationship.code == .invalidName)
    }

    @Test(arguments: ["_", "_a1", "Größe", "名前", String(repeating: "x", count: 128)])
    func `identifiers of any script are taken`(name: String) throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(name, attributes: [AttributeDescription(name, .string)])
        ])
        #expect(model.entity(named: name)?.property(named: name) != nil)
    }

    @Test func `two entities of one name are refused`() throws {
        let error = try error(EntityDescription("A"), EntityDescription("A"))
        #expect(error.code == .duplicateName)
        #expect(error.entity == "A")
    }

    @Test func `two properties of one name are refused, of whatever kind`() throws {
        let error = try error(
            EntityDescription(
                "A", attributes: [AttributeDescription("b", .string)],
                relationships: [RelationshipDescription("b", toOne: "A")]))
        #expect(error.code == .duplicateName)
        #expect(error.property == "b")
    }

    @Test func `a property of a superentity's name is refused`() throws {
        let error = try error(
            EntityDescription("Top", attributes: [AttributeDescription("name", .string)]),
            EntityDescription("Middle", superentity: "Top"),
            EntityDescription(
                "Bottom", superentity: "Middle",
                attributes: [AttributeDescription("name", .integer64)]))
        #expect(error.code == .duplicateName)
        #expect(error.entity == "Bottom")
        #expect(error.property == "name")
    }

    @Test func `siblings may have properties of one name`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription("Top"),
            EntityDescription(
                "First", superentity: "Top", attributes: [AttributeDescription("x", .string)]),
            EntityDescription(
                "Second", superentity: "Top", attributes: [AttributeDescription("x", .integer8)]),
        ])
        let columns = try ["First", "Second"].map {
            try model.requiredEntity(named: $0).requiredProperty(named: "x").column
        }
        #expect(columns[0] != columns[1])
    }

    // MARK: - Inheritance

    @Test func `an unknown superentity is refused`() throws {
        let error = try error(EntityDescription("A", superentity: "B"))
        #expect(error.code == .unknownEntity)
        #expect(error.entity == "A")
    }

    @Test(arguments: [["A"], ["A", "B"], ["A", "B", "C"]])
    func `an entity cannot inherit from itself`(names: [String]) throws {
        let entities = names.indices.map {
            EntityDescription(names[$0], superentity: names[($0 + 1) % names.count])
        }
        let error = try #require(throws: ModelError.self) {
            try ManagedObjectModel(entities: entities + [EntityDescription("Other")])
        }
        #expect(error.code == .inheritanceCycle)
    }

    // MARK: - Attributes

    @Test(arguments: [
        (AttributeType.string, PropertyValue.integer(1)), (.integer16, .string("1")),
        (.double, .integer(1)), (.boolean, .integer(1)), (.date, .double(0)),
        (.uuid, .string("x")), (.decimal, .double(1)), (.binaryData, .string("x")),
    ])
    func `a default of another type is refused`(type: AttributeType, value: PropertyValue) throws {
        let error = try error(
            EntityDescription("A", attributes: [AttributeDescription("b", type, default: value)]))
        #expect(error.code == .invalidDefault)
        #expect(error.property == "b")
    }

    @Test(
        arguments: [AttributeOptions.compressed, .externalStorage, .transient],
        [
            AttributeOptions.unique, .indexed,
        ])
    func `what a store cannot look into cannot be indexed`(
        option: AttributeOptions, key: AttributeOptions
    ) throws {
        let error = try error(
            EntityDescription(
                "A", attributes: [AttributeDescription("b", .string, options: [option, key])]))
        #expect(error.code == .unsupported)
    }

    @Test(arguments: [AttributeType.integer64, .date, .uuid, .boolean, .decimal])
    func `only text and data can be compressed or external`(type: AttributeType) throws {
        for option in [AttributeOptions.compressed, .externalStorage] {
            let error = try error(
                EntityDescription(
                    "A", attributes: [AttributeDescription("b", type, options: option)]))
            #expect(error.code == .unsupported)
        }
    }

    // MARK: - Inverses

    @Test func `an unknown destination is refused`() throws {
        let error = try error(
            EntityDescription("A", relationships: [RelationshipDescription("b", toMany: "B")]))
        #expect(error.code == .unknownEntity)
        #expect(error.property == "b")
    }

    @Test func `an unknown inverse is refused, and so is an attribute as one`() throws {
        for name in ["nothing", "text"] {
            let error = try error(
                EntityDescription(
                    "A", relationships: [RelationshipDescription("b", toOne: "B", inverse: name)]),
                EntityDescription("B", attributes: [AttributeDescription("text", .string)]))
            #expect(error.code == .unknownProperty)
            #expect(error.entity == "A")
        }
    }

    @Test(arguments: [true, false])
    func `it is enough that one side names the inverse`(isFirst: Bool) throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "A",
                relationships: [
                    RelationshipDescription("b", toOne: "B", inverse: isFirst ? "as" : nil)
                ]),
            EntityDescription(
                "B",
                relationships: [
                    RelationshipDescription("as", toMany: "A", inverse: isFirst ? nil : "b")
                ]),
        ])
        #expect(model.entitiesByName["A"]?.relationships.first?.inverse == "as")
        #expect(model.entitiesByName["B"]?.relationships.first?.inverse == "b")
        let property = try model.requiredEntity(named: "B").requiredProperty(named: "as")
        #expect(property.relationship?.storage == .inverseColumn)
    }

    @Test func `two relationships cannot have the same inverse`() throws {
        let error = try error(
            EntityDescription(
                "A",
                relationships: [
                    RelationshipDescription("first", toOne: "B", inverse: "as"),
                    RelationshipDescription("second", toOne: "B", inverse: "as"),
                ]),
            EntityDescription("B", relationships: [RelationshipDescription("as", toMany: "A")]))
        #expect(error.code == .contradictoryInverse)
    }

    @Test func `an inverse that names another inverse is refused`() throws {
        let error = try error(
            EntityDescription(
                "A",
                relationships: [
                    RelationshipDescription("first", toOne: "B", inverse: "as"),
                    RelationshipDescription("second", toOne: "B"),
                ]),
            EntityDescription(
                "B", relationships: [RelationshipDescription("as", toMany: "A", inverse: "second")])
        )
        #expect(error.code == .contradictoryInverse)
    }

    @Test func `an inverse that leads elsewhere is refused`() throws {
        let error = try error(
            EntityDescription(
                "A", relationships: [RelationshipDescription("b", toOne: "B", inverse: "cs")]),
            EntityDescription("B", relationships: [RelationshipDescription("cs", toMany: "C")]),
            EntityDescription("C"))
        #expect(error.code == .contradictoryInverse)
    }

    @Test func `two subentities cannot share the inverse of their superentity`() throws {
        // `as` leads to objects that may have neither relationship.
        let error = try error(
            EntityDescription("Top"),
            EntityDescription(
                "First", superentity: "Top",
                relationships: [RelationshipDescription("b", toOne: "B", inverse: "as")]),
            EntityDescription(
                "Second", superentity: "Top",
                relationships: [RelationshipDescription("b", toOne: "B", inverse: "as")]),
            EntityDescription("B", relationships: [RelationshipDescription("as", toMany: "Top")]))
        #expect(error.code == .contradictoryInverse)
    }

    @Test func `an inverse may be declared by a superentity of the destination`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Top", relationships: [RelationshipDescription("bs", toMany: "B", inverse: "top")]),
            EntityDescription(
                "Sub", superentity: "Top", attributes: [AttributeDescription("x", .string)]),
            EntityDescription("B", relationships: [RelationshipDescription("top", toOne: "Sub")]),
        ])
        let back = try model.requiredEntity(named: "B").requiredProperty(named: "top")
        let inverse = try #require(back.relationship?.inverseIndex)
        #expect(try model.requiredEntity(named: "Sub").properties[inverse].name == "bs")
        #expect(try model.requiredEntity(named: "Top").properties[inverse].name == "bs")
    }

    // MARK: - Constraints and indexes

    @Test func `a constraint or index over an unknown property is refused`() throws {
        #expect(
            try error(EntityDescription("A", uniquenessConstraints: [["b"]])).code
                == .unknownProperty)
        #expect(
            try error(EntityDescription("A", indexes: [IndexDescription("i", on: ["b"])])).code
                == .unknownProperty)
    }

    @Test(arguments: [[], ["many"], ["packed"], ["volatile"], ["plain", "plain"]] as [[String]])
    func `a constraint or index over what has no plain column is refused`(
        names: [String]
    ) throws {
        var entity = EntityDescription(
            "A",
            attributes: [
                AttributeDescription("plain", .string),
                AttributeDescription("packed", .string, options: .compressed),
                AttributeDescription("volatile", .string, options: .transient),
            ], relationships: [RelationshipDescription("many", toMany: "A")])
        entity.uniquenessConstraints = [names]
        #expect(try error(entity).code == .invalidConstraint)
        entity.uniquenessConstraints = []
        entity.indexes = [IndexDescription("i", on: names)]
        #expect(try error(entity).code == .invalidConstraint)
    }

    @Test func `two indexes of one name are refused`() throws {
        let index = IndexDescription("i", on: ["x"])
        let error = try error(
            EntityDescription(
                "A", attributes: [AttributeDescription("x", .string)], indexes: [index, index]))
        #expect(error.code == .duplicateName)
    }

    @Test func `constraints hold for subentities, each once`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Top",
                attributes: [
                    AttributeDescription("x", .string, options: .unique),
                    AttributeDescription("y", .string),
                ],
                relationships: [RelationshipDescription("z", toOne: "Top")],
                uniquenessConstraints: [["x"], ["y", "z"]]),
            EntityDescription(
                "Sub", superentity: "Top",
                attributes: [AttributeDescription("w", .string, options: .unique)]),
        ])
        let top = try model.requiredEntity(named: "Top")
        let sub = try model.requiredEntity(named: "Sub")
        func names(_ entity: Entity) -> [[String]] {
            entity.constraints.map { $0.propertyIndexes.map { entity.properties[$0].name } }
        }
        #expect(names(top) == [["x"], ["y", "z"]])
        #expect(names(sub) == [["x"], ["y", "z"], ["w"]])
        #expect(sub.constraints.map(\.declaringEntityIndex) == [top.index, top.index, sub.index])
    }
}
