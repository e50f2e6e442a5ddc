// SPDX-License-Identifier: MIT

import CacheStoreModel
import Foundation

extension Conversion {
    /// The value in queries of what a predicate has captured.
    func propertyValue(
        of value: Any, in node: any PredicateExpression
    ) throws -> PropertyValue {
        guard let converted = convertedValue(value) else {
            throw QueryError(
                .typeMismatch, "a captured value of type \(type(of: value)) is no attribute value",
                expression: String(describing: type(of: node)))
        }
        return converted
    }

    private func convertedValue(_ value: Any) -> PropertyValue? {
        // The two most common types first: a cast to a class of types costs more.
        if let string = value as? String { return .string(string) }
        if let integer = value as? Int { return .integer(Int64(integer)) }
        if let basic = value as? any CapturedValue { return basic.propertyValue }
        if let optional = value as? any CapturedOptional {
            guard let wrapped = optional.wrappedValue else { return .null }
            return convertedValue(wrapped)
        }
        if let own = hooks.captured(value) { return own }
        if let enumeration = value as? any RawRepresentable {
            return convertedValue(enumeration.rawValue)
        }
        return nil
    }

    /// The values of a captured collection, or `nil` if it is none.
    func propertyValues(
        of value: Any, in node: any PredicateExpression
    ) throws -> [PropertyValue]? {
        guard let elements = Self.elements(of: value) else { return nil }
        return try elements.map { try propertyValue(of: $0, in: node) }
    }

    static func elements(of value: Any) -> [Any]? {
        guard let sequence = value as? any Sequence else { return nil }
        func collect(_ sequence: some Sequence) -> [Any] { sequence.map { $0 } }
        return collect(sequence)
    }

    /// What is in an optional: the value itself where it is none.
    static func unwrapped(_ value: Any) -> Any? {
        guard let optional = value as? any CapturedOptional else { return value }
        return optional.wrappedValue.flatMap { unwrapped($0) }
    }
}

/// A basic type whose values stand in attributes.
private protocol CapturedValue {
    var propertyValue: PropertyValue { get }
}

extension String: CapturedValue {
    fileprivate var propertyValue: PropertyValue { .string(self) }
}
extension Substring: CapturedValue {
    fileprivate var propertyValue: PropertyValue { .string(String(self)) }
}
extension Character: CapturedValue {
    fileprivate var propertyValue: PropertyValue { .string(String(self)) }
}
extension Bool: CapturedValue {
    fileprivate var propertyValue: PropertyValue { .boolean(self) }
}
extension Double: CapturedValue {
    fileprivate var propertyValue: PropertyValue { .double(self) }
}
extension Float: CapturedValue {
    fileprivate var propertyValue: PropertyValue { .double(Double(self)) }
}
extension Decimal: CapturedValue {
    fileprivate var propertyValue: PropertyValue { .decimal(self) }
}
extension Date: CapturedValue {
    fileprivate var propertyValue: PropertyValue { .date(self) }
}
extension Data: CapturedValue {
    fileprivate var propertyValue: PropertyValue { .data(self) }
}
extension UUID: CapturedValue {
    fileprivate var propertyValue: PropertyValue { .uuid(self) }
}
extension URL: CapturedValue {
    fileprivate var propertyValue: PropertyValue { .url(self) }
}
extension ManagedObjectID: CapturedValue {
    fileprivate var propertyValue: PropertyValue { .object(self) }
}
extension PropertyValue: CapturedValue {
    fileprivate var propertyValue: PropertyValue { self }
}

extension CapturedValue where Self: BinaryInteger {
    fileprivate var propertyValue: PropertyValue {
        // Only a UInt64 can be too large; it then travels as a decimal.
        Int64(exactly: self).map { .integer($0) } ?? .decimal(Decimal(UInt64(clamping: self)))
    }
}
extension Int: CapturedValue {}
extension Int8: CapturedValue {}
extension Int16: CapturedValue {}
extension Int32: CapturedValue {}
extension Int64: CapturedValue {}
extension UInt: CapturedValue {}
extension UInt8: CapturedValue {}
extension UInt16: CapturedValue {}
extension UInt32: CapturedValue {}
extension UInt64: CapturedValue {}

private protocol CapturedOptional {
    var wrappedValue: Any? { get }
}

extension Optional: CapturedOptional {
    fileprivate var wrappedValue: Any? { map { $0 } }
}
