// SPDX-License-Identifier: MIT

public import CacheStoreModel

/// Declares a property of a ``ManagedObject`` subclass as a relationship of its entity.
///
/// An optional object is a to-one relationship, a `Set` a to-many, an `Array` an ordered to-many:
///
/// ```swift
/// final class Photo: ManagedObject {
///     @Relationship(inverse: \Tag.photos) var tags: [Tag]
///     @Relationship(deleteRule: .cascade, inverse: \Comment.photo) var comments: Set<Comment>
///     @Relationship var album: Album?
/// }
/// ```
///
/// `inverse` stands on one side only (on both it would be a circular reference for the compiler).
/// Both sides are kept right at once: setting `comment.photo` changes `photo.comments`, and a comment
/// moved to another photo leaves the one before.
///
/// Reading a to-many relationship for the first time loads it: one query, which also loads the same
/// relationship of the objects that were fetched together with this one. Reading copies the members
/// into a collection (O(n)); to add or remove single members of a large relationship, set the to-one
/// side, or use ``ManagedObject/insert(_:into:)`` and ``ManagedObject/remove(_:from:)``.
@propertyWrapper
public struct Relationship<Value: RelationshipValue> {
    @usableFromInline let slot: UInt16

    /// Not for use: relationships belong to managed objects only.
    @available(
        *, unavailable, message: "@Relationship is for properties of ManagedObject subclasses"
    )
    public var wrappedValue: Value {
        get { preconditionFailure("unavailable") }
        // The compiler refuses every use.
        set { preconditionFailure("unavailable") }
    }

    /// Accesses the objects at the other end.
    public static subscript<Owner: ManagedObject>(
        _enclosingInstance owner: Owner,
        wrapped wrappedKeyPath: ReferenceWritableKeyPath<Owner, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<Owner, Relationship<Value>>
    ) -> Value {
        @inlinable get {
            Value._readRelationship(of: owner, slot: Int(owner[keyPath: storageKeyPath].slot))
        }
        set {
            newValue._writeRelationship(of: owner, slot: Int(owner[keyPath: storageKeyPath].slot))
        }
    }

    // The compiler wants an initialiser without any parameter for `@Relationship var album: Album?`.
    /// Creates a relationship without options.
    @inlinable public init() { self.init([]) }

    /// Creates a relationship whose inverse, if any, is declared on the other side.
    @inlinable
    public init(
        _ options: RelationshipOptions = [], deleteRule: DeleteRule = .nullify,
        minimumCount: Int = 0, maximumCount: Int = 0, originalName: String? = nil
    ) {
        let place = _nextPropertyPlace()
        slot = UInt16(truncatingIfNeeded: place)
        if place > UInt16.max {
            Self._declare(
                options, deleteRule, minimumCount, maximumCount, originalName, nil, nil)
        }
    }

    /// Creates a relationship together with its inverse.
    @inlinable
    public init<Root: ManagedObject, Back>(
        _ options: RelationshipOptions = [], deleteRule: DeleteRule = .nullify,
        inverse: @autoclosure () -> KeyPath<Root, Back>, minimumCount: Int = 0,
        maximumCount: Int = 0, originalName: String? = nil
    ) {
        let place = _nextPropertyPlace()
        slot = UInt16(truncatingIfNeeded: place)
        if place > UInt16.max {
            Self._declare(
                options, deleteRule, minimumCount, maximumCount, originalName, Root.self, inverse())
        }
    }

    /// Tells the collector of a class's description what the wrapper declares.
    @usableFromInline
    static func _declare(
        _ options: RelationshipOptions, _ deleteRule: DeleteRule, _ minimumCount: Int,
        _ maximumCount: Int, _ originalName: String?, _ root: ManagedObject.Type?,
        _ inverse: AnyKeyPath?
    ) {
        PropertyCollector.current?.add(
            .relationship(
                PropertyCollector.RelationshipDeclaration(
                    destination: Value.Destination.self, shape: Value.shape, options: options,
                    deleteRule: deleteRule, minimumCount: minimumCount,
                    maximumCount: maximumCount, originalName: originalName,
                    inverse: root.flatMap { root in inverse.map { (root, $0) } })))
    }
}

/// How a relationship is kept.
public struct RelationshipOptions: OptionSet, Sendable, Hashable {
    /// The bits of the options.
    public let rawValue: UInt8

    /// Creates a set of options from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The members have an order. An `Array` always has; the option makes it visible.
    public static let ordered = RelationshipOptions(rawValue: 1)
    /// An object cannot be saved with nothing at the other end.
    public static let required = RelationshipOptions(rawValue: 2)
    /// The relationship is its own inverse: who has me as a friend is my friend. (A key path to the
    /// property itself, as `inverse`, would be a circular reference.)
    public static let symmetric = RelationshipOptions(rawValue: 4)
}

/// The form of a relationship that its Swift type stands for.
public enum RelationshipShape: Sendable {
    /// One object or none.
    case toOne
    /// A set of objects.
    case toMany
    /// A list of objects.
    case orderedToMany
}

/// A type that a `@Relationship` can have: an optional managed object, a `Set` or an `Array` of them.
public protocol RelationshipValue {
    /// The class at the other end.
    associatedtype Destination: ManagedObject
    /// The form of the relationship.
    static var shape: RelationshipShape { get }
    /// Reads the relationship in a wrapper's slot.
    static func _readRelationship(of owner: ManagedObject, slot: Int) -> Self
    /// Writes the relationship in a wrapper's slot.
    func _writeRelationship(of owner: ManagedObject, slot: Int)
}

extension Optional: RelationshipValue where Wrapped: ManagedObject {
    /// The class of the object.
    public typealias Destination = Wrapped
    /// ``RelationshipShape/toOne``.
    public static var shape: RelationshipShape { .toOne }
    /// Reads the object.
    public static func _readRelationship(of owner: ManagedObject, slot: Int) -> Wrapped? {
        if let recorder = owner.recorder {
            return recorder.record(slot: slot, of: owner, leadingTo: Wrapped.self)
        }
        return owner.readToOne(slot: slot) as? Wrapped
    }
    /// Writes the object.
    public func _writeRelationship(of owner: ManagedObject, slot: Int) {
        owner.writeToOne(slot: slot, self)
    }
}

extension Set: RelationshipValue where Element: ManagedObject {
    /// The class of the members.
    public typealias Destination = Element
    /// ``RelationshipShape/toMany``.
    public static var shape: RelationshipShape { .toMany }
    // Inlined into the program, where the element is known: sets of it are then made without looking
    // its type up.
    /// Reads the members.
    @inlinable
    public static func _readRelationship(of owner: ManagedObject, slot: Int) -> Set<Element> {
        let members = owner._members(slot: slot)
        var set = Set<Element>(minimumCapacity: members.count)
        for case let member as Element in members { set.insert(member) }
        return set
    }
    /// Writes the members.
    public func _writeRelationship(of owner: ManagedObject, slot: Int) {
        owner.writeToMany(slot: slot, ContiguousArray(self))
    }
}

extension Array: RelationshipValue where Element: ManagedObject {
    /// The class of the members.
    public typealias Destination = Element
    /// ``RelationshipShape/orderedToMany``.
    public static var shape: RelationshipShape { .orderedToMany }
    /// Reads the members in their order.
    @inlinable
    public static func _readRelationship(of owner: ManagedObject, slot: Int) -> [Element] {
        owner._members(slot: slot).compactMap { $0 as? Element }
    }
    /// Writes the members and their order.
    public func _writeRelationship(of owner: ManagedObject, slot: Int) {
        owner.writeToMany(slot: slot, ContiguousArray(self))
    }
}
