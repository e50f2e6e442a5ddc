// SPDX-License-Identifier: MIT

import CacheStoreModel

// How values are read and written, by property index. Everything else (wrappers, names, key paths)
// ends here.

extension ManagedObject {
    /// Loads the object if it is a fault; one query.
    @inline(__always)
    final func loadIfNeeded() {
        if !isLoaded { context?.fulfillFault(self) }
    }

    // MARK: - Rows

    /// The rows that the object was loaded with.
    final var batch: RowBatch? {
        @inline(__always) get { if case .rows(let batch) = source { batch } else { nil } }
    }

    /// The place in `batch`: a division, so that objects need not keep it.
    final var row: Int {
        guard case .rows(let batch) = source, let rowStart else { return 0 }
        return batch.row(startingAt: rowStart)
    }

    /// The version of the row that the object's values are based on; 0 where there is none.
    final var version: Int64 {
        get { if case .faults = source { 0 } else { versionOrPlace } }
        set {
            if case .faults = source { source = .nothing }
            versionOrPlace = newValue
        }
    }

    /// Makes a row the one that unchanged values come from.
    final func attach(_ batch: RowBatch, row: Int) {
        source = .rows(batch)
        rowStart = batch.start(ofRow: row)
        versionOrPlace = batch.version(ofRow: row)
    }

    final func detachRow() {
        if case .rows = source { source = .nothing }
        rowStart = nil
    }

    /// Makes a fault one of those that a fetch will load together.
    final func join(_ group: FaultGroup, at place: Int) {
        source = .faults(group)
        versionOrPlace = Int64(place)
    }

    /// The objects that are to be loaded with this one, itself included; `nil` where none are.
    final var keysOfFaultGroup: ArraySlice<Int64>? {
        guard case .faults(let group) = source else { return nil }
        return group.keys(around: Int(versionOrPlace))
    }

    /// What the row says, whatever has been changed since.
    final func rowValue(at index: Int) -> PropertyValue {
        guard let batch else { return .null }
        let access = plan.access[index]
        guard access.column >= 0 else { return .null }
        let column = Int(access.column)
        guard access.destination >= 0 else {
            return batch.value(row: row, column: column, type: access.type)
        }
        guard batch.tag(row: row, column: column) == RowBatch.Tag.integer else { return .null }
        var entityIndex = Int(access.destination)
        if access.entityColumn >= 0 {
            let stored = batch.integer(row: row, column: Int(access.entityColumn))
            let entities = objectID.space.model.entities
            if entities.indices.contains(Int(truncatingIfNeeded: stored)) {
                entityIndex = Int(truncatingIfNeeded: stored)
            }
        }
        return .object(
            ManagedObjectID(
                space: objectID.space, entityIndex: entityIndex,
                key: batch.integer(row: row, column: column)))
    }

    // MARK: - Values

    /// The current value of a property that is not to-many.
    final func value(at index: Int) -> PropertyValue {
        if hasOwnValue(at: index) { return values[index] }
        loadIfNeeded()
        // Loading may have brought the value in from a parent context.
        if hasOwnValue(at: index) { return values[index] }
        return rowValue(at: index)
    }

    final func value(of property: Property) -> PropertyValue { value(at: property.index) }

    final func committedValue(at index: Int) -> PropertyValue {
        if changed.contains(index) { return originals[index] ?? rowValue(at: index) }
        return value(at: index)
    }

    /// Writes a value and registers the change; an equal value is no change.
    ///
    /// Inverses are not looked after here: see `setToOne`.
    @inline(__always)
    final func setValue(_ value: consuming PropertyValue, at index: Int) {
        // A new object is saved whole, so nothing has to be compared or remembered.
        if status == .new,
            unmanagedContext?._withUnsafeGuaranteedRef({ $0.countUnobservedMutation() }) ?? false
        {
            values[index] = value
        } else {
            setComparedValue(value, at: index)
        }
    }

    private final func setComparedValue(_ value: PropertyValue, at index: Int) {
        guard let context else { return setDetachedValue(value, at: index) }
        if status == .new {
            context.mutate { values[index] = value }
            return
        }
        let old = self.value(at: index)
        guard old != value, !status.contains(.gone) else { return }
        context.mutate {
            if values.isEmpty { values = plan.makeEmptyValues() }
            values[index] = value
            if status.contains(.inserted) { return }
            let extras = ensureExtras()
            if !extras.changed.contains(index) {
                // What was set without being changed (by a save, by a parent) is not in the row.
                if hasOwnValue(at: index) {
                    extras.originals[index] = old
                } else {
                    extras.present.insert(index)
                }
                extras.changed.insert(index)
            } else if value == extras.originals[index] ?? rowValue(at: index) {
                extras.changed.remove(index)
                extras.originals[index] = nil
            }
            context.noteChange(of: self)
        }
    }

    final func setValue(_ value: PropertyValue, of property: Property) {
        setValue(value, at: property.index)
    }

    /// Takes a value that is now saved, or unsaved in a context above: one of this context's own
    /// stays on top of it. Inside `mutate`, with values allocated.
    final func takeUnderneath(_ value: PropertyValue, at index: Int) {
        guard changed.contains(index) else {
            values[index] = value
            present.insert(index)
            return
        }
        if values[index] == value {
            changed.remove(index)
            originals[index] = nil
        } else {
            originals[index] = value
        }
    }

    private func setDetachedValue(_ value: PropertyValue, at index: Int) {
        guard plan.propertyCount > 0 else { return }
        if values.isEmpty { values = plan.makeEmptyValues() }
        values[index] = value
        present.insert(index)
    }
}
