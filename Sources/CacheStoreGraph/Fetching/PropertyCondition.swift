// SPDX-License-Identifier: MIT

public import CacheStoreModel
import CacheStoreQuery

/// A condition on properties by name, for entities that have no class.
///
/// ```swift
/// let condition: PropertyCondition =
///     .compare("author.name", .equal, .string("Ida")) && !.compare("rating", .less, .integer(3))
/// ```
public struct PropertyCondition: Sendable {
    /// How two values are compared.
    public struct Comparison: Sendable, Hashable {
        let comparison: ComparisonOperator?
        let text: TextOperator?

        /// The values are the same; no value is the same as no value.
        public static let equal = Comparison(comparison: .equal, text: nil)
        /// The values differ.
        public static let notEqual = Comparison(comparison: .notEqual, text: nil)
        /// The property is less than the value.
        public static let less = Comparison(comparison: .less, text: nil)
        /// The property is less than the value or equal to it.
        public static let lessOrEqual = Comparison(comparison: .lessOrEqual, text: nil)
        /// The property is greater than the value.
        public static let greater = Comparison(comparison: .greater, text: nil)
        /// The property is greater than the value or equal to it.
        public static let greaterOrEqual = Comparison(comparison: .greaterOrEqual, text: nil)
        /// The text contains the value.
        public static let contains = Comparison(comparison: nil, text: .contains)
        /// The text starts with the value.
        public static let beginsWith = Comparison(comparison: nil, text: .hasPrefix)
        /// The text ends with the value.
        public static let endsWith = Comparison(comparison: nil, text: .hasSuffix)
    }

    private indirect enum Node: Sendable {
        case compare(String, Comparison, PropertyValue)
        case isIn(String, [PropertyValue])
        case and(PropertyCondition, PropertyCondition)
        case or(PropertyCondition, PropertyCondition)
        case not(PropertyCondition)
    }

    private let node: Node

    private init(_ node: Node) { self.node = node }

    /// A property, at the end of to-one relationships joined by dots, compares with a value.
    public static func compare(
        _ path: String, _ comparison: Comparison, _ value: PropertyValue
    ) -> PropertyCondition {
        PropertyCondition(.compare(path, comparison, value))
    }

    /// A property has one of some values.
    public static func isIn(_ path: String, _ values: [PropertyValue]) -> PropertyCondition {
        PropertyCondition(.isIn(path, values))
    }

    /// Both conditions hold.
    public static func && (
        first: PropertyCondition, second: PropertyCondition
    ) -> PropertyCondition {
        PropertyCondition(.and(first, second))
    }

    /// One of the conditions holds, or both.
    public static func || (
        first: PropertyCondition, second: PropertyCondition
    ) -> PropertyCondition {
        PropertyCondition(.or(first, second))
    }

    /// The condition does not hold.
    public static prefix func ! (condition: PropertyCondition) -> PropertyCondition {
        PropertyCondition(.not(condition))
    }

    func expression(
        for entity: Entity, in model: ManagedObjectModel
    ) throws(ModelError) -> QueryExpression {
        switch node {
        case .compare(let path, let comparison, let value):
            let property = QueryExpression.property(
                try PropertyPath(path, from: entity, in: model))
            if let text = comparison.text {
                return .text(text, property, .constant(value), [])
            }
            return .comparison(comparison.comparison ?? .equal, property, .constant(value))
        case .isIn(let path, let values):
            return .isIn(.property(try PropertyPath(path, from: entity, in: model)), values)
        case .and(let first, let second):
            return .and([
                try first.expression(for: entity, in: model),
                try second.expression(for: entity, in: model),
            ])
        case .or(let first, let second):
            return .or([
                try first.expression(for: entity, in: model),
                try second.expression(for: entity, in: model),
            ])
        case .not(let condition): return .not(try condition.expression(for: entity, in: model))
        }
    }
}
