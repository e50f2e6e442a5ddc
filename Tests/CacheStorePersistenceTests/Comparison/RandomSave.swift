// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import CacheStoreTestKit
import Foundation

@testable import CacheStorePersistence

/// A random change set for one store; the same random numbers make the same for another.
struct RandomSave {
    private let model: ManagedObjectModel
    private let side: ComparedStore
    private let living: [(number: Int, version: Int64)]
    private let teamMembers: [Int: [Int]]
    var random: SeededRandomNumberGenerator

    private(set) var changes = ChangeSet()
    /// The numbers of the objects that the save deletes, and of those whose rows it changes.
    private(set) var deleted: Set<Int> = []
    private(set) var updated: Set<Int> = []

    /// The objects that are there after the save: saved ones by number, then inserted ones.
    private var available: [ManagedObjectID] = []

    init(
        model: ManagedObjectModel, side: ComparedStore,
        living: [(number: Int, version: Int64)], teamMembers: [Int: [Int]],
        random: SeededRandomNumberGenerator
    ) {
        self.model = model
        self.side = side
        self.living = living
        self.teamMembers = teamMembers
        self.random = random
    }

    mutating func make() throws {
        for object in living where random.oneIn(25) { deleted.insert(object.number) }
        let inserted = try (0..<Int.random(in: 0...4, using: &random)).map { _ in
            let entity = random.pick(["Person", "Employee", "Employee", "Team", "Tag"])
            return ManagedObjectID.temporary(
                in: side.store.space,
                entityIndex: try model.requiredEntity(named: entity).index)
        }
        let remaining = living.filter { !deleted.contains($0.number) }
        available = remaining.map { side.ids[$0.number] } + inserted
        for object in living where deleted.contains(object.number) {
            changes.deleted.append(
                ChangeSet.Deletion(
                    id: side.ids[object.number], version: expected(object.version)))
        }
        for object in remaining where random.oneIn(6) {
            try update(object.number, version: object.version)
        }
        for id in inserted {
            let properties = id.resolvedEntity.properties
            var values = ContiguousArray<PropertyValue>()
            for property in properties { values.append(value(of: property, required: true)) }
            changes.inserted.append(ChangeSet.Insertion(id: id, values: values))
        }
        for _ in 0..<Int.random(in: 0...4, using: &random) { try changeJoin() }
        if random.oneIn(2) { try reorderTeam() }
    }

    /// The version of a row, rarely another one.
    private mutating func expected(_ version: Int64) -> Int64 {
        random.oneIn(30) ? version + 1 : version
    }

    private mutating func update(_ number: Int, version: Int64) throws {
        let id = side.ids[number]
        let properties = id.resolvedEntity.properties
        var values = ContiguousArray(repeating: PropertyValue.null, count: properties.count)
        var changed = PropertySet()
        for property in properties where property.column != nil && random.oneIn(4) {
            values[property.index] = value(of: property, required: false)
            changed.insert(property.index)
        }
        guard !changed.isEmpty else { return }
        updated.insert(number)
        changes.updated.append(
            ChangeSet.Update(
                id: id, version: expected(version), changed: changed, values: values))
    }

    // MARK: - Values

    private mutating func value(of property: Property, required: Bool) -> PropertyValue {
        if let relationship = property.relationship {
            guard !property.isToMany, !random.oneIn(3) else { return .null }
            return object(of: relationship.destinationIndex).map { .object($0) } ?? .null
        }
        guard let attribute = property.attribute else { return .null }
        if attribute.isOptional, random.oneIn(3) { return .null }
        // Unique values are from a larger set, or hardly a save would go through.
        let range: ClosedRange<Int> = attribute.options.contains(.unique) ? 0...300 : -3...6
        let number = Int.random(in: range, using: &random)
        return switch attribute.type.kind {
        case .string:
            .string(
                attribute.options.contains(.unique)
                    ? "\(number)" : random.pick(RandomPredicates.words))
        case .boolean: .boolean(number > 1)
        case .double: .double(Double(number) / 2)
        case .decimal: .decimal(Decimal(number) / 4)
        case .date: .date(Date(timeIntervalSince1970: Double(number) * 50))
        default: .integer(Int64(property.name == "last" ? number * 7 + range.count : number))
        }
    }

    private mutating func object(of entity: Int) -> ManagedObjectID? {
        let family = model.entities[entity].familyIndexes
        let candidates = available.filter { family.contains(Int($0.entityIndex)) }
        return candidates.isEmpty ? nil : random.pick(candidates)
    }

    // MARK: - Relationships

    private mutating func objects(of entity: String, atMost count: Int) -> [ManagedObjectID] {
        guard let family = model.entity(named: entity)?.familyIndexes else { return [] }
        let candidates = available.filter { family.contains(Int($0.entityIndex)) }
        let wanted = Int.random(in: 0...count, using: &random)
        return Array(candidates.shuffled(using: &random).prefix(wanted))
    }

    /// Adds and removes members of a relationship in a join table, without saying their order.
    private mutating func changeJoin() throws {
        let names = random.pick([
            ("Person", "friends", "Person"), ("Person", "tags", "Tag"), ("Person", "likes", "Tag"),
            ("Tag", "people", "Person"),
        ])
        guard let owner = objects(of: names.0, atMost: 1).first else { return }
        let added = objects(of: names.2, atMost: 3)
        let removed = objects(of: names.2, atMost: 3).filter { !added.contains($0) }
        changes.toMany.append(
            ChangeSet.ToManyChange(
                owner: owner,
                propertyIndex: try owner.resolvedEntity.requiredProperty(named: names.1).index,
                added: added, removed: removed.filter { $0.key > 0 }))
    }

    /// Gives the members that a team keeps a new order.
    private mutating func reorderTeam() throws {
        let teams = teamMembers.keys.sorted().filter { !deleted.contains($0) }
        guard !teams.isEmpty else { return }
        let team = random.pick(teams)
        let kept = (teamMembers[team] ?? []).filter {
            !deleted.contains($0) && !updated.contains($0)
        }
        let order = kept.shuffled(using: &random).map { side.ids[$0] }
        let owner = side.ids[team]
        changes.toMany.append(
            ChangeSet.ToManyChange(
                owner: owner,
                propertyIndex: try owner.resolvedEntity.requiredProperty(named: "members").index,
                added: [], removed: [], order: order))
    }
}
