// SPDX-License-Identifier: MIT

/// An entity of a model, as a value.
///
/// A model is a list of these. Classes with `@Attribute` and `@Relationship` make them by themselves;
/// written out, they need no class at all:
///
/// ```swift
/// let model = try ManagedObjectModel(entities: [
///     EntityDescription("Note", attributes: [AttributeDescription("text", .string)]),
/// ])
/// ```
public struct EntityDescription: Sendable, Hashable {
    /// The name, unique in the model: a letter or underscore, then letters, digits and underscores.
    public var name: String
    /// The name of the entity this one inherits from.
    public var superentity: String?
    /// Whether there are objects of subentities only.
    public var isAbstract: Bool
    /// The attributes that this entity adds to those of its superentity.
    public var attributes: [AttributeDescription]
    /// The relationships that this entity adds to those of its superentity.
    public var relationships: [RelationshipDescription]
    /// Lists of properties whose values together are unique.
    public var uniquenessConstraints: [[String]]
    /// The indexes beside those of single indexed attributes.
    public var indexes: [IndexDescription]
    /// The name the entity had in an older version of the model.
    public var renamingIdentifier: String?
    /// A text that, when changed, makes the model a new version.
    public var versionHashModifier: String?
    /// Notes of the program's own.
    public var userInfo: [String: String]

    /// Creates an entity.
    public init(
        _ name: String, superentity: String? = nil, isAbstract: Bool = false,
        attributes: [AttributeDescription] = [], relationships: [RelationshipDescription] = [],
        uniquenessConstraints: [[String]] = [], indexes: [IndexDescription] = [],
        renamingIdentifier: String? = nil, versionHashModifier: String? = nil,
        userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.superentity = superentity
        self.isAbstract = isAbstract
        self.attributes = attributes
        self.relationships = relationships
        self.uniquenessConstraints = uniquenessConstraints
        self.indexes = indexes
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
    }
}

/// An index over one or several properties of an entity.
public struct IndexDescription: Sendable, Hashable {
    /// The name, unique in the entity.
    public var name: String
    /// The properties in the order of the index: attributes and to-one relationships.
    public var properties: [String]

    /// Creates an index.
    public init(_ name: String, on properties: [String]) {
        self.name = name
        self.properties = properties
    }
}
