// SPDX-License-Identifier: MIT

import CacheStoreModel
package import Foundation

extension PredicateExpressions.Equal: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        try conversion.compare(self, .equal, lhs, rhs)
    }
}

extension PredicateExpressions.NotEqual: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        try conversion.compare(self, .notEqual, lhs, rhs)
    }
}

extension PredicateExpressions.Comparison: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        let comparison: ComparisonOperator =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            @unknown default:
                throw conversion.unsupported(self, "the comparison is unknown")
            }
        return try conversion.compare(self, comparison, lhs, rhs)
    }
}

extension Conversion {
    fileprivate mutating func compare(
        _ node: some PredicateExpression, _ comparison: ComparisonOperator,
        _ lhs: some PredicateExpression, _ rhs: some PredicateExpression
    ) throws -> Converted {
        let first = try convert(lhs)
        let second = try convert(rhs)
        switch (first, second) {
        case (.captured, .captured):
            // Captured values need not be attribute values to be compared with each other.
            if let outcome = try? folded(node) { return outcome }
            return .value(
                .comparison(comparison, try scalar(first, of: lhs), try scalar(second, of: rhs)))
        case (.numberOfMatches(let exists), _):
            return try matches(node, comparison, exists, second)
        case (_, .numberOfMatches(let exists)):
            return try matches(node, comparison.mirrored, exists, first)
        case (.textOrder(let left, let right, let options), .captured(let order)),
            (.captured(let order), .textOrder(let left, let right, let options)):
            guard order as? ComparisonResult == .orderedSame else { break }
            let test = QueryExpression.text(.equal, left, right, options)
            switch comparison {
            case .equal: return .value(test)
            case .notEqual: return .value(.not(test))
            default: break
            }
        default:
            return .value(
                .comparison(comparison, try scalar(first, of: lhs), try scalar(second, of: rhs)))
        }
        throw unsupported(node, "an order of texts can only be compared with .orderedSame")
    }

    /// A number of filtered objects, compared: only whether there is one can be asked.
    private func matches(
        _ node: some PredicateExpression, _ comparison: ComparisonOperator,
        _ exists: QueryExpression, _ number: Converted
    ) throws -> Converted {
        if case .captured(let value) = number, let number = value as? Int {
            switch (comparison, number) {
            case (.greater, 0), (.greaterOrEqual, 1), (.notEqual, 0): return .value(exists)
            case (.equal, 0), (.less, 1), (.lessOrEqual, 0): return .value(.not(exists))
            default: break
            }
        }
        throw unsupported(node, "the number of filtered objects can only be compared with 0")
    }
}

extension ComparisonOperator {
    /// The operator that says the same with its sides exchanged.
    fileprivate var mirrored: ComparisonOperator {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }
}
