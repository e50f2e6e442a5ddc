// SPDX-License-Identifier: MIT

import CacheStoreModel
import Foundation
import Testing

@testable import CacheStoreGraph

@Suite struct ChangeLedgerTests {
    private let model: ManagedObjectModel
    private let space: IdentitySpace

    init() throws {
        model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Item",
                attributes: [
                    AttributeDescription("a", .integer64), AttributeDescription("b", .integer64),
                ],
                relationships: [RelationshipDescription("others", toMany: "Item", isOrdered: true)])
        ])
        space = IdentitySpace.space(storeIdentifier: UUID(), model: model)
    }

    private func id(_ key: Int64) -> ManagedObjectID {
        ManagedObjectID(space: space, entityIndex: 0, key: key)
    }

    private func values(_ a: Int64, _ b: Int64) -> ContiguousArray<PropertyValue> {
        [.integer(a), .integer(b), .null]
    }

    private func inserting(_ key: Int64, _ a: Int64, _ b: Int64) -> ChangeSet {
        var changes = ChangeSet()
        changes.inserted = [ChangeSet.Insertion(id: id(key), values: values(a, b))]
        return changes
    }

    private func updating(
        _ key: Int64, version: Int64, _ changed: [Int], _ a: Int64, _ b: Int64
    ) -> ChangeSet {
        var changes = ChangeSet()
        changes.updated = [
            ChangeSet.Update(
                id: id(key), version: version, changed: PropertySet(changed), values: values(a, b))
        ]
        return changes
    }

    private func deleting(_ key: Int64, version: Int64 = 1) -> ChangeSet {
        var changes = ChangeSet()
        changes.deleted = [ChangeSet.Deletion(id: id(key), version: version)]
        return changes
    }

    private func relating(
        _ key: Int64, added: [Int64] = [], removed: [Int64] = [], order: [Int64]? = nil
    ) -> ChangeSet {
        var changes = ChangeSet()
        changes.toMany = [
            ChangeSet.ToManyChange(
                owner: id(key), propertyIndex: 2, added: added.map(id), removed: removed.map(id),
                order: order.map { $0.map(id) })
        ]
        return changes
    }

    private func ledger(_ sets: ChangeSet...) -> ChangeLedger {
        var ledger = ChangeLedger()
        for set in sets { ledger.apply(set) }
        return ledger
    }

    @Test func `an update of a new object is part of its insertion`() {
        let changes = ledger(inserting(-1, 1, 2), updating(-1, version: 0, [1], 9, 3)).changeSet()
        #expect(changes.inserted.map(\.values) == [values(1, 3)])
        #expect(changes.updated.isEmpty)
    }

    @Test func `a new object that is deleted leaves nothing`() {
        let ledger = ledger(
            inserting(-1, 1, 2), relating(-1, added: [5]), relating(7, added: [-1, 6]),
            relating(8, removed: [-1]), deleting(-1))
        let changes = ledger.changeSet()
        #expect(ledger.entries.isEmpty)
        #expect(changes.inserted.isEmpty && changes.deleted.isEmpty)
        #expect(Set(changes.toMany.map(\.owner)) == [id(7), id(8)])
        #expect(changes.toMany.flatMap(\.added) == [id(6)])
        #expect(changes.toMany.flatMap(\.removed).isEmpty)
    }

    @Test func `two updates are one, with the version the first was based on`() throws {
        let changes = ledger(
            updating(3, version: 4, [0], 1, 0), updating(3, version: 9, [1], 7, 2)
        ).changeSet()
        let update = try #require(changes.updated.first)
        #expect(changes.updated.count == 1)
        #expect(update.version == 4)
        #expect(update.changed == PropertySet([0, 1]))
        #expect(update.values == values(1, 2))
    }

    @Test func `an updated object that is deleted is deleted at its first version`() {
        let changes = ledger(updating(3, version: 4, [0], 1, 0), deleting(3, version: 8))
            .changeSet()
        #expect(changes.updated.isEmpty)
        #expect(changes.deleted.map(\.version) == [4])
    }

    @Test func `a deleted object is not updated any more, nor deleted twice`() {
        let changes = ledger(
            deleting(3), updating(3, version: 1, [0], 1, 0), deleting(3)
        ).changeSet()
        #expect(changes.updated.isEmpty)
        #expect(changes.deleted.map(\.id) == [id(3)])
    }

    @Test func `objects stay in the order in which they came`() {
        let changes = ledger(
            inserting(-3, 0, 0), inserting(-1, 0, 0), inserting(-2, 0, 0), deleting(-1)
        ).changeSet()
        #expect(changes.inserted.map(\.id) == [id(-3), id(-2)])
    }

    @Test func `the last word on a member counts`() throws {
        let changes = ledger(
            relating(1, added: [2, 3], removed: [4]), relating(1, added: [4], removed: [2])
        ).changeSet()
        let change = try #require(changes.toMany.first)
        #expect(change.added == [id(3), id(4)])
        #expect(change.removed == [id(2)])
    }

    @Test func `an order that is not told again follows the members`() throws {
        let changes = ledger(
            relating(1, added: [2, 3], order: [3, 2]), relating(1, added: [4], removed: [2])
        ).changeSet()
        #expect(changes.toMany.first?.order == [id(3), id(4)])
    }

    @Test func `changes seen twice are the same as seen once`() {
        let once = ledger(
            inserting(-1, 1, 2), updating(3, version: 4, [0], 1, 0), deleting(5),
            relating(3, added: [-1], removed: [6], order: [7, -1]))
        var twice = once
        twice.apply(once)
        let (first, second) = (once.changeSet(), twice.changeSet())
        #expect(first.inserted.map(\.id) == second.inserted.map(\.id))
        #expect(first.updated.map(\.values) == second.updated.map(\.values))
        #expect(first.deleted.map(\.id) == second.deleted.map(\.id))
        #expect(first.toMany.map(\.added) == second.toMany.map(\.added))
        #expect(first.toMany.map(\.removed) == second.toMany.map(\.removed))
        #expect(first.toMany.map(\.order) == second.toMany.map(\.order))
    }
}
