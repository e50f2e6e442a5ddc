// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import CacheStoreTestKit
import Foundation

/// Random conditions over the contract's model, of every kind of node.
///
/// What is made depends on the random numbers alone, so that the same numbers give the same
/// condition for two stores, each with the IDs of its own objects.
struct RandomPredicates {
    let model: ManagedObjectModel
    /// The IDs, in this store, of objects that conditions may name.
    let objects: [ManagedObjectID]
    var random: SeededRandomNumberGenerator
    private var lastScope = 0

    init(model: ManagedObjectModel, objects: [ManagedObjectID], random: SeededRandomNumberGenerator)
    {
        self.model = model
        self.objects = objects
        self.random = random
    }

    private struct Place {
        var entity: String
        var scope: Int
    }

    private static let numbers: [String: [String]] = [
        "Person": ["age", "height", "last", "isActive", "wealth", "born"],
        "Employee": ["age", "height", "salary", "isActive", "wealth"], "Team": [],
        "Tag": ["weight"],
    ]
    private static let texts: [String: [String]] = [
        "Person": ["name", "email", "first"], "Employee": ["name", "badge"], "Team": ["name"],
        "Tag": ["name"],
    ]
    private static let toOne: [String: [(name: String, destination: String)]] = [
        "Person": [("team", "Team")], "Employee": [("team", "Team"), ("boss", "Employee")],
        "Team": [("lead", "Person")], "Tag": [],
    ]
    private static let toMany: [String: [(name: String, destination: String)]] = [
        "Person": [("friends", "Person"), ("tags", "Tag"), ("likes", "Tag")],
        "Employee": [("reports", "Employee"), ("friends", "Person"), ("tags", "Tag")],
        "Team": [("members", "Person")], "Tag": [("people", "Person")],
    ]

    mutating func condition(over entity: String) throws -> QueryExpression {
        try condition(Place(entity: entity, scope: 0), depth: 3)
    }

    // MARK: - Paths

    private func path(_ place: Place, _ names: String) throws -> PropertyPath {
        try PropertyPath(
            names, from: model.requiredEntity(named: place.entity), in: model, scope: place.scope)
    }

    /// The path to a property of the object or of one it refers to.
    private mutating func path(
        _ place: Place, to names: [String: [String]]
    ) throws -> PropertyPath? {
        var prefix = ""
        var entity = place.entity
        if random.oneIn(4), let step = Self.toOne[entity].flatMap({ pick($0) }) {
            prefix = step.name + "."
            entity = step.destination
        }
        guard let name = pick(names[entity] ?? []) else { return nil }
        return try path(place, prefix + name)
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : random.pick(elements)
    }

    // MARK: - Conditions

    private mutating func condition(_ place: Place, depth: Int) throws -> QueryExpression {
        let isDeep = depth > 0
        switch Int.random(in: 0..<(isDeep ? 14 : 8), using: &random) {
        case 0, 1:
            let comparison = random.pick(Self.comparisons)
            return .comparison(
                comparison, try number(place, depth: depth - 1),
                try number(place, depth: depth - 1))
        case 2:
            return .comparison(
                random.pick(Self.comparisons), try text(place, depth: depth - 1),
                try text(place, depth: depth - 1))
        case 3:
            let options = TextOptions(rawValue: UInt8.random(in: 0...3, using: &random))
            return .text(
                random.pick([.equal, .contains, .hasPrefix, .hasSuffix]),
                try text(place, depth: depth - 1), try text(place, depth: depth - 1), options)
        case 4:
            let isLike = random.oneIn(2)
            return .text(
                isLike ? .like : .matches, try text(place, depth: depth - 1),
                .constant(
                    .string(random.pick(isLike ? ["*a*", "?b", "", "a?*"] : ["a.*", "[AB]b?"]))),
                random.pick([[], .caseInsensitive]))
        case 5:
            let count = Int.random(in: 0...4, using: &random)
            return .isIn(
                try number(place, depth: 0), (0..<count).map { _ in numberConstant() })
        case 6: return try objects(place)
        case 7:
            return .comparison(
                random.pick([.equal, .notEqual]),
                random.oneIn(2) ? try number(place, depth: 0) : try text(place, depth: 0),
                .constant(.null))
        case 8:
            let count = Int.random(in: 0...3, using: &random)
            let parts = try (0..<count).map { _ in try condition(place, depth: depth - 1) }
            return random.oneIn(2) ? .and(parts) : .or(parts)
        case 9: return .not(try condition(place, depth: depth - 1))
        case 10, 11: return try membership(place, depth: depth)
        case 12:
            return .conditional(
                try condition(place, depth: depth - 1),
                then: try condition(place, depth: depth - 1),
                otherwise: try condition(place, depth: depth - 1))
        default:
            return .comparison(
                random.pick([.equal, .notEqual]), try condition(place, depth: depth - 1),
                try condition(place, depth: depth - 1))
        }
    }

    private static let comparisons: [ComparisonOperator] = [
        .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]

    private mutating func objects(_ place: Place) throws -> QueryExpression {
        let id = pick(objects).map { PropertyValue.object($0) } ?? .null
        guard let reference = pick(Self.toOne[place.entity] ?? []), random.oneIn(2) else {
            return .comparison(
                random.pick([.equal, .notEqual]), .object(scope: place.scope), .constant(id))
        }
        let value = QueryExpression.property(try path(place, reference.name))
        return random.oneIn(2)
            ? .isIn(value, [id, .null]) : .comparison(.equal, value, .constant(id))
    }

    private mutating func membership(_ place: Place, depth: Int) throws -> QueryExpression {
        guard let relationship = pick(Self.toMany[place.entity] ?? []) else { return .true }
        lastScope += 1
        let inner = Place(entity: relationship.destination, scope: lastScope)
        let members = try path(place, relationship.name)
        var test = try condition(inner, depth: depth - 1)
        if random.oneIn(4) {
            // Something of the outer object within the condition on the inner one.
            test = .and([
                test,
                .comparison(.notEqual, try text(place, depth: 0), try text(inner, depth: 0)),
            ])
        }
        return random.oneIn(2)
            ? .exists(members, scope: inner.scope, test)
            : .all(members, scope: inner.scope, test)
    }

    // MARK: - Values

    private mutating func numberConstant() -> PropertyValue {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .double(Double(Int.random(in: -4...4, using: &random)) / 2)
        case 1: .decimal(Decimal(Int.random(in: -40...40, using: &random)) / 4)
        case 2: .integer(random.pick([.max, .min, .max - 1]))
        case 3: .null
        default: .integer(Int64.random(in: -3...5, using: &random))
        }
    }

    private mutating func number(_ place: Place, depth: Int) throws -> QueryExpression {
        switch Int.random(in: 0..<(depth > 0 ? 10 : 5), using: &random) {
        case 0...2:
            guard let path = try path(place, to: Self.numbers) else { break }
            return .property(path)
        case 3:
            guard let relationship = pick(Self.toMany[place.entity] ?? []) else { break }
            return .count(try path(place, relationship.name))
        case 5, 6:
            return .arithmetic(
                random.pick([.add, .subtract, .multiply, .divide, .remainder]),
                try number(place, depth: depth - 1), try number(place, depth: depth - 1))
        case 7: return .negative(try number(place, depth: depth - 1))
        case 8:
            return .coalesce(
                try number(place, depth: depth - 1), try number(place, depth: depth - 1))
        case 9: return .length(try text(place, depth: depth - 1))
        default: break
        }
        return .constant(numberConstant())
    }

    private mutating func text(_ place: Place, depth: Int) throws -> QueryExpression {
        switch Int.random(in: 0..<(depth > 0 ? 5 : 4), using: &random) {
        case 0...2:
            guard let path = try path(place, to: Self.texts) else { break }
            return .property(path)
        case 4:
            return .coalesce(try text(place, depth: 0), try text(place, depth: 0))
        default: break
        }
        return .constant(random.oneIn(6) ? .null : .string(random.pick(Self.words)))
    }

    static let words = ["", "a", "A", "ab", "Ab", "ä", "b", "ba", "é", "e\u{301}", "B%", "a_"]
}
