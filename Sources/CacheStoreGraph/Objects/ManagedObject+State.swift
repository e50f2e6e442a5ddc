// SPDX-License-Identifier: MIT

public import CacheStoreModel

extension ManagedObject {
    /// The name of the object's entity.
    public final var entityName: String { plan.entity.name }

    /// The context the object lives in; `nil` once the context is gone or was reset, and for an
    /// object whose deletion has been saved.
    public final var managedObjectContext: ManagedObjectContext? { context }

    /// Whether the object is new and not saved.
    public final var isInserted: Bool { status.contains(.inserted) }

    /// Whether the object has unsaved changes and is not new.
    public final var isUpdated: Bool { status.contains(.updated) && !isInserted && !isDeleted }

    /// Whether the object will be deleted by the next save, or its row is gone already.
    public final var isDeleted: Bool { !status.isDisjoint(with: [.deleted, .gone]) }

    /// Whether the object has unsaved changes of any kind.
    public final var hasChanges: Bool { pendingIndex >= 0 }

    /// Whether the object's values have not been loaded yet. Asking does not load them.
    public final var isFault: Bool { !isLoaded }

    final var isLoaded: Bool {
        batch != nil || status.contains(.inserted) || status.contains(.gone)
            || status.contains(.awake)
    }

    /// The unsaved values, by property: those that differ from what was loaded or last saved.
    ///
    /// A to-many relationship is in it, as ``PropertyValue/null``, if its members changed.
    public final func changedValues() -> [String: PropertyValue] {
        var result: [String: PropertyValue] = [:]
        let names = plan.entity.properties
        if isInserted {
            plan.valueProperties.forEach { result[names[$0].name] = values[$0] }
        } else {
            changed.forEach { result[names[$0].name] = values[$0] }
        }
        for property in names where toManyState(of: property)?.hasChanges ?? false {
            result[property.name] = .null
        }
        return result
    }

    /// The values that were loaded or last saved, of the named properties or of all.
    ///
    /// Loads the object if it is a fault (one query). To-many relationships are left out.
    public final func committedValues(forKeys keys: [String]? = nil) -> [String: PropertyValue] {
        loadIfNeeded()
        var result: [String: PropertyValue] = [:]
        for property in plan.entity.properties
        where !property.isToMany && (keys?.contains(property.name) ?? true) {
            result[property.name] = committedValue(at: property.index)
        }
        return result
    }
}
