// SPDX-License-Identifier: MIT

import CacheStoreModel
import Testing

/// Where a resolved model puts values.
@Suite struct RowLayoutTests {
    private let model: ManagedObjectModel

    init() throws {
        model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Animal", attributes: [AttributeDescription("name", .string)],
                relationships: [
                    RelationshipDescription("owner", toOne: "Owner", inverse: "animals"),
                    RelationshipDescription("friends", toMany: "Animal", inverse: "friends"),
                    RelationshipDescription("shows", toMany: "Show", isOrdered: true),
                ]),
            EntityDescription(
                "Cat", superentity: "Animal",
                attributes: [
                    AttributeDescription("lives", .integer8),
                    AttributeDescription("mood", .string, options: .transient),
                ]),
            EntityDescription(
                "Dog", superentity: "Animal",
                relationships: [RelationshipDescription("prey", toOne: "Cat")]),
            EntityDescription(
                "Owner",
                relationships: [
                    RelationshipDescription("animals", toMany: "Animal"),
                    RelationshipDescription("favourite", toOne: "Animal"),
                ]),
            EntityDescription(
                "Show",
                relationships: [
                    RelationshipDescription("animals", toMany: "Animal", inverse: "shows"),
                    RelationshipDescription("sponsors", toMany: "Owner"),
                ]),
        ])
    }

    private func property(_ entity: String, _ name: String) throws -> Property {
        try model.requiredEntity(named: entity).requiredProperty(named: name)
    }

    @Test func `a hierarchy has one layout`() throws {
        let animal = try model.requiredEntity(named: "Animal")
        let cat = try model.requiredEntity(named: "Cat")
        let owner = try model.requiredEntity(named: "Owner")
        #expect(animal.layout === cat.layout)
        #expect(animal.layout !== owner.layout)
        #expect(cat.root === animal)
        #expect(animal.layout.columns.map(\.property) == ["name", "owner", "lives", "prey"])
        #expect(
            animal.familyIndexes == [
                animal.index, cat.index, try model.requiredEntity(named: "Dog").index,
            ])
    }

    @Test func `a property has the same index and cell in all subentities`() throws {
        for name in ["name", "owner", "friends", "shows"] {
            let own = try property("Animal", name)
            for entity in ["Cat", "Dog"] {
                let inherited = try property(entity, name)
                #expect(inherited.index == own.index)
                #expect(inherited.column == own.column)
                #expect(inherited.declaringEntityIndex == own.declaringEntityIndex)
            }
        }
    }

    @Test func `rows do not hold transient and to-many properties`() throws {
        #expect(try property("Cat", "mood").column == nil)
        #expect(try property("Animal", "friends").column == nil)
        #expect(try property("Cat", "lives").column != nil)
    }

    @Test func `a reference has a cell for the entity only where that can vary`() throws {
        #expect(try property("Animal", "owner").entityColumn == nil)
        #expect(try property("Dog", "prey").entityColumn == nil)
        let favourite = try property("Owner", "favourite")
        let column = try #require(favourite.column)
        #expect(favourite.entityColumn == column + 1)
    }

    @Test func `a many-to-many relationship has one table, owned by the first name`() throws {
        let shows = try #require(try property("Animal", "shows").relationship)
        let animals = try #require(try property("Show", "animals").relationship)
        guard case .join(let index, let isFirst) = shows.storage,
            case .join(let otherIndex, let isOtherFirst) = animals.storage
        else {
            Issue.record("not in a join table")
            return
        }
        #expect(index == otherIndex)
        #expect(isFirst)
        #expect(!isOtherFirst)
        let join = model.joins[index]
        #expect(join.first.isOrdered)
        #expect(!join.second.isOrdered)
        #expect(!join.isSymmetric)
    }

    @Test func `a relationship that is its own inverse has a symmetric table`() throws {
        let friends = try #require(try property("Animal", "friends").relationship)
        guard case .join(let index, let isFirst) = friends.storage else {
            Issue.record("not in a join table")
            return
        }
        #expect(isFirst)
        #expect(model.joins[index].isSymmetric)
        #expect(friends.inverseIndex == (try property("Animal", "friends").index))
    }

    @Test func `a to-many relationship without an inverse has a table of its own`() throws {
        let sponsors = try #require(try property("Show", "sponsors").relationship)
        guard case .join(let index, let isFirst) = sponsors.storage else {
            Issue.record("not in a join table")
            return
        }
        #expect(isFirst)
        #expect(model.joins[index].second.propertyIndex == nil)
        #expect(sponsors.inverseIndex == nil)
        #expect(model.joins.count == 3)
    }
}
