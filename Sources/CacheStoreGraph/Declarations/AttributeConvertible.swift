// SPDX-License-Identifier: MIT

public import CacheStoreModel
import Foundation

/// A type whose values can be attributes.
///
/// Integers, `Bool`, `Double`, `Float`, `Decimal`, `String`, `Date`, `Data`, `UUID` and `URL` are such
/// types, and so are their optional forms. Enumerations with raw values of these types and all
/// `Codable` types can be attributes without conforming to anything else.
public protocol AttributeConvertible {
    /// The type that an attribute of this Swift type has in the model.
    static var attributeType: AttributeType { get }
    /// Whether `nil` is among the values.
    static var isOptionalAttribute: Bool { get }
    /// The value that is read where none was ever set: zero, the empty text, `nil`.
    static var attributePlaceholder: Self { get }
    /// The value as data.
    var propertyValue: PropertyValue { get }
    /// Makes the value from data, or `nil` where the data is of another kind or out of range.
    init?(propertyValue: PropertyValue)
}

extension AttributeConvertible {
    /// `false`: most types have no value that means "none".
    public static var isOptionalAttribute: Bool { false }
}

extension AttributeConvertible where Self: FixedWidthInteger {
    /// Zero.
    public static var attributePlaceholder: Self { 0 }
    /// The integer; one above `Int64.max` becomes a decimal, which no store accepts.
    public var propertyValue: PropertyValue {
        Int64(exactly: self).map { .integer($0) } ?? .decimal(Decimal(string: "\(self)") ?? 0)
    }
    /// Makes the integer, unless it does not fit.
    public init?(propertyValue: PropertyValue) {
        switch propertyValue {
        case .integer(let integer): self.init(exactly: integer)
        case .decimal(let decimal): self.init("\(decimal)")
        default: return nil
        }
    }
}

extension Int8: AttributeConvertible {
    /// ``AttributeType/integer8``.
    public static var attributeType: AttributeType { .integer8 }
}
extension Int16: AttributeConvertible {
    /// ``AttributeType/integer16``.
    public static var attributeType: AttributeType { .integer16 }
}
extension Int32: AttributeConvertible {
    /// ``AttributeType/integer32``.
    public static var attributeType: AttributeType { .integer32 }
}
extension Int64: AttributeConvertible {
    /// ``AttributeType/integer64``.
    public static var attributeType: AttributeType { .integer64 }
}
extension Int: AttributeConvertible {
    /// ``AttributeType/integer64``.
    public static var attributeType: AttributeType { .integer64 }
}
extension UInt8: AttributeConvertible {
    /// ``AttributeType/unsignedInteger8``.
    public static var attributeType: AttributeType { .unsignedInteger8 }
}
extension UInt16: AttributeConvertible {
    /// ``AttributeType/unsignedInteger16``.
    public static var attributeType: AttributeType { .unsignedInteger16 }
}
extension UInt32: AttributeConvertible {
    /// ``AttributeType/unsignedInteger32``.
    public static var attributeType: AttributeType { .unsignedInteger32 }
}
extension UInt64: AttributeConvertible {
    /// ``AttributeType/unsignedInteger64``.
    public static var attributeType: AttributeType { .unsignedInteger64 }
}
extension UInt: AttributeConvertible {
    /// ``AttributeType/unsignedInteger64``.
    public static var attributeType: AttributeType { .unsignedInteger64 }
}

extension Optional: AttributeConvertible where Wrapped: AttributeConvertible {
    /// The type of the wrapped values.
    public static var attributeType: AttributeType { Wrapped.attributeType }
    /// `true`.
    public static var isOptionalAttribute: Bool { true }
    /// `nil`.
    public static var attributePlaceholder: Wrapped? { nil }
    /// The wrapped value as data, or ``PropertyValue/null``.
    public var propertyValue: PropertyValue { self?.propertyValue ?? .null }
    /// Makes the value; a null gives `nil`.
    public init?(propertyValue: PropertyValue) {
        if propertyValue.isNull {
            self = .none
        } else if let wrapped = Wrapped(propertyValue: propertyValue) {
            self = .some(wrapped)
        } else {
            return nil
        }
    }
}
