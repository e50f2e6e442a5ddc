// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import Testing

@testable import CacheStorePersistence

/// A new store over the contract's model, with the operations that tests need in short form.
struct StoreFixture {
    let directory: TemporaryDirectory
    let store: any PersistentStore

    init(_ kind: StoreKind, model: ManagedObjectModel? = nil) throws {
        directory = try TemporaryDirectory()
        store = try kind.makeStore(model: model ?? ContractModel.make(), in: directory)
    }

    var model: ManagedObjectModel { store.model }

    func entity(_ name: String) throws -> Entity { try model.requiredEntity(named: name) }

    func index(_ property: String, of id: ManagedObjectID) throws -> Int {
        try id.resolvedEntity.requiredProperty(named: property).index
    }

    func path(_ names: String, of entity: String = "Person", scope: Int = 0) throws -> PropertyPath
    {
        try PropertyPath(names, from: self.entity(entity), in: model, scope: scope)
    }

    func property(
        _ names: String, of entity: String = "Person", scope: Int = 0
    ) throws -> QueryExpression { .property(try path(names, of: entity, scope: scope)) }

    // MARK: - Changes

    func temporaryID(_ entity: String) throws -> ManagedObjectID {
        .temporary(in: store.space, entityIndex: try self.entity(entity).index)
    }

    func insertion(
        _ entity: String, _ values: [String: PropertyValue], id: ManagedObjectID? = nil
    ) throws -> ChangeSet.Insertion {
        let id = try id ?? temporaryID(entity)
        return ChangeSet.Insertion(id: id, values: try row(values, of: id).values)
    }

    func update(
        _ id: ManagedObjectID, version: Int64 = 1, _ values: [String: PropertyValue]
    ) throws -> ChangeSet.Update {
        let row = try row(values, of: id)
        return ChangeSet.Update(
            id: id, version: version, changed: row.changed, values: row.values)
    }

    func toMany(
        _ owner: ManagedObjectID, _ property: String, added: [ManagedObjectID] = [],
        removed: [ManagedObjectID] = [], order: [ManagedObjectID]? = nil
    ) throws -> ChangeSet.ToManyChange {
        ChangeSet.ToManyChange(
            owner: owner, propertyIndex: try index(property, of: owner), added: added,
            removed: removed, order: order)
    }

    private func row(
        _ named: [String: PropertyValue], of id: ManagedObjectID
    ) throws -> (values: ContiguousArray<PropertyValue>, changed: PropertySet) {
        let count = id.resolvedEntity.properties.count
        var values = ContiguousArray(repeating: PropertyValue.null, count: count)
        var changed = PropertySet()
        for (name, value) in named {
            let index = try index(name, of: id)
            values[index] = value
            changed.insert(index)
        }
        return (values, changed)
    }

    @discardableResult
    func save(
        inserted: [ChangeSet.Insertion] = [], updated: [ChangeSet.Update] = [],
        deleted: [ChangeSet.Deletion] = [], toMany: [ChangeSet.ToManyChange] = []
    ) throws -> [ManagedObjectID] {
        var changes = ChangeSet()
        changes.inserted = inserted
        changes.updated = updated
        changes.deleted = deleted
        changes.toMany = toMany
        let receipt = try store.save(changes)
        #expect(receipt.insertedKeys.count == inserted.count)
        return zip(inserted, receipt.insertedKeys).map {
            ManagedObjectID(space: store.space, entityIndex: Int($0.id.entityIndex), key: $1)
        }
    }

    /// Saves one new object.
    func insert(_ entity: String, _ values: [String: PropertyValue]) throws -> ManagedObjectID {
        try #require(try save(inserted: [insertion(entity, values)]).first)
    }

    /// The conflicts that a save is refused with.
    func conflicts(_ save: () throws -> Void) throws -> [StoreConflicts.Conflict] {
        do {
            try save()
            return []
        } catch let error as StoreConflicts {
            return error.conflicts
        }
    }

    // MARK: - Reading

    func query(
        _ entity: String, _ predicate: QueryExpression? = nil, sort: [SortKey] = [],
        limit: Int? = nil, offset: Int = 0, includesSubentities: Bool = true
    ) throws -> StoreQuery {
        StoreQuery(
            entity: try self.entity(entity), includesSubentities: includesSubentities,
            predicate: predicate, sort: sort, limit: limit, offset: offset)
    }

    /// The decoded rows of a query, which its IDs and its count have to agree with.
    func fetch(_ query: StoreQuery) throws -> [FetchedRow] {
        let rows = FetchedRow.decode(try store.rows(matching: query), in: model)
        #expect(try store.objectIDs(matching: query).map(\.key) == rows.map(\.key))
        #expect(try store.count(matching: query) == rows.count)
        return rows
    }

    /// The names of the objects that a predicate holds for, in the order of their insertion.
    func names(_ entity: String = "Person", _ predicate: QueryExpression) throws -> [String] {
        try fetch(query(entity, predicate)).map(\.name)
    }

    func row(_ id: ManagedObjectID) throws -> FetchedRow? {
        FetchedRow.decode(
            try store.rows(of: id.resolvedEntity, keys: [id.key]), in: model
        ).first
    }

    /// The members of one to-many relationship, by their owners.
    func members(_ property: String, of owners: ManagedObjectID...) throws -> [Int64: [Int64]] {
        guard let entity = owners.first?.resolvedEntity else { return [:] }
        let batches = try store.members(
            of: entity.requiredProperty(named: property), in: entity, owners: owners.map(\.key))
        var members: [Int64: [Int64]] = [:]
        for batch in batches {
            for row in 0..<batch.count {
                let owner = batch.integer(row: row, column: batch.cellCount - 1)
                members[owner, default: []].append(batch.key(ofRow: row))
            }
        }
        return members
    }
}

/// A row as its values: what the graph would read from the batch.
struct FetchedRow: Hashable {
    var key: Int64
    var entity: String
    var version: Int64
    var values: [String: PropertyValue]
    /// The entities and keys of the objects that to-one relationships refer to.
    var references: [String: Reference]

    struct Reference: Hashable {
        var entity: String
        var key: Int64
    }

    var name: String {
        if case .string(let name) = values["name"] { return name }
        return ""
    }

    static func decode(_ batches: [RowBatch], in model: ManagedObjectModel) -> [FetchedRow] {
        batches.flatMap { batch in
            (0..<batch.count).map { decode(batch, row: $0, in: model) }
        }
    }

    static func decode(
        _ batch: RowBatch, row: Int, in model: ManagedObjectModel
    ) -> FetchedRow {
        let entity = model.entities[batch.entityIndex(ofRow: row)]
        var fetched = FetchedRow(
            key: batch.key(ofRow: row), entity: entity.name, version: batch.version(ofRow: row),
            values: [:], references: [:])
        for property in entity.properties {
            guard let column = property.column else { continue }
            switch property.kind {
            case .attribute(let attribute):
                let value = batch.value(row: row, column: column, type: attribute.type)
                fetched.values[property.name] = value
            case .relationship(let relationship):
                guard batch.tag(row: row, column: column) == RowBatch.Tag.integer else { continue }
                let index =
                    property.entityColumn.map { Int(batch.integer(row: row, column: $0)) }
                    ?? relationship.destinationIndex
                fetched.references[property.name] = Reference(
                    entity: model.entities[index].name,
                    key: batch.integer(row: row, column: column))
            }
        }
        return fetched
    }
}

extension FetchedRow: CustomStringConvertible {
    var description: String {
        let values = values.filter { !$0.value.isNull }.sorted { $0.key < $1.key }
            .map { "\($0.key): \($0.value)" }
        let references = references.sorted { $0.key < $1.key }
            .map { "\($0.key): \($0.value.entity) \($0.value.key)" }
        let all = (values + references).joined(separator: ", ")
        return "\(entity) \(key) version \(version) (\(all))"
    }
}
