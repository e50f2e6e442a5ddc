// SPDX-License-Identifier: MIT

import CacheStoreModel
import Foundation

/// A sort order over objects and rows in memory, the same as the stores'.
package struct QueryOrder {
    private let keys: [SortKey]

    package init(_ keys: [SortKey]) { self.keys = keys }

    /// Whether the first object comes before the second. Ties are broken by the objects' keys:
    /// saved objects first, ascending, then unsaved ones in the order of their creation.
    package func areInIncreasingOrder(
        _ first: any QueryObject, _ second: any QueryObject
    ) -> Bool {
        for key in keys {
            let order = Self.order(Self.value(key, of: first), Self.value(key, of: second), key)
            if order != 0 { return order < 0 }
        }
        return Self.tieBreaker(first.queryID) < Self.tieBreaker(second.queryID)
    }

    /// The objects in order. Reads each sorted property once per object.
    package func sorted<Object>(
        _ objects: [Object], as queryObject: (Object) -> any QueryObject
    ) -> [Object] {
        let decorated = objects.map { object in
            let queried = queryObject(object)
            return (
                object: object, values: keys.map { Self.value($0, of: queried) },
                tie: Self.tieBreaker(queried.queryID)
            )
        }
        let sorted = decorated.sorted { first, second in
            for (index, key) in keys.enumerated() {
                let order = Self.order(first.values[index], second.values[index], key)
                if order != 0 { return order < 0 }
            }
            return first.tie < second.tie
        }
        return sorted.map(\.object)
    }

    private static func tieBreaker(_ id: ManagedObjectID) -> UInt64 {
        // Temporary keys count down from -1; their magnitudes count up, behind all others.
        id.key < 0 ? 1 << 63 | UInt64(id.key.magnitude) : UInt64(id.key)
    }

    private static func value(_ key: SortKey, of object: any QueryObject) -> PropertyValue {
        var object = object
        for step in key.path.steps.dropLast() {
            guard let next = object.queryObject(toOne: step.propertyIndex) else { return .null }
            object = next
        }
        return key.path.steps.last.map { object.queryValue(ofProperty: $0.propertyIndex) } ?? .null
    }

    private static func order(
        _ first: PropertyValue, _ second: PropertyValue, _ key: SortKey
    ) -> Int {
        let order: Int
        switch (first.isQueryNull, second.isQueryNull) {
        case (true, true): return 0
        case (true, false): order = -1
        case (false, true): order = 1
        case (false, false):
            if key.comparison != .binary, case .string(let first) = first,
                case .string(let second) = second
            {
                order = key.comparison.order(first, second)
            } else {
                order = first.queryOrder(to: second) ?? 0
            }
        }
        return key.isAscending ? order : -order
    }
}

extension SortKey.Comparison {
    /// How two texts compare: a negative number, zero or a positive one.
    ///
    /// The SQLite store's collations call this as well.
    package func order(_ first: String, _ second: String) -> Int {
        switch self {
        case .binary: TextBytes.compare(first, second)
        case .localizedStandard: first.localizedStandardCompare(second).rawValue
        case .localized: first.localizedCompare(second).rawValue
        }
    }
}
