// SPDX-License-Identifier: MIT

/// Everything that one save changes, as values: what a context hands to its parent context or its
/// store.
package struct ChangeSet: Sendable {
    package var inserted: [Insertion] = []
    package var updated: [Update] = []
    package var deleted: [Deletion] = []
    /// Changes of to-many relationships that are not already said by a to-one value: members of join
    /// tables, and the order of ordered relationships.
    package var toMany: [ToManyChange] = []

    package init() {}

    package var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && toMany.isEmpty
    }

    /// A new object.
    package struct Insertion: Sendable {
        /// The ID: temporary, or permanent where it was obtained before the save.
        package var id: ManagedObjectID
        /// One value for each property of the entity; to-many and transient ones are null.
        package var values: ContiguousArray<PropertyValue>

        package init(id: ManagedObjectID, values: ContiguousArray<PropertyValue>) {
            self.id = id
            self.values = values
        }
    }

    /// New values of some properties of an object.
    package struct Update: Sendable {
        package var id: ManagedObjectID
        /// The version that the values were based on: another one in the store is a conflict.
        package var version: Int64
        package var changed: PropertySet
        /// The properties whose values here are the current ones: the changed ones, and more.
        package var known: PropertySet
        /// One value for each property; only those of known ones mean something.
        package var values: ContiguousArray<PropertyValue>
        /// The row that the object was loaded from, where there is one: what a merge compares with.
        package var base: RowReference?

        package init(
            id: ManagedObjectID, version: Int64, changed: PropertySet,
            values: ContiguousArray<PropertyValue>, base: RowReference? = nil,
            known: PropertySet? = nil
        ) {
            self.id = id
            self.version = version
            self.changed = changed
            self.known = known ?? changed
            self.values = values
            self.base = base
        }
    }

    /// The end of an object.
    package struct Deletion: Sendable {
        package var id: ManagedObjectID
        package var version: Int64
        /// The row that the object was loaded from, where there is one.
        package var base: RowReference?

        package init(id: ManagedObjectID, version: Int64, base: RowReference? = nil) {
            self.id = id
            self.version = version
            self.base = base
        }
    }

    /// Changed members of one object's to-many relationship.
    package struct ToManyChange: Sendable {
        package var owner: ManagedObjectID
        package var propertyIndex: Int
        package var added: [ManagedObjectID]
        package var removed: [ManagedObjectID]
        /// All members in their order, where the relationship is ordered and its members are known.
        /// Added members of an ordered relationship without this go to the end.
        package var order: [ManagedObjectID]?

        package init(
            owner: ManagedObjectID, propertyIndex: Int, added: [ManagedObjectID],
            removed: [ManagedObjectID], order: [ManagedObjectID]? = nil
        ) {
            self.owner = owner
            self.propertyIndex = propertyIndex
            self.added = added
            self.removed = removed
            self.order = order
        }
    }
}

extension ChangeSet.Update {
    /// The current values of all properties; `nil` where not all of them are in memory.
    package func wholeValues() -> ContiguousArray<PropertyValue>? {
        var whole = values
        for property in id.resolvedEntity.properties
        where !property.isToMany && !known.contains(property.index) {
            guard !property.isTransient else { continue }
            guard let base else { return nil }
            whole[property.index] = base.value(of: property, in: id.space)
        }
        return whole
    }
}
