// SPDX-License-Identifier: MIT

package import CacheStoreModel

/// A condition without its values: what many requests have in common that differ in captured values
/// only, as those built in a loop do.
///
/// A shape stands for itself: layers below keep what they made of it (SQL, a statement) under its
/// identity. It exists only for conditions whose values are all plain parameters, so that nothing but
/// the bound values depends on them.
package final class QueryShape: Sendable {
    private let template: QueryExpression
    /// For each constant of the template, in the order of a walk: the parameter that takes its place.
    private let parameters: [Int]

    private init(template: QueryExpression, parameters: [Int]) {
        self.template = template
        self.parameters = parameters
    }

    /// The shape of a condition that was converted with these captured values, or `nil` if the values
    /// are not all found again in it, each once and beyond doubt.
    package static func of(
        _ expression: QueryExpression, capturing values: [PropertyValue]
    ) -> QueryShape? {
        guard Set(values).count == values.count else { return nil }
        var order: [Int] = []
        var isPlain = true
        _ = expression.mappingConstants { constant in
            if let index = values.firstIndex(of: constant) {
                order.append(index)
            } else {
                isPlain = false
            }
            return constant
        } unsupported: {
            isPlain = false
        }
        guard isPlain, order.count == values.count, Set(order).count == order.count else {
            return nil
        }
        return QueryShape(template: expression, parameters: order)
    }

    /// The condition with other values.
    package func expression(with values: [PropertyValue]) -> QueryExpression {
        var position = 0
        return template.mappingConstants { constant in
            defer { position += 1 }
            guard position < parameters.count, parameters[position] < values.count else {
                return constant
            }
            return values[parameters[position]]
        } unsupported: {
        }
    }
}

extension QueryExpression {
    /// The expression with each constant replaced, from left to right.
    ///
    /// The second closure is told of parts that may depend on values in other ways than by binding
    /// them.
    fileprivate func mappingConstants(
        _ replace: (PropertyValue) -> PropertyValue, unsupported: () -> Void
    ) -> QueryExpression {
        func map(_ part: QueryExpression) -> QueryExpression {
            part.mappingConstants(replace, unsupported: unsupported)
        }
        switch self {
        case .constant(let value): return .constant(replace(value))
        case .property, .object, .count: return self
        case .and(let parts): return .and(parts.map(map))
        case .or(let parts): return .or(parts.map(map))
        case .not(let part): return .not(map(part))
        case .comparison(let comparison, let first, let second):
            return .comparison(comparison, map(first), map(second))
        case .coalesce(let first, let second): return .coalesce(map(first), map(second))
        case .exists(let path, let scope, let test):
            return .exists(path, scope: scope, map(test))
        case .all(let path, let scope, let test):
            return .all(path, scope: scope, map(test))
        case .text, .isIn, .arithmetic, .negative, .conditional, .length:
            unsupported()
            return self
        }
    }
}
