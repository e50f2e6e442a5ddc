// SPDX-License-Identifier: MIT
package import Foundation

/// A value that crosses to or from SQLite, one case per storage class.
package enum SQLBinding: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)
}

extension SQLBinding: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByNilLiteral
{
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .real(value) }
    package init(stringLiteral value: String) { self = .text(value) }
    package init(nilLiteral: ()) { self = .null }
}

extension SQLBinding {
    /// The integer, `nil` for any other storage class.
    package var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The text, `nil` for any other storage class.
    package var text: String? {
        if case .text(let value) = self { value } else { nil }
    }
}
