// SPDX-License-Identifier: MIT

import CacheStoreModel
import Foundation

/// How one attribute's values turn into data and back: the part that does not know the Swift type.
class AnyAttributeCodec {
    let type: AttributeType
    let isOptional: Bool

    init(type: AttributeType, isOptional: Bool) {
        self.type = type
        self.isOptional = isOptional
    }
}

/// How the values of one Swift type turn into data and back.
///
/// One codec is made for each `@Attribute` of a class when the class is described; reading an
/// attribute is one call on it. Subclasses take the short way from a packed row where there is one.
class AttributeCodec<Value>: AnyAttributeCodec {
    func decode(_ value: PropertyValue) -> Value? { nil }
    func decode(_ batch: RowBatch, row: Int, column: Int) -> Value? {
        decode(batch.value(row: row, column: column, type: type))
    }
    func encode(_ value: Value) -> PropertyValue { .null }
    /// The value that is read where there is none.
    var placeholder: Value? { nil }
    /// Whether two values are the same to a reader although their encoded forms differ.
    func areEqual(_ first: Value, _ second: Value) -> Bool { false }
}

/// A type that is an attribute type by itself.
class ConvertibleCodec<Value: AttributeConvertible>: AttributeCodec<Value> {
    init() { super.init(type: Value.attributeType, isOptional: Value.isOptionalAttribute) }
    override func decode(_ value: PropertyValue) -> Value? { Value(propertyValue: value) }
    override func encode(_ value: Value) -> PropertyValue { value.propertyValue }
    override var placeholder: Value? { Value.attributePlaceholder }
}

/// An enumeration, or another type with raw values.
final class RawValueCodec<Value: RawRepresentable>: AttributeCodec<Value>
where Value.RawValue: AttributeConvertible {
    private let makePlaceholder: () -> Value?

    init(placeholder: @escaping () -> Value?) {
        makePlaceholder = placeholder
        super.init(type: Value.RawValue.attributeType, isOptional: false)
    }

    override func decode(_ value: PropertyValue) -> Value? {
        Value.RawValue(propertyValue: value).flatMap { Value(rawValue: $0) }
    }
    override func encode(_ value: Value) -> PropertyValue { value.rawValue.propertyValue }
    override var placeholder: Value? { makePlaceholder() }
}

/// The optional form of a type that has a codec.
final class OptionalCodec<Wrapped>: AttributeCodec<Wrapped?> {
    private let wrapped: AttributeCodec<Wrapped>

    init(_ wrapped: AttributeCodec<Wrapped>) {
        self.wrapped = wrapped
        super.init(type: wrapped.type, isOptional: true)
    }

    override func decode(_ value: PropertyValue) -> Wrapped?? {
        value.isNull ? .some(nil) : wrapped.decode(value)
    }
    override func decode(_ batch: RowBatch, row: Int, column: Int) -> Wrapped?? {
        batch.tag(row: row, column: column) == RowBatch.Tag.null
            ? .some(nil) : wrapped.decode(batch, row: row, column: column)
    }
    override func areEqual(_ first: Wrapped?, _ second: Wrapped?) -> Bool {
        guard let first, let second else { return first == nil && second == nil }
        return wrapped.areEqual(first, second)
    }
    override func encode(_ value: Wrapped?) -> PropertyValue {
        value.map { wrapped.encode($0) } ?? .null
    }
    override var placeholder: Wrapped?? { .some(nil) }
}

/// Any other `Codable` type: its property list form, in binary, is what the store keeps.
final class TransformableCodec<Value: Codable>: AttributeCodec<Value> {
    private let makePlaceholder: () -> Value?

    init(placeholder: @escaping () -> Value?) {
        makePlaceholder = placeholder
        super.init(type: .transformable, isOptional: false)
    }

    // A property list has no top-level numbers or texts, so the value is wrapped in an array; unlike
    // JSON it keeps dates, data and all Doubles exactly.
    override func decode(_ value: PropertyValue) -> Value? {
        guard case .data(let data) = value else { return nil }
        return try? PropertyListDecoder().decode([Value].self, from: data).first
    }
    override func encode(_ value: Value) -> PropertyValue {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        // A value that cannot be encoded is no value; validation then reports it as missing.
        return (try? encoder.encode([value])).map { .data($0) } ?? .null
    }
    // Sets and dictionaries have no order, so equal ones may be encoded differently.
    override func areEqual(_ first: Value, _ second: Value) -> Bool {
        func isEqual<T: Equatable>(_ first: T) -> Bool { (second as? T) == first }
        guard let first = first as? any Equatable else { return false }
        return isEqual(first)
    }
    override var placeholder: Value? { makePlaceholder() }
}
