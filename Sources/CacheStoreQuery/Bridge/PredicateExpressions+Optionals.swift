// SPDX-License-Identifier: MIT

import CacheStoreModel
package import Foundation

extension PredicateExpressions.OptionalFlatMap: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        let base = try conversion.convert(wrapped)
        if case .captured(let value) = base {
            guard let value = Conversion.unwrapped(value) else { return .value(.constant(.null)) }
            return try conversion.convert(
                transform, binding: variable.key, to: .captured(value))
        }
        let result = try conversion.convert(transform, binding: variable.key, to: base)
        let test = QueryExpression.comparison(
            .notEqual, try conversion.scalar(base, of: wrapped), .constant(.null))
        if result.path.map({ base.isStart(of: $0) }) ?? false {
            // A path through nothing leads to nothing: no test is needed.
            return result
        }
        return .value(
            .conditional(
                test, then: try conversion.scalar(result, of: transform),
                otherwise: .constant(.null)))
    }
}

extension Converted {
    /// The path, where it is nothing but one.
    fileprivate var path: PropertyPath? {
        switch self {
        case .value(.property(let path)): path
        case .object(let reference): PropertyPath(scope: reference.scope, steps: reference.steps)
        case .toMany(let reference): reference.path
        default: nil
        }
    }

    fileprivate func isStart(of longer: PropertyPath) -> Bool {
        guard let path else { return false }
        return path.scope == longer.scope && longer.steps.starts(with: path.steps)
    }
}

extension PredicateExpressions.NilCoalesce: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        let first = try conversion.convert(lhs)
        if case .captured(let value) = first {
            return try Conversion.unwrapped(value).map { .captured($0) } ?? conversion.convert(rhs)
        }
        let second = try conversion.convert(rhs)
        if case .toMany = first, case .captured(let value) = second,
            Conversion.elements(of: value)?.isEmpty ?? false
        {
            // `album?.photos ?? []`: a relationship of nothing has no members as it is.
            return first
        }
        let preferred = try conversion.scalar(first, of: lhs)
        let fallback = try conversion.scalar(second, of: rhs)
        // The two forms that `if let … { condition } else { false }` and `… ?? false` take.
        if case .conditional(let test, let condition, otherwise: .constant(.null)) = preferred {
            if fallback == .constant(.boolean(false)) { return .value(.and([test, condition])) }
            if fallback == .constant(.boolean(true)), condition.isNeverNull {
                return .value(.or([.not(test), condition]))
            }
        }
        return .value(.coalesce(preferred, fallback))
    }
}

extension QueryExpression {
    /// Whether the expression always has a value.
    fileprivate var isNeverNull: Bool {
        switch self {
        case .and, .or, .not, .comparison, .isIn, .exists, .all, .count: true
        default: false
        }
    }
}

extension PredicateExpressions.ForcedUnwrap: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        let converted = try conversion.convert(inner)
        guard case .captured(let value) = converted else { return converted }
        guard let value = Conversion.unwrapped(value) else {
            throw conversion.unsupported(self, "a captured value is nil")
        }
        return .captured(value)
    }
}

extension PredicateExpressions.ForceCast: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        // Only the casts that change nothing: to the same type or to its optional.
        guard Desired.self == Input.Output.self || Desired.self == Input.Output?.self else {
            throw conversion.unsupported(self, "a cast cannot be evaluated by a store")
        }
        return try conversion.convert(input)
    }
}
