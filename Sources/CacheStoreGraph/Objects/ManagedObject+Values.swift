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

    /// The current value of a property that is not to-many.
    final func value(of property: Property) -> PropertyValue {
        if present.contains(property.index) { return values[property.index] }
        loadIfNeeded()
        // Loading may have brought the value in from a parent context.
        if present.contains(property.index) { return values[property.index] }
        return rowValue(of: property)
    }

    /// What the row says, whatever has been changed since.
    final func rowValue(of property: Property) -> PropertyValue {
        guard let batch else { return .null }
        return RowReference(batch: batch, row: row).value(of: property, in: objectID.space)
    }

    final func committedValue(of property: Property) -> PropertyValue {
        if changed.contains(property.index) {
            return originals[property.index] ?? rowValue(of: property)
        }
        return value(of: property)
    }

    /// Writes a value and registers the change; an equal value is no change.
    ///
    /// Inverses are not looked after here: see `writeToOne`.
    final func setValue(_ value: PropertyValue, of property: Property) {
        guard let context else { return setDetachedValue(value, of: property) }
        let index = property.index
        let old = self.value(of: property)
        guard old != value, !status.contains(.gone) else { return }
        context.mutate {
            if values.isEmpty { values = plan.emptyValues }
            if status.contains(.inserted) {
                values[index] = value
                return
            }
            if !changed.contains(index) {
                // What was set without being changed (by a save, by a parent) is not in the row.
                if present.contains(index) { originals[index] = old }
                changed.insert(index)
                present.insert(index)
                values[index] = value
            } else {
                values[index] = value
                if value == originals[index] ?? rowValue(of: property) {
                    changed.remove(index)
                    originals[index] = nil
                }
            }
            context.noteChange(of: self)
        }
    }

    private func setDetachedValue(_ value: PropertyValue, of property: Property) {
        guard !plan.emptyValues.isEmpty else { return }
        if values.isEmpty { values = plan.emptyValues }
        values[property.index] = value
        present.insert(property.index)
    }
}

// MARK: - Wrappers

extension ManagedObject {
    @inline(__always)
    final func readAttribute<Value>(slot: UInt16) -> Value {
        let slot = Int(slot)
        guard slot < plan.slots.count, let anyCodec = plan.slots[slot].codec else {
            return readRecorded(slot: slot)
        }
        // The plan checked that the codec of this slot is the one the wrapper made.
        let codec = unsafeDowncast(anyCodec, to: AttributeCodec<Value>.self)
        let index = plan.slots[slot].propertyIndex
        if !present.contains(index) {
            loadIfNeeded()
            if let batch, !present.contains(index) {
                let column = plan.slots[slot].column
                if column >= 0, let value = codec.decode(batch, row: row, column: column) {
                    return value
                }
                return placeholder(of: codec)
            }
        }
        if present.contains(index), let value = codec.decode(values[index]) { return value }
        return placeholder(of: codec)
    }

    private func placeholder<Value>(of codec: AttributeCodec<Value>) -> Value {
        guard let value = codec.placeholder else {
            // Only an enumeration without any case gets here.
            preconditionFailure("The attribute's type has no value to stand for a missing one.")
        }
        return value
    }

    /// The value that an object made for recording gives.
    private func readRecorded<Value>(slot: Int) -> Value {
        recorder?.record(slot: slot)
        let slots = ClassDescription.of(type(of: self)).slots
        guard slot < slots.count, case .attribute(let declaration) = slots[slot].declaration,
            let codec = declaration.codec as? AttributeCodec<Value>
        else {
            preconditionFailure("The property is not an attribute of the object's class.")
        }
        return placeholder(of: codec)
    }

    final func writeAttribute<Value>(slot: UInt16, _ value: Value) {
        let slot = Int(slot)
        guard slot < plan.slots.count, let anyCodec = plan.slots[slot].codec else { return }
        // As in `readAttribute`.
        let codec = unsafeDowncast(anyCodec, to: AttributeCodec<Value>.self)
        let property = plan.entity.properties[plan.slots[slot].propertyIndex]
        if codec.type == .transformable {
            let current: Value = readAttribute(slot: UInt16(slot))
            if codec.areEqual(current, value), !self.value(of: property).isNull { return }
        }
        setValue(codec.encode(value), of: property)
    }
}
