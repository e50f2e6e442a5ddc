// SPDX-License-Identifier: MIT

import CacheStoreModel
package import Foundation

extension PredicateExpressions.Arithmetic: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        let operation: ArithmeticOperator =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            @unknown default:
                throw conversion.unsupported(self, "the operation is unknown")
            }
        return try conversion.calculate(operation, lhs, rhs)
    }
}

extension PredicateExpressions.IntDivision: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        try conversion.calculate(.divide, lhs, rhs)
    }
}

extension PredicateExpressions.FloatDivision: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        try conversion.calculate(.divide, lhs, rhs)
    }
}

extension PredicateExpressions.IntRemainder: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        try conversion.calculate(.remainder, lhs, rhs)
    }
}

extension PredicateExpressions.UnaryMinus: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        .value(.negative(try conversion.scalar(wrapped)))
    }
}

extension Conversion {
    // Never folded, not even between captured values: Swift's operators trap on an overflow, the
    // tree's give no value.
    fileprivate mutating func calculate(
        _ operation: ArithmeticOperator, _ lhs: some PredicateExpression,
        _ rhs: some PredicateExpression
    ) throws -> Converted {
        .value(.arithmetic(operation, try scalar(lhs), try scalar(rhs)))
    }
}
