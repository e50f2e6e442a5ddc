// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreSQLite
import Foundation

/// Checks that rows, references and files agree with each other, and repairs what does not.
///
/// Each rule is one query that gives the rows that break it, so that a healthy store costs no memory,
/// whatever its size: O(rows), with one look-up by key for each reference. Repairs are made row by row
/// as such rows are found, in the caller's transaction, and later rules see what earlier ones did.
///
/// 1. Rows: entity, key, version; then the last key of the table.
/// 2. To-one references; then those of one-to-one relationships, which the other end must return.
/// 3. Pairs of join tables; then the second direction of symmetric ones.
/// 4. Places in ordered relationships.
/// 5. Files of large values.
final class GraphChecker {
    let connection: Connection
    let map: StoreMap
    let space: IdentitySpace
    let repairs: Bool
    private(set) var verification = GraphVerification(report: GraphReport())
    /// Whether anything was found that a repair would change.
    private(set) var foundRepairable = false
    private var tallies: [Tally.Place: Int] = [:]
    private var found: [Tally] = []

    /// A finding that is being counted.
    private struct Tally {
        struct Place: Hashable {
            let kind: GraphReport.Kind
            let entity: String?
            let property: String?
        }
        let place: Place
        var count = 0
        var repaired = 0
    }

    /// A row with a fault.
    struct Row {
        let key: Int64
        let version: Int64
        /// The index of its entity; the root's where the row does not say one that is known.
        let entity: Int
    }

    init(_ connection: Connection, map: StoreMap, space: IdentitySpace, repairs: Bool) {
        self.connection = connection
        self.map = map
        self.space = space
        self.repairs = repairs
    }

    var model: ManagedObjectModel { map.model }

    /// Applies all rules but those about files.
    func checkRows() throws {
        let roots = model.entities.filter { $0.rootIndex == $0.index }
        for root in roots { try checkTable(of: root) }
        for entity in model.entities {
            for property in entity.properties where property.declaringEntityIndex == entity.index {
                try checkReference(property, of: entity)
            }
        }
        for entity in model.entities {
            for property in entity.properties where property.declaringEntityIndex == entity.index {
                try checkOneToOne(property, of: entity)
            }
        }
        for join in model.joins { try checkPairs(join) }
        try checkOrders()
    }

    /// The report with what was found so far.
    func finish() -> GraphVerification {
        var result = verification
        result.report.findings = found.map {
            GraphReport.Finding(
                kind: $0.place.kind, entity: $0.place.entity, property: $0.place.property,
                count: $0.count, repairedCount: $0.repaired)
        }
        return result
    }

    // MARK: What was found

    /// Counts a fault, and returns whether it is to be repaired now.
    ///
    /// - Parameter isRepairable: whether there is a repair that a program would want.
    func note(
        _ kind: GraphReport.Kind, _ entity: Entity?, _ property: String? = nil,
        count: Int = 1, isRepairable: Bool = true
    ) -> Bool {
        let place = Tally.Place(kind: kind, entity: entity?.name, property: property)
        let index = tallies[place] ?? found.count
        if index == found.count {
            tallies[place] = index
            found.append(Tally(place: place))
        }
        found[index].count += count
        if isRepairable { foundRepairable = true }
        guard repairs, isRepairable else { return false }
        found[index].repaired += count
        return true
    }

    func noteCount(_ count: Int, of entity: Entity) {
        verification.report.objectCounts[entity.name, default: 0] += count
    }

    func noteFiles(named count: Int, searchedForOrphans: Bool) {
        verification.report.externalFileCount = count
        verification.report.searchedForOrphanedFiles = searchedForOrphans
    }

    // MARK: What is told to contexts

    func noteDeletion(of row: Row) {
        verification.changes.deleted.append(
            ChangeSet.Deletion(id: id(of: row), version: row.version))
    }

    func noteUpdate(of row: Row, _ property: Property, to value: PropertyValue) {
        let entity = model.entities[row.entity]
        // A row of another entity than the property's has nothing to show for it.
        guard model.entities[property.declaringEntityIndex].familyIndexes.contains(row.entity)
        else { return }
        var values = ContiguousArray(
            repeating: PropertyValue.null, count: entity.properties.count)
        values[property.index] = value
        verification.changes.updated.append(
            ChangeSet.Update(
                id: id(of: row), version: row.version, changed: PropertySet([property.index]),
                values: values))
    }

    func noteMembers(
        of owner: ManagedObjectID, _ property: Int, added: [ManagedObjectID] = [],
        removed: [ManagedObjectID] = []
    ) {
        verification.changes.toMany.append(
            ChangeSet.ToManyChange(
                owner: owner, propertyIndex: property, added: added, removed: removed))
    }

    func id(of row: Row) -> ManagedObjectID { id(row.key, entity: row.entity) }

    func id(_ key: Int64, entity: Int) -> ManagedObjectID {
        ManagedObjectID(space: space, entityIndex: entity, key: key)
    }

    // MARK: SQL

    func quoted(_ name: String) -> String { SQLFragment.quoted(name) }

    /// The numbers of an entity and its subentities as a list in SQL.
    func family(_ entity: Entity) -> String {
        map.numbers.list(family: entity, includesSubentities: true)
    }

    /// The expression for the entity of a row of a table: a constant where all rows have the same.
    func entityColumn(_ table: EntityTable, alias: String) -> String {
        table.hasEntityColumn
            ? "\(alias).\"_entity\"" : "\(map.numbers.numbers[table.rootIndex])"
    }

    func entityIndex(_ number: Int64, in table: EntityTable) -> Int {
        map.numbers.index(ofNumber: number) ?? table.rootIndex
    }

    /// Collects what a query says about each row it gives: only rows with a fault are given.
    func collect<T>(_ sql: String, _ body: (Statement) -> T) throws -> [T] {
        var result: [T] = []
        try connection.statement(sql: sql).rows { result.append(body($0)) }
        return result
    }

    func run(_ sql: String, _ bindings: [SQLBinding]) throws {
        try connection.statement(sql: sql).run(bindings)
    }
}
