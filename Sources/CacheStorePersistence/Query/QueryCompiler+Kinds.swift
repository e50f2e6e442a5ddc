// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery

extension QueryCompiler {
    func kind(of expression: QueryExpression) throws(QueryError) -> ValueKind {
        switch expression {
        case .constant(let value): return ValueKind(value)
        case .property(let path):
            guard let property = path.property(in: map.model) else { return .unknown }
            switch property.kind {
            case .attribute(let attribute): return ValueKind(attribute)
            case .relationship(let relationship):
                return .object(root: map.model.entities[relationship.destinationIndex].rootIndex)
            }
        case .object(let scope): return .object(root: try root(ofScope: scope))
        case .and, .or, .not, .comparison, .text, .isIn, .exists, .all, .length, .count:
            return .integer
        case .arithmetic(let operation, let first, let second):
            return ValueKind.result(
                of: operation, try kind(of: first), try kind(of: second))
        case .negative(let operand):
            let kind = try kind(of: operand)
            return kind.isNumber || kind == .unknown ? kind : .null
        case .coalesce(let first, let second), .conditional(_, let first, let second):
            return try kind(of: first).merged(with: try kind(of: second))
        }
    }

    private func root(ofScope scope: Int) throws(QueryError) -> Int {
        try frame(scope).rootIndex
    }
}
