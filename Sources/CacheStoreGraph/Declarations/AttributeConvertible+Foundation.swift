// SPDX-License-Identifier: MIT

public import CacheStoreModel
public import Foundation

extension Bool: AttributeConvertible {
    /// ``AttributeType/boolean``.
    public static var attributeType: AttributeType { .boolean }
    /// `false`.
    public static var attributePlaceholder: Bool { false }
    /// The Boolean as data.
    public var propertyValue: PropertyValue { .boolean(self) }
    /// Makes the Boolean.
    public init?(propertyValue: PropertyValue) {
        guard case .boolean(let boolean) = propertyValue else { return nil }
        self = boolean
    }
}

extension Double: AttributeConvertible {
    /// ``AttributeType/double``.
    public static var attributeType: AttributeType { .double }
    /// Zero.
    public static var attributePlaceholder: Double { 0 }
    /// The number as data.
    public var propertyValue: PropertyValue { .double(self) }
    /// Makes the number.
    public init?(propertyValue: PropertyValue) {
        guard case .double(let double) = propertyValue else { return nil }
        self = double
    }
}

extension Float: AttributeConvertible {
    /// ``AttributeType/float``.
    public static var attributeType: AttributeType { .float }
    /// Zero.
    public static var attributePlaceholder: Float { 0 }
    /// The number as data.
    public var propertyValue: PropertyValue { .double(Double(self)) }
    /// Makes the number, rounded to 32 bits.
    public init?(propertyValue: PropertyValue) {
        guard case .double(let double) = propertyValue else { return nil }
        self = Float(double)
    }
}

extension Decimal: AttributeConvertible {
    /// ``AttributeType/decimal``.
    public static var attributeType: AttributeType { .decimal }
    /// Zero.
    public static var attributePlaceholder: Decimal { 0 }
    /// The number as data.
    public var propertyValue: PropertyValue { .decimal(self) }
    /// Makes the number.
    public init?(propertyValue: PropertyValue) {
        guard case .decimal(let decimal) = propertyValue else { return nil }
        self = decimal
    }
}

extension String: AttributeConvertible {
    /// ``AttributeType/string``.
    public static var attributeType: AttributeType { .string }
    /// The empty text.
    public static var attributePlaceholder: String { "" }
    /// The text as data.
    public var propertyValue: PropertyValue { .string(self) }
    /// Makes the text.
    public init?(propertyValue: PropertyValue) {
        guard case .string(let string) = propertyValue else { return nil }
        self = string
    }
}

extension Date: AttributeConvertible {
    /// ``AttributeType/date``.
    public static var attributeType: AttributeType { .date }
    /// The start of 1970, UTC.
    public static var attributePlaceholder: Date { Date(timeIntervalSince1970: 0) }
    /// The date as data.
    public var propertyValue: PropertyValue { .date(self) }
    /// Makes the date.
    public init?(propertyValue: PropertyValue) {
        guard case .date(let date) = propertyValue else { return nil }
        self = date
    }
}

extension Data: AttributeConvertible {
    /// ``AttributeType/binaryData``.
    public static var attributeType: AttributeType { .binaryData }
    /// No bytes.
    public static var attributePlaceholder: Data { Data() }
    /// The bytes as data.
    public var propertyValue: PropertyValue { .data(self) }
    /// Makes the bytes.
    public init?(propertyValue: PropertyValue) {
        guard case .data(let data) = propertyValue else { return nil }
        self = data
    }
}

extension UUID: AttributeConvertible {
    /// ``AttributeType/uuid``.
    public static var attributeType: AttributeType { .uuid }
    /// The identifier of zeros.
    public static var attributePlaceholder: UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
    /// The identifier as data.
    public var propertyValue: PropertyValue { .uuid(self) }
    /// Makes the identifier.
    public init?(propertyValue: PropertyValue) {
        guard case .uuid(let uuid) = propertyValue else { return nil }
        self = uuid
    }
}

extension URL: AttributeConvertible {
    /// ``AttributeType/url``.
    public static var attributeType: AttributeType { .url }
    /// The URL of an empty document, `about:blank`.
    public static var attributePlaceholder: URL {
        URL(string: "about:blank") ?? URL(fileURLWithPath: "/")
    }
    /// The URL as data.
    public var propertyValue: PropertyValue { .url(self) }
    /// Makes the URL.
    public init?(propertyValue: PropertyValue) {
        guard case .url(let url) = propertyValue else { return nil }
        self = url
    }
}
