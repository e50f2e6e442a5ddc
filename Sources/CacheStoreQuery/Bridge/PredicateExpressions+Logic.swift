// SPDX-License-Identifier: MIT

import CacheStoreModel
package import Foundation

extension PredicateExpressions.Conjunction: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        // Long chains lean to the left; they become one list.
        let first = try conversion.scalar(lhs)
        let second = try conversion.scalar(rhs)
        if case .and(let parts) = first { return .value(.and(parts + [second])) }
        return .value(.and([first, second]))
    }
}

extension PredicateExpressions.Disjunction: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        let first = try conversion.scalar(lhs)
        let second = try conversion.scalar(rhs)
        if case .or(let parts) = first { return .value(.or(parts + [second])) }
        return .value(.or([first, second]))
    }
}

extension PredicateExpressions.Negation: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        .value(.not(try conversion.scalar(wrapped)))
    }
}

extension PredicateExpressions.Conditional: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        let condition = try conversion.convert(test)
        if case .captured(let value) = condition, let isTrue = value as? Bool {
            return isTrue
                ? try conversion.convert(trueBranch) : try conversion.convert(falseBranch)
        }
        return .value(
            .conditional(
                try conversion.scalar(condition, of: test),
                then: try conversion.scalar(trueBranch),
                otherwise: try conversion.scalar(falseBranch)))
    }
}
