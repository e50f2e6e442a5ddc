// SPDX-License-Identifier: MIT

import CacheStoreModel
import Foundation

/// Evaluates a predicate over objects and rows in memory, with the answers that SQL would give.
package struct QueryEvaluator {
    private struct Pattern: Hashable {
        var text: String
        var options: TextOptions
    }

    private let expression: QueryExpression
    private let regularExpressions: [Pattern: RegularExpression]
    private let likePatterns: [Pattern: LikePattern]

    /// Prepares the evaluation: patterns are compiled once, here.
    ///
    /// - Throws: ``QueryError`` with code `invalidPattern`.
    package init(_ expression: QueryExpression) throws(QueryError) {
        self.expression = expression
        var patterns = Patterns()
        try patterns.collect(expression)
        regularExpressions = patterns.regularExpressions
        likePatterns = patterns.likes
    }

    /// Whether the predicate is true of the object.
    package func matches(_ object: any QueryObject) -> Bool {
        condition(expression, Scopes(objects: [object]))
    }

    // MARK: - Scopes

    /// The objects of the scopes, outermost first.
    private struct Scopes {
        var objects: [any QueryObject]
        // Scopes are numbered by whoever builds the tree and need not be nested in order.
        var numbers: [Int] = [0]

        subscript(scope: Int) -> (any QueryObject)? {
            if scope == 0 { return objects.first }
            return numbers.lastIndex(of: scope).map { objects[$0] }
        }

        func adding(_ object: any QueryObject, as scope: Int) -> Scopes {
            Scopes(objects: objects + [object], numbers: numbers + [scope])
        }
    }

    /// The object whose property the last step of a path is.
    private func owner(_ path: PropertyPath, _ scopes: Scopes) -> (any QueryObject)? {
        var object = scopes[path.scope]
        for step in path.steps.dropLast() {
            object = object?.queryObject(toOne: step.propertyIndex)
        }
        return object
    }

    private func members(_ path: PropertyPath, _ scopes: Scopes) -> [any QueryObject] {
        guard let last = path.steps.last, let owner = owner(path, scopes) else { return [] }
        return owner.queryObjects(toMany: last.propertyIndex)
    }

    // MARK: - Conditions

    /// The truth of an expression: no value is false.
    private func condition(_ expression: QueryExpression, _ scopes: Scopes) -> Bool {
        switch expression {
        case .and(let parts): parts.allSatisfy { condition($0, scopes) }
        case .or(let parts): parts.contains { condition($0, scopes) }
        case .not(let part): !condition(part, scopes)
        case .comparison(let comparison, let first, let second):
            compare(comparison, value(first, scopes), value(second, scopes))
        case .isIn(let element, let values):
            isIn(value(element, scopes), values)
        case .exists(let path, let scope, let test):
            members(path, scopes).contains { condition(test, scopes.adding($0, as: scope)) }
        case .all(let path, let scope, let test):
            members(path, scopes).allSatisfy { condition(test, scopes.adding($0, as: scope)) }
        case .text(let test, let first, let second, let options):
            self.text(test, value(first, scopes), value(second, scopes), options) ?? false
        default: value(expression, scopes).isTrue
        }
    }

    private func compare(
        _ comparison: ComparisonOperator, _ first: PropertyValue, _ second: PropertyValue
    ) -> Bool {
        switch comparison {
        case .equal: return first.isQueryEqual(to: second)
        case .notEqual: return !first.isQueryEqual(to: second)
        case .less, .lessOrEqual, .greater, .greaterOrEqual: break
        }
        guard let order = first.queryOrder(to: second) else { return false }
        return switch comparison {
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        default: order >= 0
        }
    }

    private func isIn(_ element: PropertyValue, _ values: [PropertyValue]) -> Bool {
        values.contains { element.isQueryEqual(to: $0) }
    }

    /// The outcome of a text test, `nil` where an operand is no text.
    private func text(
        _ test: TextOperator, _ first: PropertyValue, _ second: PropertyValue,
        _ options: TextOptions
    ) -> Bool? {
        guard let text = first.text, let other = second.text else { return nil }
        switch test {
        case .like:
            let pattern =
                likePatterns[Pattern(text: other, options: options)]
                ?? LikePattern(other, options: options)
            return pattern.matches(text)
        case .matches:
            let pattern = Pattern(text: other, options: options)
            if let expression = regularExpressions[pattern] { return expression.matches(text) }
            // A pattern that comes from a property and is malformed matches nothing.
            return (try? RegularExpression(other, options: options))?.matches(text)
        case .equal, .contains, .hasPrefix, .hasSuffix: break
        }
        let folded = TextFolding.fold(text, options: options)
        let part = TextFolding.fold(other, options: options)
        return switch test {
        case .equal: TextBytes.isEqual(folded, part)
        case .contains: TextBytes.contains(folded, part)
        case .hasPrefix: TextBytes.hasPrefix(folded, part)
        default: TextBytes.hasSuffix(folded, part)
        }
    }

    // MARK: - Values

    private func value(_ expression: QueryExpression, _ scopes: Scopes) -> PropertyValue {
        switch expression {
        case .constant(let value):
            return value
        case .property(let path):
            guard let last = path.steps.last, let owner = owner(path, scopes) else { return .null }
            return owner.queryValue(ofProperty: last.propertyIndex)
        case .object(let scope):
            return scopes[scope].map { .object($0.queryID) } ?? .null
        case .and, .or, .not, .comparison, .isIn, .exists, .all:
            return .boolean(condition(expression, scopes))
        case .text(let test, let first, let second, let options):
            let outcome = self.text(test, value(first, scopes), value(second, scopes), options)
            return outcome.map { .boolean($0) } ?? .null
        case .arithmetic(let operation, let first, let second):
            return .calculate(operation, value(first, scopes), value(second, scopes))
        case .negative(let operand):
            return value(operand, scopes).negated
        case .coalesce(let first, let second):
            let value = value(first, scopes)
            return value.isQueryNull ? self.value(second, scopes) : value
        case .conditional(let test, let first, let second):
            return value(condition(test, scopes) ? first : second, scopes)
        case .length(let operand):
            guard let text = value(operand, scopes).text else { return .null }
            return .integer(Int64(text.unicodeScalars.count))
        case .count(let path):
            guard let last = path.steps.last, let owner = owner(path, scopes) else {
                return .integer(0)
            }
            return .integer(Int64(owner.queryCount(toMany: last.propertyIndex)))
        }
    }

    // MARK: - Patterns

    /// Compiles the patterns that stand in the tree as constants.
    private struct Patterns {
        var regularExpressions: [Pattern: RegularExpression] = [:]
        var likes: [Pattern: LikePattern] = [:]

        mutating func collect(_ expression: QueryExpression) throws(QueryError) {
            switch expression {
            case .text(let test, let first, let second, let options):
                try collect(first)
                try collect(second)
                guard case .constant(.string(let text)) = second else { return }
                let pattern = Pattern(text: text, options: options)
                if test == .matches, regularExpressions[pattern] == nil {
                    regularExpressions[pattern] = try RegularExpression(text, options: options)
                } else if test == .like {
                    likes[pattern] = LikePattern(text, options: options)
                }
            case .and(let parts), .or(let parts):
                for part in parts { try collect(part) }
            case .comparison(_, let first, let second), .arithmetic(_, let first, let second),
                .coalesce(let first, let second):
                try collect(first)
                try collect(second)
            case .conditional(let test, let first, let second):
                try collect(test)
                try collect(first)
                try collect(second)
            case .not(let part), .isIn(let part, _), .negative(let part), .length(let part),
                .exists(_, _, let part), .all(_, _, let part):
                try collect(part)
            case .constant, .property, .object, .count: break
            }
        }
    }
}

extension PropertyValue {
    fileprivate var isTrue: Bool {
        switch self {
        case .boolean(let boolean): boolean
        case .integer(let integer): integer != 0
        case .double(let double): double != 0 && !double.isNaN
        default: false
        }
    }

    fileprivate var text: String? {
        switch self {
        case .string(let string): string
        case .url(let url): url.absoluteString
        default: nil
        }
    }
}
