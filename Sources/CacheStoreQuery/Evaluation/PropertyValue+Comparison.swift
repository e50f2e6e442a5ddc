// SPDX-License-Identifier: MIT

package import CacheStoreModel
import Foundation

/// How values compare in queries, in memory as in SQL.
extension PropertyValue {
    /// Whether the value counts as none. "Not a number" does: SQLite stores it as NULL.
    package var isQueryNull: Bool {
        switch self {
        case .null: true
        case .double(let double): double.isNaN
        case .date(let date): date.timeIntervalSince1970.isNaN
        case .decimal(let decimal): decimal.isNaN
        default: false
        }
    }

    /// Equality in which no value equals no value, numbers compare by value and text by its bytes.
    package func isQueryEqual(to other: PropertyValue) -> Bool {
        switch (isQueryNull, other.isQueryNull) {
        case (true, true): return true
        case (true, false), (false, true): return false
        case (false, false): break
        }
        if case .object(let first) = self, case .object(let second) = other {
            return first == second
        }
        return queryOrder(to: other) == 0
    }

    /// A negative number, zero or a positive one; `nil` if either is no value.
    ///
    /// Values of different kinds are never equal: numbers come before text, text before bytes, as
    /// in SQLite.
    package func queryOrder(to other: PropertyValue) -> Int? {
        if isQueryNull || other.isQueryNull { return nil }
        switch (self, other) {
        case (.integer(let first), .integer(let second)):
            return first < second ? -1 : (first == second ? 0 : 1)
        case (.string(let first), .string(let second)):
            return TextBytes.compare(first, second)
        case (.data(let first), .data(let second)):
            return first.lexicographicallyPrecedes(second) ? -1 : (first == second ? 0 : 1)
        default: break
        }
        let (first, second) = (QueryOperand(self), QueryOperand(other))
        return first.order(to: second)
    }
}

/// A value with its kind reduced to what comparisons tell apart.
private enum QueryOperand {
    case integer(Int64)
    case real(Double)
    case decimal(Decimal)
    case text(String)
    case bytes(Data)
    case object(Int64)

    init(_ value: PropertyValue) {
        switch value {
        case .null: self = .bytes(Data())
        case .integer(let integer): self = .integer(integer)
        case .boolean(let boolean): self = .integer(boolean ? 1 : 0)
        case .double(let double): self = .real(double)
        case .date(let date): self = .real(date.timeIntervalSince1970)
        case .decimal(let decimal): self = .decimal(decimal)
        case .string(let string): self = .text(string)
        case .url(let url): self = .text(url.absoluteString)
        case .data(let data): self = .bytes(data)
        case .uuid(let uuid): self = .bytes(withUnsafeBytes(of: uuid.uuid) { Data($0) })
        case .object(let id): self = .object(id.key)
        }
    }

    private var rank: Int {
        switch self {
        case .integer, .real, .decimal: 0
        case .text: 1
        case .bytes: 2
        case .object: 3
        }
    }

    func order(to other: QueryOperand) -> Int {
        switch (self, other) {
        case (.integer(let first), .integer(let second)): Self.order(first, second)
        case (.real(let first), .real(let second)): Self.order(first, second)
        case (.decimal(let first), .decimal(let second)): Self.order(first, second)
        case (.integer(let first), .real(let second)): Self.order(integer: first, real: second)
        case (.real(let first), .integer(let second)): -Self.order(integer: second, real: first)
        case (.integer(let first), .decimal(let second)): Self.order(Decimal(first), second)
        case (.decimal(let first), .integer(let second)): Self.order(first, Decimal(second))
        case (.real(let first), .decimal(let second)): Self.order(first, second.doubleValue)
        case (.decimal(let first), .real(let second)): Self.order(first.doubleValue, second)
        case (.text(let first), .text(let second)): TextBytes.compare(first, second)
        case (.bytes(let first), .bytes(let second)):
            first == second ? 0 : (first.lexicographicallyPrecedes(second) ? -1 : 1)
        case (.object(let first), .object(let second)): Self.order(first, second)
        default: rank - other.rank
        }
    }

    private static func order<Number: Comparable>(_ first: Number, _ second: Number) -> Int {
        first < second ? -1 : (first == second ? 0 : 1)
    }

    /// Exact also for integers that no floating-point number equals.
    private static func order(integer: Int64, real: Double) -> Int {
        if real >= 0x1p63 { return -1 }
        if real < -0x1p63 { return 1 }
        let whole = real.rounded(.towardZero)
        let truncated = Int64(whole)
        if integer != truncated { return integer < truncated ? -1 : 1 }
        return order(whole, real)
    }
}

extension Decimal {
    /// The nearest floating-point number.
    package var doubleValue: Double { NSDecimalNumber(decimal: self).doubleValue }
}
