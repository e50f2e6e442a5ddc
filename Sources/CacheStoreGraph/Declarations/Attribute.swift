// SPDX-License-Identifier: MIT

public import CacheStoreModel

/// Declares a property of a ``ManagedObject`` subclass as an attribute of its entity.
///
/// ```swift
/// final class Photo: ManagedObject {
///     @Attribute(.unique) var identifier: String
///     @Attribute var title: String = "Untitled"
///     @Attribute(.indexed, validate: [.minimum(0), .maximum(5)]) var rating: Int?
///     @Attribute(.compressed) var notes: String?
/// }
/// ```
///
/// The attribute has the property's name. An optional property is an optional attribute; any other is
/// required when the object is saved. The value after `=` is the default, evaluated for each new
/// object. Reading an attribute that was never set gives the default of its type (zero, the empty
/// text), and reading the attribute of an object that is not loaded yet loads it: one query.
///
/// An enumeration or another `Codable` type needs a default value, an optional, or (for
/// enumerations) `CaseIterable`, because an attribute can be read before it is set.
@propertyWrapper
public struct Attribute<Value> {
    let slot: UInt16

    /// Not for use: attributes belong to managed objects only.
    @available(*, unavailable, message: "@Attribute is for properties of ManagedObject subclasses")
    public var wrappedValue: Value {
        get { preconditionFailure("unavailable") }
        // The compiler refuses every use.
        set { preconditionFailure("unavailable") }
    }

    /// Accesses the attribute's value in its object.
    ///
    /// Reading fires a fault (one query) if the object is not loaded; writing registers the change
    /// with the context unless the new value equals the old one.
    public static subscript<Owner: ManagedObject>(
        _enclosingInstance owner: Owner,
        wrapped wrappedKeyPath: ReferenceWritableKeyPath<Owner, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<Owner, Attribute<Value>>
    ) -> Value {
        get { owner.readAttribute(slot: owner[keyPath: storageKeyPath].slot) }
        set { owner.writeAttribute(slot: owner[keyPath: storageKeyPath].slot, newValue) }
    }

    /// Not for use: stands here because the compiler looks for an initialiser without parameters in
    /// the type itself before it picks one of those in the extensions.
    @available(
        *, unavailable,
        message: "give the attribute a default value, make it optional, or its type CaseIterable"
    )
    public init() { slot = nextPropertySlot() }

    private init(
        options: AttributeOptions, validation: () -> [ValidationRule], originalName: String?,
        codec: () -> AttributeCodec<Value>, makeDefault: (@Sendable () -> Value)?
    ) {
        slot = nextPropertySlot()
        guard let collector = PropertyCollector.current else { return }
        let codec = codec()
        var makePropertyValue: (@Sendable () -> PropertyValue)?
        if let makeDefault {
            // Codecs never change once made; they are classes only to be specialised.
            nonisolated(unsafe) let encoder = codec
            makePropertyValue = { encoder.encode(makeDefault()) }
        }
        collector.add(
            .attribute(
                PropertyCollector.AttributeDeclaration(
                    codec: codec, options: options, validation: validation(),
                    originalName: originalName, makeDefault: makePropertyValue)))
    }
}

// MARK: - Attribute types

extension Attribute where Value: AttributeConvertible {
    /// Creates an attribute without options and without a default value.
    public init() {
        self.init(
            options: [], validation: { [] }, originalName: nil, codec: { .fastest() },
            makeDefault: nil)
    }

    /// Creates an attribute without a default value.
    public init(
        _ options: AttributeOptions = [], validate: @autoclosure () -> [ValidationRule] = [],
        originalName: String? = nil
    ) {
        self.init(
            options: options, validation: validate, originalName: originalName,
            codec: { .fastest() }, makeDefault: nil)
    }

    /// Creates an attribute with a default value, evaluated anew for each object.
    public init(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        _ options: AttributeOptions = [], validate: @autoclosure () -> [ValidationRule] = [],
        originalName: String? = nil
    ) {
        self.init(
            options: options, validation: validate, originalName: originalName,
            codec: { .fastest() }, makeDefault: wrappedValue)
    }
}

// MARK: - Enumerations

extension Attribute where Value: RawRepresentable, Value.RawValue: AttributeConvertible {
    /// Creates an attribute of an enumeration with a default value.
    @_disfavoredOverload
    public init(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        _ options: AttributeOptions = [], validate: @autoclosure () -> [ValidationRule] = [],
        originalName: String? = nil
    ) {
        self.init(
            options: options, validation: validate, originalName: originalName,
            codec: { RawValueCodec(placeholder: wrappedValue) }, makeDefault: wrappedValue)
    }

    /// Creates an attribute of an enumeration without options.
    @_disfavoredOverload
    public init() where Value: CaseIterable {
        self.init(
            options: [], validation: { [] }, originalName: nil,
            codec: { RawValueCodec(placeholder: { Value.allCases.first }) }, makeDefault: nil)
    }

    /// Creates an attribute of an enumeration; read before it is set, it gives the first case.
    @_disfavoredOverload
    public init(
        _ options: AttributeOptions = [], validate: @autoclosure () -> [ValidationRule] = [],
        originalName: String? = nil
    ) where Value: CaseIterable {
        self.init(
            options: options, validation: validate, originalName: originalName,
            codec: { RawValueCodec(placeholder: { Value.allCases.first }) }, makeDefault: nil)
    }

    /// Creates an attribute of an enumeration that is also `Codable`: its raw value is stored.
    public init(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        _ options: AttributeOptions = [], validate: @autoclosure () -> [ValidationRule] = [],
        originalName: String? = nil
    ) where Value: Codable {
        self.init(
            options: options, validation: validate, originalName: originalName,
            codec: { RawValueCodec(placeholder: wrappedValue) }, makeDefault: wrappedValue)
    }
}

extension Attribute {
    /// Creates an attribute of an optional enumeration without options.
    @_disfavoredOverload
    public init<Wrapped: RawRepresentable>()
    where Value == Wrapped?, Wrapped.RawValue: AttributeConvertible {
        self.init(
            options: [], validation: { [] }, originalName: nil,
            codec: { OptionalCodec(RawValueCodec<Wrapped>(placeholder: { nil })) },
            makeDefault: nil)
    }

    /// Creates an attribute of an optional enumeration that is also `Codable`, without options.
    public init<Wrapped: RawRepresentable & Codable>()
    where Value == Wrapped?, Wrapped.RawValue: AttributeConvertible {
        self.init(
            options: [], validation: { [] }, originalName: nil,
            codec: { OptionalCodec(RawValueCodec<Wrapped>(placeholder: { nil })) },
            makeDefault: nil)
    }

    /// Creates an optional transformable attribute without options.
    @_disfavoredOverload
    public init<Wrapped: Codable>() where Value == Wrapped? {
        self.init(
            options: [], validation: { [] }, originalName: nil,
            codec: { OptionalCodec(TransformableCodec<Wrapped>(placeholder: { nil })) },
            makeDefault: nil)
    }

    /// Creates an attribute of an optional enumeration.
    @_disfavoredOverload
    public init<Wrapped: RawRepresentable>(
        _ options: AttributeOptions = [], validate: @autoclosure () -> [ValidationRule] = [],
        originalName: String? = nil
    ) where Value == Wrapped?, Wrapped.RawValue: AttributeConvertible {
        self.init(
            options: options, validation: validate, originalName: originalName,
            codec: { OptionalCodec(RawValueCodec<Wrapped>(placeholder: { nil })) },
            makeDefault: nil)
    }

    /// Creates an attribute of an optional enumeration with a default value.
    @_disfavoredOverload
    public init<Wrapped: RawRepresentable>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        _ options: AttributeOptions = [], validate: @autoclosure () -> [ValidationRule] = [],
        originalName: String? = nil
    ) where Value == Wrapped?, Wrapped.RawValue: AttributeConvertible {
        self.init(
            options: options, validation: validate, originalName: originalName,
            codec: { OptionalCodec(RawValueCodec<Wrapped>(placeholder: { nil })) },
            makeDefault: wrappedValue)
    }

    /// Creates an attribute of an optional enumeration that is also `Codable`.
    public init<Wrapped: RawRepresentable & Codable>(
        _ options: AttributeOptions = [], validate: @autoclosure () -> [ValidationRule] = [],
        originalName: String? = nil
    ) where Value == Wrapped?, Wrapped.RawValue: AttributeConvertible {
        self.init(
            options: options, validation: validate, originalName: originalName,
            codec: { OptionalCodec(RawValueCodec<Wrapped>(placeholder: { nil })) },
            makeDefault: nil)
    }

    /// Creates an attribute of an optional enumeration that is also `Codable`, with a default value.
    public init<Wrapped: RawRepresentable & Codable>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        _ options: AttributeOptions = [], validate: @autoclosure () -> [ValidationRule] = [],
        originalName: String? = nil
    ) where Value == Wrapped?, Wrapped.RawValue: AttributeConvertible {
        self.init(
            options: options, validation: validate, originalName: originalName,
            codec: { OptionalCodec(RawValueCodec<Wrapped>(placeholder: { nil })) },
            makeDefault: wrappedValue)
    }
}

// MARK: - Transformables

extension Attribute where Value: Codable {
    /// Creates a transformable attribute with a default value.
    @_disfavoredOverload
    public init(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        _ options: AttributeOptions = [], validate: @autoclosure () -> [ValidationRule] = [],
        originalName: String? = nil
    ) {
        self.init(
            options: options, validation: validate, originalName: originalName,
            codec: { TransformableCodec(placeholder: wrappedValue) }, makeDefault: wrappedValue)
    }
}

extension Attribute {
    /// Creates an optional transformable attribute.
    @_disfavoredOverload
    public init<Wrapped: Codable>(
        _ options: AttributeOptions = [], validate: @autoclosure () -> [ValidationRule] = [],
        originalName: String? = nil
    ) where Value == Wrapped? {
        self.init(
            options: options, validation: validate, originalName: originalName,
            codec: { OptionalCodec(TransformableCodec<Wrapped>(placeholder: { nil })) },
            makeDefault: nil)
    }
}
