// SPDX-License-Identifier: MIT

public import CacheStoreModel

/// What one save wrote to the store, as values: IDs and new values, no objects.
///
/// A context takes it in with ``ManagedObjectContext/mergeChanges(from:)``; a program can watch saves
/// with ``PersistentStoreCoordinator/saves``.
public struct ContextSave: Sendable {
    /// The objects that are new.
    public let insertedObjectIDs: [ManagedObjectID]
    /// The objects whose values or relationships changed.
    public let updatedObjectIDs: [ManagedObjectID]
    /// The objects that are gone.
    public let deletedObjectIDs: [ManagedObjectID]
    /// The changes, with permanent IDs throughout.
    package let changes: ChangeSet
    /// The context that saved, so that it does not merge its own save.
    package let source: ObjectIdentifier?

    package init(changes: ChangeSet, source: ObjectIdentifier?) {
        self.changes = changes
        self.source = source
        insertedObjectIDs = changes.inserted.map(\.id)
        var updated = Set(changes.updated.map(\.id))
        updated.formUnion(changes.toMany.map(\.owner))
        updated.subtract(insertedObjectIDs)
        updatedObjectIDs = Array(updated)
        deletedObjectIDs = changes.deleted.map(\.id)
    }
}

/// What became of a change set that was saved.
package struct SaveOutcome: Sendable {
    /// The permanent IDs of the objects that were new, by their temporary ones.
    package var permanentIDs: [(temporary: ManagedObjectID, permanent: ManagedObjectID)] = []
    /// The versions that updated rows have now.
    package var versions: [(id: ManagedObjectID, version: Int64)] = []
    /// Objects whose row has values that the context does not know.
    package var stale: Set<ManagedObjectID> = []
    /// Objects that turned out to be gone.
    package var gone: Set<ManagedObjectID> = []
    /// New objects that turned out to be objects the store has.
    package var replacements: [ManagedObjectID: ManagedObjectID] = [:]

    package init() {}
}
