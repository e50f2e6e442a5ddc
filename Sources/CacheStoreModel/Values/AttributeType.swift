// SPDX-License-Identifier: MIT

/// The type of an attribute, and with it the form its values have in the store.
///
/// Integers of every width are stored as SQLite integers and checked against their width when an
/// object is validated; they never wrap. Dates are seconds since 1970 UTC, decimals are text (so
/// that they stay exact), UUIDs are sixteen bytes, transformables are the bytes of an encoder.
public struct AttributeType: Sendable, Hashable, Codable {
    /// The closed list behind the static members, so that layers can switch over it.
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case integer8, integer16, integer32, integer64
        case unsignedInteger8, unsignedInteger16, unsignedInteger32, unsignedInteger64
        case boolean, double, float, decimal, string, date, binaryData, uuid, url, transformable
    }

    package let kind: Kind

    package init(_ kind: Kind) { self.kind = kind }

    /// A signed integer of 8 bits.
    public static let integer8 = AttributeType(.integer8)
    /// A signed integer of 16 bits.
    public static let integer16 = AttributeType(.integer16)
    /// A signed integer of 32 bits.
    public static let integer32 = AttributeType(.integer32)
    /// A signed integer of 64 bits.
    public static let integer64 = AttributeType(.integer64)
    /// An unsigned integer of 8 bits.
    public static let unsignedInteger8 = AttributeType(.unsignedInteger8)
    /// An unsigned integer of 16 bits.
    public static let unsignedInteger16 = AttributeType(.unsignedInteger16)
    /// An unsigned integer of 32 bits.
    public static let unsignedInteger32 = AttributeType(.unsignedInteger32)
    /// An unsigned integer of 64 bits, of which a store keeps the values up to `Int64.max`.
    public static let unsignedInteger64 = AttributeType(.unsignedInteger64)
    /// A Boolean, stored as 0 or 1.
    public static let boolean = AttributeType(.boolean)
    /// A floating-point number of 64 bits.
    public static let double = AttributeType(.double)
    /// A floating-point number of 32 bits.
    public static let float = AttributeType(.float)
    /// A decimal number, exact.
    public static let decimal = AttributeType(.decimal)
    /// Text.
    public static let string = AttributeType(.string)
    /// A point in time.
    public static let date = AttributeType(.date)
    /// Bytes.
    public static let binaryData = AttributeType(.binaryData)
    /// A universally unique identifier.
    public static let uuid = AttributeType(.uuid)
    /// A URL.
    public static let url = AttributeType(.url)
    /// Any `Codable` value, stored as the bytes of an encoder.
    public static let transformable = AttributeType(.transformable)

    /// The inclusive range of an integer type, or `nil` for every other type.
    package var integerRange: ClosedRange<Int64>? {
        switch kind {
        case .integer8: Int64(Int8.min)...Int64(Int8.max)
        case .integer16: Int64(Int16.min)...Int64(Int16.max)
        case .integer32: Int64(Int32.min)...Int64(Int32.max)
        case .integer64: Int64.min...Int64.max
        case .unsignedInteger8: 0...Int64(UInt8.max)
        case .unsignedInteger16: 0...Int64(UInt16.max)
        case .unsignedInteger32: 0...Int64(UInt32.max)
        case .unsignedInteger64: 0...Int64.max
        default: nil
        }
    }
}

extension AttributeType: CustomStringConvertible {
    /// The name of the type, as its static member spells it.
    public var description: String { kind.rawValue }
}
