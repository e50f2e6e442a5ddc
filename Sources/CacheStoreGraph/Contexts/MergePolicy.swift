// SPDX-License-Identifier: MIT

/// What a save does when the store has changed since the objects were loaded, or when a uniqueness
/// constraint would be violated.
///
/// An object whose row another has deleted stays deleted under every policy but ``error``: its unsaved
/// changes are dropped, and the object becomes deleted. A to-one relationship that is set to such an
/// object is emptied.
public struct MergePolicy: Sendable, Hashable {
    enum Kind: String, Sendable {
        case error, propertyStoreTrump, propertyObjectTrump, overwrite, rollback
    }

    let kind: Kind

    private init(_ kind: Kind) { self.kind = kind }

    /// The save fails and names the objects; nothing is saved.
    public static let error = MergePolicy(.error)
    /// Property by property; where both have changed one, the store's value stays.
    ///
    /// A new object that violates a uniqueness constraint gives way to the one in the store.
    public static let mergeByPropertyStoreTrump = MergePolicy(.propertyStoreTrump)
    /// Property by property; where both have changed one, the context's value wins. The default.
    ///
    /// A new object that violates a uniqueness constraint becomes an update of the one in the store.
    public static let mergeByPropertyObjectTrump = MergePolicy(.propertyObjectTrump)
    /// The context's object replaces the row, unchanged properties included.
    public static let overwrite = MergePolicy(.overwrite)
    /// The context's changes of the objects in conflict are dropped.
    public static let rollback = MergePolicy(.rollback)
}

extension MergePolicy: CustomStringConvertible {
    /// The name of the policy.
    public var description: String { kind.rawValue }
}
