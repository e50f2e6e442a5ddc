// SPDX-License-Identifier: MIT

import CacheStoreModel
package import Foundation

extension PredicateExpressions.Variable: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        try conversion.meaning(of: key, in: self)
    }
}

extension PredicateExpressions.Value: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted { .captured(value) }
}

extension PredicateExpressions.NilLiteral: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        .value(.constant(.null))
    }
}

extension PredicateExpressions.KeyPath: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        switch try conversion.convert(root) {
        case .object(let reference):
            return try conversion.follow(keyPath, from: reference)
        case .captured(let value as Root.Output):
            return .captured(value[keyPath: keyPath])
        case .toMany(let reference):
            switch kind {
            case .collectionCount: return reference.count
            case .collectionIsEmpty: return .value(.not(reference.exists(nil)))
            default: break
            }
        case .value(let expression) where Root.Output.self == String.self:
            switch kind {
            case .collectionCount: return .value(.length(expression))
            case .collectionIsEmpty:
                return .value(.comparison(.equal, expression, .constant(.string(""))))
            default: break
            }
        default: break
        }
        throw conversion.unsupported(self, "the key path is not one that stores can follow")
    }
}

extension ToManyReference {
    fileprivate var count: Converted {
        filter == nil ? .value(.count(path)) : .numberOfMatches(exists: exists(nil))
    }

    /// Whether there is an object, one that satisfies a condition.
    func exists(_ condition: (scope: Int, test: QueryExpression)?) -> QueryExpression {
        switch (filter, condition) {
        case (nil, nil):
            .comparison(.greater, .count(path), .constant(.integer(0)))
        case (nil, let condition?):
            .exists(path, scope: condition.scope, condition.test)
        case (let filter?, nil):
            .exists(path, scope: filter.scope, filter.condition)
        case (let filter?, let condition?):
            .exists(path, scope: filter.scope, .and([filter.condition, condition.test]))
        }
    }
}
