// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import CacheStoreSQLite
import Foundation

extension QueryCompiler {
    /// Above this a list of integers or texts is bound as one JSON array.
    static let longestBoundList = 256

    mutating func isIn(
        _ element: QueryExpression, _ values: [PropertyValue]
    ) throws(QueryError) {
        let kind = try kind(of: element)
        let hasNull = values.contains(where: { (value: PropertyValue) in value.isQueryNull })
        if kind == .null {
            text += hasNull ? "1" : "0"
            return
        }
        // A value of another kind is never equal to the element.
        let candidates = values.filter { value in
            guard !value.isQueryNull else { return false }
            guard let rank = kind.rank, let other = ValueKind(value).rank else { return true }
            return rank == other
        }
        if kind == .opaque, !candidates.isEmpty, case .property(let path) = element {
            throw opaque(path)
        }
        text += "("
        try isIn(element, kind: kind, candidates: candidates)
        if hasNull {
            text += " OR "
            try isIn(element, isNull: ())
        }
        text += ")"
    }

    private mutating func isIn(_ element: QueryExpression, isNull: Void) throws(QueryError) {
        if case .property(let path) = element {
            try property(path)
        } else {
            text += "("
            try value(element)
            text += ")"
        }
        text += " IS NULL"
    }

    private mutating func isIn(
        _ element: QueryExpression, kind: ValueKind, candidates: [PropertyValue]
    ) throws(QueryError) {
        guard !candidates.isEmpty else {
            text += "0"
            return
        }
        let kinds = candidates.map { ValueKind($0) }
        if kind == .number || (kind == .decimal) != kinds.contains(.decimal)
            || (kind == .decimal && kinds.contains { $0 != .decimal })
        {
            // Decimals among other numbers: each is compared by its value.
            try condition(
                .or(candidates.map { .comparison(.equal, element, .constant($0)) }))
            return
        }
        try value(element)
        text += " IN ("
        bindList(
            candidates.map { value in
                if case .object(let id) = value { return .integer(key(of: id)) }
                return SQLBinding(value)
            })
        text += ")"
    }

    /// Appends a list of values. Its length is rounded up to one of few, so that lists of all
    /// lengths share some statements; the last value fills the rest.
    mutating func bindList(_ values: [SQLBinding]) {
        if values.count > Self.longestBoundList, let array = Self.jsonArray(values) {
            text += "SELECT value FROM json_each(?)"
            bindings.append(.text(array))
            return
        }
        guard let last = values.last else { return }
        let count = Self.paddedCount(values.count)
        text += "?"
        for _ in 1..<count { text += ",?" }
        bindings += values
        bindings += Array(repeating: last, count: count - values.count)
    }

    static func paddedCount(_ count: Int) -> Int {
        var padded = 1
        while padded < count { padded *= 4 }
        return padded
    }

    /// The values as JSON; `nil` for those that do not come back from it as they were: numbers with
    /// a fraction, bytes, and texts with a NUL.
    private static func jsonArray(_ values: [SQLBinding]) -> String? {
        var json = "["
        for value in values {
            if json.utf8.count > 1 { json += "," }
            switch value {
            case .integer(let integer): json += String(integer)
            case .text(let text):
                guard !text.utf8.contains(0) else { return nil }
                json += "\""
                for scalar in text.unicodeScalars {
                    switch scalar {
                    case "\"": json += "\\\""
                    case "\\": json += "\\\\"
                    case _ where scalar.value < 0x20:
                        let digits = String(scalar.value, radix: 16)
                        json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                    default: json.unicodeScalars.append(scalar)
                    }
                }
                json += "\""
            case .null, .real, .blob: return nil
            }
        }
        return json + "]"
    }
}
