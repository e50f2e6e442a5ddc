// SPDX-License-Identifier: MIT

package import CacheStoreHealing
package import CacheStoreModel
package import CacheStoreQuery
package import Foundation

/// Where objects are kept: what the coordinator asks of a store, whatever it is made of.
///
/// Every store passes the same contract tests. The rules beyond the single members:
///
/// - Any thread may call any member; a store does its own locking and never waits for a particular
///   thread.
/// - A save is all or nothing. When it returns, what it saved is what every later read sees.
/// - Keys are never used twice, also not after a deletion.
/// - Row versions start at 1 and grow by one with every update of the row's own values.
package protocol PersistentStore: AnyObject, Sendable {
    /// What the IDs of this store's objects share; changes when the store is reset.
    var space: IdentitySpace { get }
    var model: ManagedObjectModel { get }
    /// The file; `nil` for a store that has none.
    var url: URL? { get }
    var isReadOnly: Bool { get }

    /// The rows of a query, in its order.
    func rows(matching query: StoreQuery) throws -> [RowBatch]
    /// The IDs of a query's objects, in its order.
    func objectIDs(matching query: StoreQuery) throws -> [ManagedObjectID]
    func count(matching query: StoreQuery) throws -> Int

    /// The rows with these keys in the hierarchy of this entity, in any order; unknown keys are left
    /// out.
    func rows(of entity: Entity, keys: [Int64]) throws -> [RowBatch]

    /// The row with this key in the hierarchy of this entity, alone in its batch.
    func row(of entity: Entity, key: Int64) throws -> RowBatch?

    /// The rows at the other end of a to-many relationship of several objects.
    ///
    /// The rows of an owner are sorted by position where the relationship is ordered; else the order
    /// is that of a set: none.
    /// Each row has one extra cell behind those of its layout: the key of its owner.
    func members(
        of property: Property, in entity: Entity, owners: [Int64]
    ) throws -> [RowBatch]

    /// Saves all changes, or none.
    ///
    /// - Throws: ``StoreConflicts`` if rows were changed or removed since they were read, if an object
    ///   that a relationship is set to is gone, or if a uniqueness constraint is violated; nothing is
    ///   saved then.
    func save(_ changes: ChangeSet) throws -> SaveReceipt

    /// Takes keys for objects of this entity's hierarchy that no other object will get.
    func reserveKeys(for entity: Entity, count: Int) throws -> Range<Int64>

    /// Checks that rows, references and files agree with each other; O(rows).
    ///
    /// - Parameter repairing: whether what does not agree is brought to agree, in one transaction.
    func verifyGraph(repairing: Bool) throws -> GraphVerification

    /// Values of the program's own, kept in the store.
    func metadata() throws -> [String: PropertyValue]
    func setMetadata(_ metadata: [String: PropertyValue]) throws

    /// Sets who is told of errors that reading a value brings where nothing can be thrown: the file
    /// of a large value is gone, say. From any thread.
    func setFailureHandler(_ handler: (@Sendable (any Error) -> Void)?)

    /// Ends the use of the store; every later call throws.
    func close() throws

    /// Opens the store anew that this object has given up, and heals it where it needs that.
    ///
    /// What still works with this object gets an error. The new store's ``space`` is another one,
    /// unless its content turned out to be whole.
    ///
    /// - Returns: the store to go on with, and what was found; `nil` for a store that can be used, or
    ///   that knows no such thing.
    /// - Throws: `PersistentStoreError` where it cannot be had now; it can be tried again.
    func replacement() throws -> (store: any PersistentStore, report: StoreOpenReport)?

    /// Begins with what a store does by itself in the background, until it is closed.
    ///
    /// - Parameter onDamage: called when that has found damage, and this object was given up.
    func startMaintenance(onDamage: @escaping @Sendable () -> Void)
}

extension PersistentStore {
    package func startMaintenance(onDamage: @escaping @Sendable () -> Void) {}

    package func replacement() throws -> (store: any PersistentStore, report: StoreOpenReport)? {
        nil
    }
}

extension PersistentStore {
    package func row(of entity: Entity, key: Int64) throws -> RowBatch? {
        try rows(of: entity, keys: [key]).first
    }

    // Most stores have no values that can fail by themselves.
    package func setFailureHandler(_ handler: (@Sendable (any Error) -> Void)?) {}
}

/// What a store answers to a save.
package struct SaveReceipt: Sendable {
    /// The keys of the inserted objects, in the order of `ChangeSet.inserted`.
    package var insertedKeys: [Int64]

    package init(insertedKeys: [Int64]) { self.insertedKeys = insertedKeys }
}

/// Why a save would overwrite what another has saved, or break a uniqueness constraint.
package struct StoreConflicts: Error, Sendable {
    package struct Conflict: Sendable {
        package enum Kind: Sendable {
            /// The row has another version now; the batch has it as its only row.
            case changed(current: RowBatch)
            /// The row is gone.
            case deleted
            /// The objects that these to-one relationships were set to are gone.
            case missingTargets(propertyIndexes: [Int])
            /// Another row has the same values in these properties; the batch has that row.
            case notUnique(properties: [String], existing: RowBatch)
            /// Two objects of this save have the same values in these properties.
            case notUniqueInSave(properties: [String], other: ManagedObjectID)
        }
        package var id: ManagedObjectID
        package var kind: Kind

        package init(id: ManagedObjectID, kind: Kind) {
            self.id = id
            self.kind = kind
        }
    }

    package var conflicts: [Conflict]

    package init(_ conflicts: [Conflict]) { self.conflicts = conflicts }
}
