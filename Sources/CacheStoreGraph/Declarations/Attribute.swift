// SPDX-License-Identifier: MIT

public import CacheStoreModel
public import Foundation

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
    @usableFromInline let slot: UInt16

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
        // Inlined into the program, the key path is a plain access to the wrapper, and the chain of
        // type tests folds to the one that holds.
        @inlinable get {
            let slot = owner[keyPath: storageKeyPath].slot
            if Value.self == String.self {
                return unsafeBitCast(owner._string(slot) ?? "", to: Value.self)
            }
            if Value.self == String?.self {
                return unsafeBitCast(owner._string(slot), to: Value.self)
            }
            if Value.self == Int.self {
                return unsafeBitCast(Int(owner._integer(slot) ?? 0), to: Value.self)
            }
            if Value.self == Int?.self {
                return unsafeBitCast(owner._integer(slot).map { Int($0) }, to: Value.self)
            }
            if Value.self == Int64.self {
                return unsafeBitCast(owner._integer(slot) ?? 0, to: Value.self)
            }
            if Value.self == Double.self {
                return unsafeBitCast(owner._double(slot) ?? 0, to: Value.self)
            }
            if Value.self == Double?.self {
                return unsafeBitCast(owner._double(slot), to: Value.self)
            }
            if Value.self == Date.self {
                return unsafeBitCast(
                    owner._date(slot) ?? Date(timeIntervalSince1970: 0), to: Value.self)
            }
            if Value.self == Date?.self {
                return unsafeBitCast(owner._date(slot), to: Value.self)
            }
            if Value.self == Bool.self {
                return unsafeBitCast(owner._boolean(slot) ?? false, to: Value.self)
            }
            return owner._decoded(slot)
        }
        @inlinable set {
            let slot = owner[keyPath: storageKeyPath].slot
            if Value.self == String.self {
                owner._write(slot, .string(unsafeBitCast(newValue, to: String.self)))
            } else if Value.self == Int.self {
                owner._write(slot, .integer(Int64(unsafeBitCast(newValue, to: Int.self))))
            } else if Value.self == Int64.self {
                owner._write(slot, .integer(unsafeBitCast(newValue, to: Int64.self)))
            } else if Value.self == Double.self {
                owner._write(slot, .double(unsafeBitCast(newValue, to: Double.self)))
            } else if Value.self == Date.self {
                owner._write(slot, .date(unsafeBitCast(newValue, to: Date.self)))
            } else if Value.self == Bool.self {
                owner._write(slot, .boolean(unsafeBitCast(newValue, to: Bool.self)))
            } else {
                owner._encode(slot, newValue)
            }
        }
    }

    /// Not for use: stands here because the compiler looks for an initialiser without parameters in
    /// the type itself before it picks one of those in the extensions.
    @available(
        *, unavailable,
        message: "give the attribute a default value, make it optional, or its type CaseIterable"
    )
    public init() { slot = UInt16(truncatingIfNeeded: _nextPropertyPlace()) }

    /// What the public initialisers end in. Only where a class is described is anything evaluated.
    @inlinable @inline(__always)
    init(
        codec: @autoclosure () -> _AttributeCodecBox<Value>, _ options: AttributeOptions = [],
        _ validation: @autoclosure () -> [ValidationRule] = [], _ originalName: String? = nil,
        default makeDefault: (@Sendable () -> Value)? = nil
    ) {
        let place = _nextPropertyPlace()
        slot = UInt16(truncatingIfNeeded: place)
        if place > UInt16.max {
            Self._declare(options, validation(), originalName, codec(), makeDefault)
        }
    }

    /// Tells the collector of a class's description what the wrapper declares. Never called for the
    /// objects of a context.
    @usableFromInline
    static func _declare(
        _ options: AttributeOptions, _ validation: [ValidationRule], _ originalName: String?,
        _ codec: _AttributeCodecBox<Value>, _ makeDefault: (@Sendable () -> Value)?
    ) {
        var makePropertyValue: (@Sendable () -> PropertyValue)?
        if let makeDefault {
            // Codecs never change once made; they are classes only to be specialised.
            nonisolated(unsafe) let encoder = codec.codec
            makePropertyValue = { encoder.encode(makeDefault()) }
        }
        PropertyCollector.current?.add(
            .attribute(
                PropertyCollector.AttributeDeclaration(
                    codec: codec.codec, options: options, validation: validation,
                    originalName: originalName, makeDefault: makePropertyValue)))
    }
}

/// A codec on its way from an inlined initialiser to the collector.
@usableFromInline
struct _AttributeCodecBox<Value> {
    let codec: AttributeCodec<Value>
}

extension _AttributeCodecBox where Value: AttributeConvertible {
    @usableFromInline
    static func direct() -> _AttributeCodecBox { _AttributeCodecBox(codec: .fastest()) }
}

extension _AttributeCodecBox where Value: RawRepresentable, Value.RawValue: AttributeConvertible {
    @usableFromInline
    static func rawValue(_ placeholder: @escaping () -> Value?) -> _AttributeCodecBox {
        _AttributeCodecBox(codec: RawValueCodec(placeholder: placeholder))
    }
}

extension _AttributeCodecBox where Value: Codable {
    @usableFromInline
    static func transformable(_ placeholder: @escaping () -> Value?) -> _AttributeCodecBox {
        _AttributeCodecBox(codec: TransformableCodec(placeholder: placeholder))
    }
}

extension _AttributeCodecBox {
    @usableFromInline
    static func optionalRawValue<Wrapped: RawRepresentable>() -> _AttributeCodecBox
    where Value == Wrapped?, Wrapped.RawValue: AttributeConvertible {
        _AttributeCodecBox(
            codec: OptionalCodec(RawValueCodec<Wrapped>(placeholder: { nil })))
    }

    @usableFromInline
    static func optionalTransformable<Wrapped: Codable>() -> _AttributeCodecBox
    where Value == Wrapped? {
        _AttributeCodecBox(
            codec: OptionalCodec(TransformableCodec<Wrapped>(placeholder: { nil })))
    }
}

// MARK: - Attribute types

extension Attribute where Value: AttributeConvertible {
    /// Creates an attribute without options and without a default value.
    @inlinable
    public init() {
        self.init(codec: .direct())
    }

    /// Creates an attribute without a default value.
    @inlinable
    public init(
        _ options: AttributeOptions = [], validate: @autoclosure () -> [ValidationRule] = [],
        originalName: String? = nil
    ) {
        self.init(codec: .direct(), options, validate(), originalName)
    }

    /// Creates an attribute with a default value, evaluated anew for each object.
    @inlinable
    public init(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        _ options: AttributeOptions = [], validate: @autoclosure () -> [ValidationRule] = [],
        originalName: String? = nil
    ) {
        self.init(codec: .direct(), options, validate(), originalName, default: wrappedValue)
    }
}

// MARK: - Enumerations

extension Attribute where Value: RawRepresentable, Value.RawValue: AttributeConvertible {
    /// Creates an attribute of an enumeration with a default value.
    @inlinable @_disfavoredOverload
    public init(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        _ options: AttributeOptions = [], validate: @autoclosure () -> [ValidationRule] = [],
        originalName: String? = nil
    ) {
        self.init(
            codec: .rawValue(wrappedValue), options, validate(), originalName, default: wrappedValue
        )
    }

    /// Creates an attribute of an enumeration without options.
    @inlinable @_disfavoredOverload
    public init() where Value: CaseIterable {
        self.init(codec: .rawValue({ Value.allCases.first }))
    }

    /// Creates an attribute of an enumeration; read before it is set, it gives the first case.
    @inlinable @_disfavoredOverload
    public init(
        _ options: AttributeOptions = [], validate: @autoclosure () -> [ValidationRule] = [],
        originalName: String? = nil
    ) where Value: CaseIterable {
        self.init(codec: .rawValue({ Value.allCases.first }), options, validate(), originalName)
    }

    /// Creates an attribute of an enumeration that is also `Codable`: its raw value is stored.
    @inlinable
    public init(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        _ options: AttributeOptions = [], validate: @autoclosure () -> [ValidationRule] = [],
        originalName: String? = nil
    ) where Value: Codable {
        self.init(
            codec: .rawValue(wrappedValue), options, validate(), originalName, default: wrappedValue
        )
    }
}

extension Attribute {
    /// Creates an attribute of an optional enumeration without options.
    @inlinable @_disfavoredOverload
    public init<Wrapped: RawRepresentable>()
    where Value == Wrapped?, Wrapped.RawValue: AttributeConvertible {
        self.init(codec: .optionalRawValue())
    }

    /// Creates an attribute of an optional enumeration that is also `Codable`, without options.
    @inlinable
    public init<Wrapped: RawRepresentable & Codable>()
    where Value == Wrapped?, Wrapped.RawValue: AttributeConvertible {
        self.init(codec: .optionalRawValue())
    }

    /// Creates an optional transformable attribute without options.
    @inlinable @_disfavoredOverload
    public init<Wrapped: Codable>() where Value == Wrapped? {
        self.init(codec: .optionalTransformable())
    }

    /// Creates an attribute of an optional enumeration.
    @inlinable @_disfavoredOverload
    public init<Wrapped: RawRepresentable>(
        _ options: AttributeOptions = [], validate: @autoclosure () -> [ValidationRule] = [],
        originalName: String? = nil
    ) where Value == Wrapped?, Wrapped.RawValue: AttributeConvertible {
        self.init(codec: .optionalRawValue(), options, validate(), originalName)
    }

    /// Creates an attribute of an optional enumeration with a default value.
    @inlinable @_disfavoredOverload
    public init<Wrapped: RawRepresentable>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        _ options: AttributeOptions = [], validate: @autoclosure () -> [ValidationRule] = [],
        originalName: String? = nil
    ) where Value == Wrapped?, Wrapped.RawValue: AttributeConvertible {
        self.init(
            codec: .optionalRawValue(), options, validate(), originalName, default: wrappedValue)
    }

    /// Creates an attribute of an optional enumeration that is also `Codable`.
    @inlinable
    public init<Wrapped: RawRepresentable & Codable>(
        _ options: AttributeOptions = [], validate: @autoclosure () -> [ValidationRule] = [],
        originalName: String? = nil
    ) where Value == Wrapped?, Wrapped.RawValue: AttributeConvertible {
        self.init(codec: .optionalRawValue(), options, validate(), originalName)
    }

    /// Creates an attribute of an optional enumeration that is also `Codable`, with a default value.
    @inlinable
    public init<Wrapped: RawRepresentable & Codable>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        _ options: AttributeOptions = [], validate: @autoclosure () -> [ValidationRule] = [],
        originalName: String? = nil
    ) where Value == Wrapped?, Wrapped.RawValue: AttributeConvertible {
        self.init(
            codec: .optionalRawValue(), options, validate(), originalName, default: wrappedValue)
    }
}

// MARK: - Transformables

extension Attribute where Value: Codable {
    /// Creates a transformable attribute with a default value.
    @inlinable @_disfavoredOverload
    public init(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        _ options: AttributeOptions = [], validate: @autoclosure () -> [ValidationRule] = [],
        originalName: String? = nil
    ) {
        self.init(
            codec: .transformable(wrappedValue), options, validate(), originalName,
            default: wrappedValue)
    }
}

extension Attribute {
    /// Creates an optional transformable attribute.
    @inlinable @_disfavoredOverload
    public init<Wrapped: Codable>(
        _ options: AttributeOptions = [], validate: @autoclosure () -> [ValidationRule] = [],
        originalName: String? = nil
    ) where Value == Wrapped? {
        self.init(codec: .optionalTransformable(), options, validate(), originalName)
    }
}
