// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStorePersistence
import CacheStoreQuery
import Foundation
import Testing

/// A store in memory with a small model: photos (and a subentity of them), albums and tags.
struct Library {
    let store: SQLiteStore
    let model: ManagedObjectModel

    static func model(_ change: (inout [EntityDescription]) -> Void = { _ in }) throws
        -> ManagedObjectModel
    {
        var entities = [
            EntityDescription(
                "Photo",
                attributes: [
                    AttributeDescription("identifier", .string, options: .unique),
                    AttributeDescription("title", .string, isOptional: true, options: .indexed),
                    AttributeDescription("rating", .integer16, isOptional: true),
                    AttributeDescription("price", .decimal, isOptional: true),
                    AttributeDescription("weight", .double, isOptional: true),
                    AttributeDescription("takenAt", .date, isOptional: true, options: .indexed),
                    AttributeDescription("notes", .string, isOptional: true, options: .compressed),
                    AttributeDescription(
                        "pixels", .binaryData, isOptional: true,
                        options: [.externalStorage, .compressed]),
                ],
                relationships: [
                    RelationshipDescription("album", toOne: "Album", inverse: "photos"),
                    RelationshipDescription(
                        "tags", toMany: "Tag", isOrdered: true, inverse: "photos"),
                ]),
            EntityDescription(
                "Panorama", superentity: "Photo",
                attributes: [AttributeDescription("width", .integer32, isOptional: true)]),
            EntityDescription(
                "Album",
                attributes: [AttributeDescription("name", .string)],
                relationships: [
                    RelationshipDescription(
                        "photos", toMany: "Photo", isOrdered: true, inverse: "album"),
                    RelationshipDescription("cover", toOne: "Photo"),
                ]),
            EntityDescription(
                "Tag", attributes: [AttributeDescription("name", .string)],
                relationships: [RelationshipDescription("photos", toMany: "Photo")]),
        ]
        change(&entities)
        return try ManagedObjectModel(entities: entities)
    }

    init() throws {
        model = try Self.model()
        store = try SQLiteStore.inMemory(model: model)
    }

    init(_ store: SQLiteStore) {
        self.store = store
        model = store.model
    }

    func entity(_ name: String) throws -> Entity { try #require(model.entity(named: name)) }

    func property(_ name: String, of entity: String) throws -> Property {
        try #require(try self.entity(entity).property(named: name))
    }

    func values(
        _ entity: Entity, _ named: [String: PropertyValue]
    ) throws -> ContiguousArray<PropertyValue> {
        var values = ContiguousArray<PropertyValue>(
            repeating: .null, count: entity.properties.count)
        for (name, value) in named {
            values[try #require(entity.property(named: name)).index] = value
        }
        return values
    }

    func insertion(
        _ name: String, _ named: [String: PropertyValue] = [:]
    ) throws -> ChangeSet.Insertion {
        let entity = try entity(name)
        return ChangeSet.Insertion(
            id: .temporary(in: store.space, entityIndex: entity.index),
            values: try values(entity, named))
    }

    func update(
        _ id: ManagedObjectID, version: Int64 = 1, _ named: [String: PropertyValue]
    ) throws -> ChangeSet.Update {
        let entity = id.resolvedEntity
        let indexes = try named.keys.map { try #require(entity.property(named: $0)).index }
        return ChangeSet.Update(
            id: id, version: version, changed: PropertySet(indexes),
            values: try values(entity, named))
    }

    /// Saves one new object and returns its permanent ID.
    @discardableResult
    func insert(_ name: String, _ named: [String: PropertyValue] = [:]) throws -> ManagedObjectID {
        var changes = ChangeSet()
        changes.inserted = [try insertion(name, named)]
        let keys = try store.save(changes).insertedKeys
        return ManagedObjectID(
            space: store.space, entityIndex: try entity(name).index,
            key: try #require(keys.first))
    }

    func save(_ fill: (inout ChangeSet) throws -> Void) throws {
        var changes = ChangeSet()
        try fill(&changes)
        _ = try store.save(changes)
    }

    /// The values of an attribute in the rows of batches, in their order.
    func values(_ name: String, of entity: String, in batches: [RowBatch]) throws -> [PropertyValue]
    {
        let property = try property(name, of: entity)
        let column = try #require(property.column)
        let type = try #require(property.attribute).type
        return batches.flatMap { batch in
            (0..<batch.count).map { batch.value(row: $0, column: column, type: type) }
        }
    }

    func path(_ names: String, from entity: String, scope: Int = 0) throws -> PropertyPath {
        try PropertyPath(names, from: self.entity(entity), in: model, scope: scope)
    }

    func query(
        _ entity: String = "Photo", where predicate: QueryExpression? = nil, sort: [SortKey] = []
    ) throws -> StoreQuery {
        StoreQuery(entity: try self.entity(entity), predicate: predicate, sort: sort)
    }
}
