// SPDX-License-Identifier: MIT

/// What happens to the objects at the other end when an object is deleted.
public struct DeleteRule: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable { case nullify, cascade, deny, noAction }

    package let kind: Kind

    private init(_ kind: Kind) { self.kind = kind }

    /// The other objects lose their reference to the deleted one.
    public static let nullify = DeleteRule(.nullify)
    /// The other objects are deleted as well, and so on; cycles end.
    public static let cascade = DeleteRule(.cascade)
    /// The object cannot be deleted while there is an object at the other end.
    public static let deny = DeleteRule(.deny)
    /// Nothing: the other objects may be left with references to an object that is gone.
    public static let noAction = DeleteRule(.noAction)
}

extension DeleteRule: CustomStringConvertible {
    /// The name of the rule.
    public var description: String { kind.rawValue }
}

/// A relationship of an entity to another, as a value.
///
/// ```swift
/// RelationshipDescription("tags", toMany: "Tag", isOrdered: true, inverse: "photos")
/// RelationshipDescription("album", toOne: "Album", inverse: "photos")
/// ```
public struct RelationshipDescription: Sendable, Hashable {
    /// The name, unique in the entity and its superentities.
    public var name: String
    /// The name of the entity at the other end.
    public var destination: String
    /// Whether there can be more than one object at the other end.
    public var isToMany: Bool
    /// Whether the objects at the other end have an order.
    public var isOrdered: Bool
    /// Whether an object may be saved with nothing at the other end.
    public var isOptional: Bool
    /// The relationship back; it is enough that one side names the other.
    public var inverse: String?
    /// What happens to the other end when an object is deleted.
    public var deleteRule: DeleteRule
    /// The fewest objects at the other end of a to-many relationship that is not empty.
    public var minimumCount: Int
    /// The most objects at the other end; 0 for no limit.
    public var maximumCount: Int
    /// The name the relationship had in an older version of the model.
    public var renamingIdentifier: String?
    /// A text that, when changed, makes the model a new version.
    public var versionHashModifier: String?
    /// Notes of the program's own.
    public var userInfo: [String: String] = [:]

    /// Creates a to-one relationship.
    public init(
        _ name: String, toOne destination: String, isOptional: Bool = true, inverse: String? = nil,
        deleteRule: DeleteRule = .nullify, renamingIdentifier: String? = nil,
        versionHashModifier: String? = nil
    ) {
        self.name = name
        self.destination = destination
        self.isToMany = false
        self.isOrdered = false
        self.isOptional = isOptional
        self.inverse = inverse
        self.deleteRule = deleteRule
        self.minimumCount = 0
        self.maximumCount = 1
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
    }

    /// Creates a to-many relationship.
    public init(
        _ name: String, toMany destination: String, isOrdered: Bool = false,
        isOptional: Bool = true, inverse: String? = nil, deleteRule: DeleteRule = .nullify,
        minimumCount: Int = 0, maximumCount: Int = 0, renamingIdentifier: String? = nil,
        versionHashModifier: String? = nil
    ) {
        self.name = name
        self.destination = destination
        self.isToMany = true
        self.isOrdered = isOrdered
        self.isOptional = isOptional
        self.inverse = inverse
        self.deleteRule = deleteRule
        self.minimumCount = minimumCount
        self.maximumCount = maximumCount
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
    }
}
