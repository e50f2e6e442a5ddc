// SPDX-License-Identifier: MIT

/// An attribute of an entity, as a value.
///
/// ```swift
/// AttributeDescription("takenAt", .date, isIndexed: true)
/// AttributeDescription("rating", .integer16, default: .integer(3), validation: [.minimum(0), .maximum(5)])
/// ```
public struct AttributeDescription: Sendable, Hashable {
    /// The name, unique in the entity and its superentities.
    public var name: String
    /// The type of the values.
    public var type: AttributeType
    /// Whether an object may be saved without a value.
    public var isOptional: Bool
    /// The value of a newly inserted object, or `nil` for none.
    public var defaultValue: PropertyValue?
    /// How the attribute is stored and indexed.
    public var options: AttributeOptions
    /// What a value must satisfy to be saved.
    public var validation: [ValidationRule]
    /// The name the attribute had in an older version of the model.
    public var renamingIdentifier: String?
    /// A text that, when changed, makes the model a new version.
    public var versionHashModifier: String?
    /// Notes of the program's own.
    public var userInfo: [String: String]

    /// Creates an attribute.
    public init(
        _ name: String, _ type: AttributeType, isOptional: Bool = false,
        default defaultValue: PropertyValue? = nil, options: AttributeOptions = [],
        validation: [ValidationRule] = [], renamingIdentifier: String? = nil,
        versionHashModifier: String? = nil, userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.defaultValue = defaultValue
        self.options = options
        self.validation = validation
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
    }

    /// Whether the attribute is kept in objects only and never stored.
    public var isTransient: Bool { options.contains(.transient) }
}

/// How an attribute is stored and indexed.
public struct AttributeOptions: OptionSet, Sendable, Hashable {
    /// The bits of the options.
    public let rawValue: UInt16

    /// Creates a set of options from its bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// No two saved objects of the entity have the same value; missing values never collide.
    public static let unique = AttributeOptions(rawValue: 1 << 0)
    /// The store keeps an index, so that fetches by this attribute need not scan.
    public static let indexed = AttributeOptions(rawValue: 1 << 1)
    /// Text, data or an encoded value is deflated with zlib when that makes it smaller.
    ///
    /// A compressed attribute cannot be used in a predicate or sort order beyond `nil` tests.
    public static let compressed = AttributeOptions(rawValue: 1 << 2)
    /// Data over a threshold is kept in a file of its own beside the store.
    ///
    /// Such an attribute cannot be used in a predicate or sort order beyond `nil` tests.
    public static let externalStorage = AttributeOptions(rawValue: 1 << 3)
    /// The value lives in the object only: tracked, validated, never stored.
    public static let transient = AttributeOptions(rawValue: 1 << 4)
}
