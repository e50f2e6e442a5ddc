// SPDX-License-Identifier: MIT

/// A piece of SQL together with the values it binds.
///
/// Values never enter the text: an interpolated value becomes a `?`, so that two requests of one
/// shape have the same text and share a prepared statement. Identifiers are always quoted.
///
/// ```swift
/// let query: SQLFragment = "SELECT * FROM \(identifier: table) WHERE id = \(id)"
/// ```
package struct SQLFragment: Sendable, Hashable {
    package enum Segment: Sendable, Hashable {
        /// Text that is SQL as it stands. Never data.
        case sql(String)
        /// A name, to be quoted.
        case identifier(String)
        /// A value, to be bound.
        case binding(SQLBinding)
    }

    package private(set) var segments: [Segment]

    package init(segments: [Segment] = []) {
        self.segments = segments
    }

    /// Creates a fragment from text that is SQL as it stands. Never pass data.
    package init(sql: String) {
        segments = sql.isEmpty ? [] : [.sql(sql)]
    }

    package static func identifier(_ name: String) -> Self {
        Self(segments: [.identifier(name)])
    }

    /// A column of a table or an alias: `"table"."column"`.
    package static func identifier(_ table: String, _ column: String) -> Self {
        Self(segments: [.identifier(table), .sql("."), .identifier(column)])
    }

    package static func binding(_ value: SQLBinding) -> Self {
        Self(segments: [.binding(value)])
    }

    package var isEmpty: Bool { segments.isEmpty }

    /// The text of the statement, with `?` for each value: its shape.
    package var text: String {
        var text = ""
        for segment in segments {
            switch segment {
            case .sql(let sql): text += sql
            case .identifier(let name): Self.append(quoted: name, to: &text)
            case .binding: text += "?"
            }
        }
        return text
    }

    /// The values, in the order of their `?`.
    package var bindings: [SQLBinding] {
        segments.compactMap { segment in
            if case .binding(let value) = segment { value } else { nil }
        }
    }

    /// Returns a name as SQL: in double quotes, with inner ones doubled.
    package static func quoted(_ name: String) -> String {
        var text = ""
        append(quoted: name, to: &text)
        return text
    }

    private static func append(quoted name: String, to text: inout String) {
        guard name.utf8.contains(UInt8(ascii: "\"")) else {
            text += "\""
            text += name
            text += "\""
            return
        }
        text += "\""
        // By scalar: a quote followed by a combining mark is one Character, and not equal to "\"".
        for scalar in name.unicodeScalars {
            if scalar == "\"" { text += "\"" }
            text.unicodeScalars.append(scalar)
        }
        text += "\""
    }
}

extension SQLFragment {
    package mutating func append(_ other: Self) {
        segments += other.segments
    }

    package mutating func append(sql: String) {
        segments.append(.sql(sql))
    }

    package static func + (left: Self, right: Self) -> Self {
        Self(segments: left.segments + right.segments)
    }

    package static func += (left: inout Self, right: Self) {
        left.append(right)
    }

    /// The fragment in parentheses.
    package var parenthesized: Self {
        Self(segments: [.sql("(")] + segments + [.sql(")")])
    }
}

extension Sequence<SQLFragment> {
    /// Returns the fragments one after the other, with a separator between them.
    package func joined(separator: SQLFragment) -> SQLFragment {
        var result = SQLFragment()
        var isFirst = true
        for fragment in self {
            if !isFirst { result.append(separator) }
            result.append(fragment)
            isFirst = false
        }
        return result
    }
}
