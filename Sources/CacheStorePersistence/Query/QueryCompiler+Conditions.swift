// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import CacheStoreSQLite

extension QueryCompiler {
    /// Appends a condition, in which NULL stands for false.
    mutating func condition(_ expression: QueryExpression) throws(QueryError) {
        switch expression {
        case .and(let parts): try joined(parts[...], by: " AND ", ifEmpty: "1")
        case .or(let parts): try joined(parts[...], by: " OR ", ifEmpty: "0")
        case .not(let part):
            text += "("
            try condition(part)
            text += ") IS NOT TRUE"
        case .comparison(let comparison, let first, let second):
            try compare(comparison, first, second)
        case .text(let test, let first, let second, let options):
            try self.text(test, first, second, options)
        case .isIn(let element, let values): try isIn(element, values)
        case .exists(let path, let scope, let test):
            text += "EXISTS "
            try subquery(path, scope: scope, test, negated: false)
        case .all(let path, let scope, let test):
            text += "NOT EXISTS "
            try subquery(path, scope: scope, test, negated: true)
        case .conditional(let test, let first, let second):
            text += "CASE WHEN "
            try condition(test)
            text += " THEN "
            try condition(first)
            text += " ELSE "
            try condition(second)
            text += " END"
        default:
            // Text and bytes are never true, whatever SQLite would read in them.
            switch try kind(of: expression) {
            case .text, .bytes, .object, .decimal: text += "0"
            default: try value(expression)
            }
        }
    }

    /// Balanced, since SQLite limits the depth of expressions and not their length
    /// (https://sqlite.org/limits.html#max_expr_depth).
    private mutating func joined(
        _ parts: ArraySlice<QueryExpression>, by separator: String, ifEmpty: String
    ) throws(QueryError) {
        if parts.isEmpty {
            text += ifEmpty
        } else if parts.count <= 8 {
            var isFirst = true
            for part in parts {
                if !isFirst { text += separator }
                isFirst = false
                text += "("
                try condition(part)
                text += ")"
            }
        } else {
            let middle = parts.startIndex + parts.count / 2
            text += "("
            try joined(parts[..<middle], by: separator, ifEmpty: ifEmpty)
            text += ")\(separator)("
            try joined(parts[middle...], by: separator, ifEmpty: ifEmpty)
            text += ")"
        }
    }

    private mutating func subquery(
        _ path: PropertyPath, scope: Int, _ test: QueryExpression, negated: Bool
    ) throws(QueryError) {
        let members = try members(path)
        let frame = QueryFrame(alias: members.alias, rootIndex: members.rootIndex)
        let condition = try condition(test, of: frame, scope: scope)
        text += "(SELECT 1 FROM \(members.rows)\(frame.joins) WHERE \(members.link) AND "
        text += negated ? "(\(condition)) IS NOT TRUE)" : "(\(condition)))"
    }

    // MARK: Comparisons

    private mutating func compare(
        _ comparison: ComparisonOperator, _ first: QueryExpression, _ second: QueryExpression
    ) throws(QueryError) {
        let kinds = (try kind(of: first), try kind(of: second))
        let isEquality = comparison == .equal || comparison == .notEqual
        if kinds.0 == .null || kinds.1 == .null {
            guard isEquality else {
                text += "0"
                return
            }
            try present(kinds.0 == .null ? second : first)
            text += comparison == .equal ? " IS NULL" : " IS NOT NULL"
            return
        }
        if let rank = kinds.0.rank, let other = kinds.1.rank, rank != other {
            try compareDifferent(comparison, first, second, isLess: rank < other)
            return
        }
        let areDecimals = kinds.0 == .decimal && kinds.1 == .decimal
        if kinds.0.mayBeDecimal || kinds.1.mayBeDecimal, !(isEquality && areDecimals) {
            try compareDecimals(comparison, first, second)
            return
        }
        try value(first)
        text += Self.symbol(comparison, isTotal: isConstant(first) || isConstant(second))
        try value(second)
    }

    private func isConstant(_ expression: QueryExpression) -> Bool {
        if case .constant(let value) = expression { return !value.isQueryNull }
        return false
    }

    /// With a value that is certainly there `=` says the same as `IS`, and finds an index sooner.
    private static func symbol(_ comparison: ComparisonOperator, isTotal: Bool) -> String {
        switch comparison {
        case .equal: isTotal ? " = " : " IS "
        case .notEqual: " IS NOT "
        case .less: " < "
        case .lessOrEqual: " <= "
        case .greater: " > "
        case .greaterOrEqual: " >= "
        }
    }

    /// Appends something that is NULL where there is no value.
    private mutating func present(_ expression: QueryExpression) throws(QueryError) {
        if case .property(let path) = expression {
            try property(path)
        } else {
            text += "("
            try value(expression)
            text += ")"
        }
    }

    /// Values of different kinds are never equal; their kinds alone order them.
    private mutating func compareDifferent(
        _ comparison: ComparisonOperator, _ first: QueryExpression, _ second: QueryExpression,
        isLess: Bool
    ) throws(QueryError) {
        let (state, connective): (String, String)
        switch comparison {
        case .equal: (state, connective) = (" IS NULL", " AND ")
        case .notEqual: (state, connective) = (" IS NOT NULL", " OR ")
        case .less, .lessOrEqual:
            guard isLess else {
                text += "0"
                return
            }
            (state, connective) = (" IS NOT NULL", " AND ")
        case .greater, .greaterOrEqual:
            guard !isLess else {
                text += "0"
                return
            }
            (state, connective) = (" IS NOT NULL", " AND ")
        }
        text += "("
        try present(first)
        text += state + connective
        try present(second)
        text += state + ")"
    }

    private mutating func decimalOrder(
        _ first: QueryExpression, _ second: QueryExpression
    ) throws(QueryError) {
        text += "cachestore_order("
        try value(first)
        text += ", "
        try value(second)
        text += ")"
    }

    private mutating func compareDecimals(
        _ comparison: ComparisonOperator, _ first: QueryExpression, _ second: QueryExpression
    ) throws(QueryError) {
        switch comparison {
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            try decimalOrder(first, second)
            text += Self.symbol(comparison, isTotal: true) + "0"
        case .equal, .notEqual:
            // The order has no value if either side has none; equal they are only if both have.
            text += "coalesce("
            try decimalOrder(first, second)
            text += " = 0, ("
            try value(first)
            text += ") IS NULL AND ("
            try value(second)
            text += comparison == .equal ? ") IS NULL)" : ") IS NULL) = 0"
        }
    }
}
