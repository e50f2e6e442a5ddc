// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import Foundation

@testable import CacheStorePersistence

/// One of two stores that get the same operations. Objects have the same number in both, whatever
/// keys the stores give them.
final class ComparedStore {
    let store: any PersistentStore
    /// The IDs of all objects there ever were, by number.
    private(set) var ids: [ManagedObjectID] = []
    private var numbers: [Key: Int] = [:]

    private struct Key: Hashable {
        var root: Int
        var key: Int64
    }

    init(_ store: any PersistentStore) { self.store = store }

    func add(_ id: ManagedObjectID) {
        numbers[Key(root: id.resolvedEntity.rootIndex, key: id.key)] = ids.count
        ids.append(id)
    }

    private func number(_ entity: Entity, _ key: Int64) -> Int {
        numbers[Key(root: entity.rootIndex, key: key)] ?? -1
    }

    /// A row with numbers in place of keys.
    private func numbered(_ row: FetchedRow) -> FetchedRow {
        var row = row
        func number(_ entity: String, _ key: Int64) -> Int64 {
            store.model.entity(named: entity).map { Int64(self.number($0, key)) } ?? -1
        }
        row.key = number(row.entity, row.key)
        for (name, reference) in row.references {
            row.references[name]?.key = number(reference.entity, reference.key)
        }
        return row
    }

    // MARK: - Answers that can be compared

    func rows(_ query: StoreQuery) -> Answer<[FetchedRow]> {
        Answer {
            FetchedRow.decode(try store.rows(matching: query), in: store.model).map(numbered)
        }
    }

    func numbers(_ query: StoreQuery) -> Answer<[Int]> {
        Answer {
            try store.objectIDs(matching: query).map { number($0.resolvedEntity, $0.key) }
        }
    }

    func count(_ query: StoreQuery) -> Answer<Int> { Answer { try store.count(matching: query) } }

    /// The members of all living objects' relationship, as pairs of owner and member.
    func members(of property: Property, in entity: Entity, owners: [Int]) -> Answer<[[Int]]> {
        Answer {
            let batches = try store.members(
                of: property, in: entity, owners: owners.map { ids[$0].key })
            let destination = property.relationship.map {
                store.model.entities[$0.destinationIndex]
            }
            return batches.flatMap { batch in
                (0..<batch.count).map { row in
                    [
                        number(
                            entity, batch.integer(row: row, column: batch.cellCount - 1)),
                        number(destination ?? entity, batch.key(ofRow: row)),
                    ]
                }
            }
        }
    }

    func save(_ changes: ChangeSet) -> Answer<SaveOutcome> {
        Answer {
            do {
                let receipt = try store.save(changes)
                for (insertion, key) in zip(changes.inserted, receipt.insertedKeys) {
                    add(
                        ManagedObjectID(
                            space: store.space, entityIndex: Int(insertion.id.entityIndex),
                            key: key))
                }
                return SaveOutcome()
            } catch let error as StoreConflicts {
                return SaveOutcome(error) { number($0.resolvedEntity, $0.key) }
            }
        }
    }
}

/// What a save came to.
struct SaveOutcome: Equatable {
    var isSaved = true
    /// The objects whose rows were changed or gone.
    var changed: Set<Int> = []
    var deleted: Set<Int> = []
    /// The objects with relationships to objects that are gone.
    var dangling: Set<Int> = []
    /// Whether a uniqueness constraint was violated; not looked at where rows were changed as well,
    /// since it depends on which of the changes are then applied.
    var isNotUnique = false

    init() {}

    init(_ conflicts: StoreConflicts, number: (ManagedObjectID) -> Int) {
        isSaved = false
        for conflict in conflicts.conflicts {
            switch conflict.kind {
            case .changed: changed.insert(number(conflict.id))
            case .deleted: deleted.insert(number(conflict.id))
            case .missingTargets: dangling.insert(number(conflict.id))
            case .notUnique, .notUniqueInSave: isNotUnique = true
            }
        }
        if !changed.isEmpty || !deleted.isEmpty || !dangling.isEmpty { isNotUnique = false }
    }
}

/// A value, or the kind of error that came in its place.
enum Answer<Value: Equatable>: Equatable {
    case value(Value)
    case error(String)

    init(_ body: () throws -> Value) {
        do {
            self = .value(try body())
        } catch let error as QueryError {
            self = .error("QueryError.\(error.code)")
        } catch {
            self = .error("\(type(of: error))")
        }
    }
}

extension Answer {
    /// What differs: of two lists the first elements that do.
    func difference(from other: Answer) -> String {
        guard case .value(let first as [any Equatable]) = self,
            case .value(let second as [any Equatable]) = other
        else { return "\(self) and \(other)" }
        let texts = [first, second].map { $0.map { "\($0)" } }
        let place = zip(texts[0], texts[1]).prefix { $0 == $1 }.count
        let differing = texts.map { place < $0.count ? $0[place] : "nothing" }
        return "\(first.count) and \(second.count) elements, at \(place) "
            + differing.joined(separator: " and ")
    }
}
