// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import CacheStoreTestKit
import Foundation

@testable import CacheStorePersistence

/// Does the same random things with two stores and compares every answer.
struct StoreComparison {
    private let model: ManagedObjectModel
    private let sides: [ComparedStore]
    private var random: SeededRandomNumberGenerator
    /// The numbers of the objects that are saved and not deleted, ascending, with their versions.
    private var living: [(number: Int, version: Int64)] = []

    /// Both stores are empty and have the same model.
    init(_ first: any PersistentStore, _ second: any PersistentStore, seed: UInt64) {
        model = first.model
        sides = [ComparedStore(first), ComparedStore(second)]
        random = SeededRandomNumberGenerator(seed: seed)
    }

    /// The first difference between the two stores, or `nil` if there was none.
    mutating func firstDifference(steps: Int) throws -> String? {
        for step in 0..<steps {
            let difference =
                random.oneIn(3) ? try compareSave() : try compareQuery() ?? compareMembers()
            if let difference { return "step \(step): \(difference)" }
        }
        for entity in model.entities {
            let query = StoreQuery(entity: entity)
            if let difference = difference("all rows", { $0.rows(query) }) { return difference }
        }
        return nil
    }

    private func difference<Value: Equatable>(
        _ what: String, _ answer: (ComparedStore) throws -> Answer<Value>
    ) rethrows -> String? {
        let answers = try sides.map(answer)
        guard answers[0] != answers[1] else { return nil }
        return Self.short("\(what): \(answers[0].difference(from: answers[1]))")
    }

    /// A text without the names of modules.
    private static func short(_ text: String) -> String {
        ["CacheStoreQuery.", "CacheStoreModel.", "CacheStorePersistenceTests.", "QueryExpression."]
            .reduce(text) { $0.replacingOccurrences(of: $1, with: "") }
    }

    // MARK: - Queries

    private mutating func compareQuery() throws -> String? {
        let entity = random.pick(["Person", "Employee", "Team", "Tag"])
        let named = Array(living.map(\.number).shuffled(using: &random).prefix(3))
        let start = random
        var queries: [StoreQuery] = []
        for side in sides {
            var predicates = RandomPredicates(
                model: model, objects: named.map { side.ids[$0] }, random: start)
            let predicate = try predicates.condition(over: entity)
            // Both sides use the same numbers, and so arrive at the same place.
            random = predicates.random
            queries.append(
                StoreQuery(entity: try model.requiredEntity(named: entity), predicate: predicate))
        }
        let sort = try sortKeys(of: entity)
        let limit = random.oneIn(3) ? Int.random(in: 0...5, using: &random) : nil
        let offset = random.oneIn(4) ? Int.random(in: 0...4, using: &random) : 0
        let includesSubentities = !random.oneIn(5)
        for index in queries.indices {
            queries[index].sort = sort
            queries[index].limit = limit
            queries[index].offset = offset
            queries[index].includesSubentities = includesSubentities
        }
        let pairs = zip(sides, queries).map { ($0, $1) }
        func query(of side: ComparedStore) -> StoreQuery {
            pairs.first { $0.0 === side }?.1 ?? queries[0]
        }
        let text = "query of \(entity) where \(Self.text(queries[0].predicate)) sort \(sort)"
        return difference("rows of \(text)") { $0.rows(query(of: $0)) }
            ?? difference("IDs of \(text)") { $0.numbers(query(of: $0)) }
            ?? difference("count of \(text)") { $0.count(query(of: $0)) }
    }

    private static func text(_ predicate: QueryExpression?) -> String {
        predicate.map { String(describing: $0) } ?? "true"
    }

    private mutating func sortKeys(of entity: String) throws -> [SortKey] {
        var names = ["name"]
        if entity == "Person" || entity == "Employee" {
            names += ["age", "height", "wealth", "born", "isActive", "team.name", "email"]
        }
        let count = Int.random(in: 0...2, using: &random)
        return try names.shuffled(using: &random).prefix(count).map { name in
            let comparison: SortKey.Comparison = random.oneIn(4) ? .localizedStandard : .binary
            return SortKey(
                path: try PropertyPath(
                    name, from: model.requiredEntity(named: entity), in: model),
                isAscending: !random.oneIn(3), comparison: comparison)
        }
    }

    private mutating func compareMembers() throws -> String? {
        let names = random.pick([
            ("Person", "friends"), ("Person", "tags"), ("Person", "likes"),
            ("Employee", "reports"), ("Team", "members"), ("Tag", "people"),
        ])
        let entity = try model.requiredEntity(named: names.0)
        let property = try entity.requiredProperty(named: names.1)
        let owners = numbers(of: names.0)
        return difference("members \(names)") {
            $0.members(of: property, in: entity, owners: owners)
        }
    }

    // MARK: - Saves

    private func numbers(of entity: String) -> [Int] {
        guard let family = model.entity(named: entity)?.familyIndexes else { return [] }
        return living.map(\.number).filter {
            family.contains(Int(sides[0].ids[$0].entityIndex))
        }
    }

    private mutating func compareSave() throws -> String? {
        let start = random
        var answers: [Answer<SaveOutcome>] = []
        var plan: RandomSave?
        let members = try teamMembers()
        for side in sides {
            var save = RandomSave(
                model: model, side: side, living: living, teamMembers: members, random: start)
            try save.make()
            random = save.random
            plan = save
            answers.append(side.save(save.changes))
        }
        guard answers[0] == answers[1] else {
            return "save: \(answers[0].difference(from: answers[1]))"
        }
        guard let plan, case .value(let outcome) = answers[0], outcome.isSaved else { return nil }
        living.removeAll { plan.deleted.contains($0.number) }
        for index in living.indices where plan.updated.contains(living[index].number) {
            living[index].version += 1
        }
        let count = sides[0].ids.count
        for number in (count - plan.changes.inserted.count)..<count {
            living.append((number, 1))
        }
        return nil
    }

    /// The members of each team in their order, by number, as the first store has them.
    private func teamMembers() throws -> [Int: [Int]] {
        let team = try model.requiredEntity(named: "Team")
        let property = try team.requiredProperty(named: "members")
        let answer = sides[0].members(of: property, in: team, owners: numbers(of: "Team"))
        guard case .value(let pairs) = answer else { return [:] }
        var members: [Int: [Int]] = [:]
        for pair in pairs { members[pair[0], default: []].append(pair[1]) }
        return members
    }
}
