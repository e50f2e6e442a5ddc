// SPDX-License-Identifier: MIT

package import CacheStoreModel

/// A fetch as a store sees it.
package struct StoreQuery: Sendable {
    package var entity: Entity
    package var includesSubentities: Bool
    package var predicate: QueryExpression?
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
        self.predicate = predicate
        self.sort = sort
        self.limit = limit
        self.offset = offset
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
