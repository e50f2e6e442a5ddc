// SPDX-License-Identifier: MIT

package import CacheStoreModel

/// A fetch as a store sees it.
package struct StoreQuery: Sendable {
    package var entity: Entity
    package var includesSubentities: Bool
    private var condition: QueryExpression?
    /// The condition by its shape, where it has one: what was made of an equal shape can be used again
    /// with the parameters of this query.
    package private(set) var shape: QueryShape?
    package private(set) var parameters: [PropertyValue] = []
    /// Ties are broken by the object's key, ascending, so that every order is total.
    package var sort: [SortKey]
    package var limit: Int?
    package var offset: Int

    package init(
        entity: Entity, includesSubentities: Bool = true, predicate: QueryExpression? = nil,
        sort: [SortKey] = [], limit: Int? = nil, offset: Int = 0
    ) {
        self.entity = entity
        self.includesSubentities = includesSubentities
        self.condition = predicate
        self.sort = sort
        self.limit = limit
        self.offset = offset
    }

    /// The condition; `nil` for all objects.
    package var predicate: QueryExpression? {
        get { shape?.expression(with: parameters) ?? condition }
        set {
            shape = nil
            parameters = []
            condition = newValue
        }
    }

    /// Sets the condition by its shape.
    package mutating func setCondition(_ shape: QueryShape, parameters: [PropertyValue]) {
        self.shape = shape
        self.parameters = parameters
        condition = nil
    }
}

/// One part of a sort order. No value sorts before every value, and so last when descending.
package struct SortKey: Sendable, Hashable {
    package enum Comparison: Sendable, Hashable {
        /// Numbers by value, text by its UTF-8 bytes.
        case binary
        /// Text as a person expects it in a list: Foundation's `localizedStandard`.
        case localizedStandard
        /// Text in the order of the current locale: Foundation's `localized`.
        case localized
    }

    package var path: PropertyPath
    package var isAscending: Bool
    package var comparison: Comparison

    package init(path: PropertyPath, isAscending: Bool = true, comparison: Comparison = .binary) {
        self.path = path
        self.isAscending = isAscending
        self.comparison = comparison
    }
}
