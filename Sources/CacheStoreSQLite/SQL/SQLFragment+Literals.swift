// SPDX-License-Identifier: MIT
package import Foundation

extension SQLFragment: ExpressibleByStringInterpolation {
    package init(stringLiteral sql: StaticString) {
        self.init(sql: sql.description)
    }

    package init(stringInterpolation: Interpolation) {
        self.init(segments: stringInterpolation.segments)
    }

    /// Builds a fragment from an interpolated literal. The literal parts are SQL; a `String` in it
    /// is a value to bind like any other, never text of the statement.
    package struct Interpolation: StringInterpolationProtocol {
        var segments: [Segment] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            segments.reserveCapacity(2 * interpolationCount + 1)
        }

        // Only the compiler calls this, with the literal parts. They are a StaticString, so that
        // nothing made at run time can be passed.
        package mutating func appendLiteral(_ literal: StaticString) {
            guard literal.utf8CodeUnitCount > 0 else { return }
            segments.append(.sql(literal.description))
        }

        package mutating func appendInterpolation(_ value: SQLBinding) {
            segments.append(.binding(value))
        }

        package mutating func appendInterpolation(_ value: Int64?) {
            segments.append(.binding(value.map(SQLBinding.integer) ?? .null))
        }

        package mutating func appendInterpolation(_ value: Int) {
            segments.append(.binding(.integer(Int64(value))))
        }

        package mutating func appendInterpolation(_ value: Double?) {
            segments.append(.binding(value.map(SQLBinding.real) ?? .null))
        }

        package mutating func appendInterpolation(_ value: String?) {
            segments.append(.binding(value.map(SQLBinding.text) ?? .null))
        }

        package mutating func appendInterpolation(_ value: Data?) {
            segments.append(.binding(value.map(SQLBinding.blob) ?? .null))
        }

        package mutating func appendInterpolation(_ fragment: SQLFragment) {
            segments += fragment.segments
        }

        package mutating func appendInterpolation(identifier name: String) {
            segments.append(.identifier(name))
        }

        /// Adds text that is SQL as it stands. Never pass data.
        package mutating func appendInterpolation(sql: String) {
            segments.append(.sql(sql))
        }
    }
}
