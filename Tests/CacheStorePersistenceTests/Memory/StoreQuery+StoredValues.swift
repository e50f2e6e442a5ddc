// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery

@testable import CacheStorePersistence

extension StoreQuery {
    /// Refuses what no store can answer from its rows: values that are not stored, and compressed or
    /// external values in anything but a test for nil.
    func requireStoredValues(in model: ManagedObjectModel) throws(QueryError) {
        try predicate?.requireStoredValues(in: model)
        for key in sort { try QueryExpression.property(key.path).requireStoredValues(in: model) }
    }
}

extension QueryExpression {
    fileprivate func requireStoredValues(in model: ManagedObjectModel) throws(QueryError) {
        switch self {
        case .constant, .object, .count: break
        case .property(let path): try path.requireStoredValue(in: model, isNilTest: false)
        case .comparison(.equal, .property(let path), .constant(.null)),
            .comparison(.notEqual, .property(let path), .constant(.null)),
            .comparison(.equal, .constant(.null), .property(let path)),
            .comparison(.notEqual, .constant(.null), .property(let path)):
            try path.requireStoredValue(in: model, isNilTest: true)
        case .and(let parts), .or(let parts):
            for part in parts { try part.requireStoredValues(in: model) }
        case .comparison(_, let first, let second), .text(_, let first, let second, _),
            .arithmetic(_, let first, let second), .coalesce(let first, let second):
            try first.requireStoredValues(in: model)
            try second.requireStoredValues(in: model)
        case .conditional(let test, let first, let second):
            for part in [test, first, second] { try part.requireStoredValues(in: model) }
        case .not(let part), .isIn(let part, _), .negative(let part), .length(let part),
            .exists(_, _, let part), .all(_, _, let part):
            try part.requireStoredValues(in: model)
        }
    }
}

extension PropertyPath {
    fileprivate func requireStoredValue(
        in model: ManagedObjectModel, isNilTest: Bool
    ) throws(QueryError) {
        guard let property = property(in: model), property.column != nil else {
            throw QueryError(
                .unsupportedExpression, "the property has no single stored value",
                expression: names(in: model))
        }
        let options = property.attribute?.options ?? []
        guard isNilTest || options.isDisjoint(with: [.compressed, .externalStorage]) else {
            throw QueryError(
                .unsupportedExpression,
                "a compressed or external value can only be compared with nil",
                expression: names(in: model))
        }
    }

    private func names(in model: ManagedObjectModel) -> String {
        steps.map { model.entities[$0.entityIndex].properties[$0.propertyIndex].name }
            .joined(separator: ".")
    }
}
