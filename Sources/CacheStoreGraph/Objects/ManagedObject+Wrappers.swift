// SPDX-License-Identifier: MIT

public import CacheStoreModel
public import Foundation

// What `@Attribute` calls. The common types have functions of their own that read a packed cell
// directly; the wrapper, inlined into the program, picks the function by the static type. All other
// types go through their codec.
//
// The underscored names are public to the compiler only: inlined code must reach them.

extension ManagedObject {
    /// Finds the value of a slot: among the object's own values, or where its cell is in the row.
    @inline(__always)
    private func locate(
        _ slot: UInt16
    ) -> (value: PropertyValue?, cell: UnsafeRawPointer?, tag: UInt8, column: Int) {
        guard let table = slotTable else {
            recorder?.record(slot: Int(slot))
            return (nil, nil, RowBatch.Tag.null, -1)
        }
        let access = table[Int(slot)]
        let index = Int(access.property)
        if present.contains(index) { return (values[index], nil, RowBatch.Tag.null, -1) }
        if rowStart == nil {
            loadIfNeeded()
            if present.contains(index) { return (values[index], nil, RowBatch.Tag.null, -1) }
        }
        guard let rowStart, access.column >= 0 else { return (nil, nil, RowBatch.Tag.null, -1) }
        return (
            nil, rowStart + Int(access.offset),
            rowStart.load(fromByteOffset: Int(access.column), as: UInt8.self), Int(access.column)
        )
    }

    @usableFromInline
    final func _integer(_ slot: UInt16) -> Int64? {
        let place = locate(slot)
        if let cell = place.cell, place.tag == RowBatch.Tag.integer {
            return cell.load(as: Int64.self)
        }
        if case .integer(let integer)? = place.value { return integer }
        return nil
    }

    @usableFromInline
    final func _boolean(_ slot: UInt16) -> Bool? {
        let place = locate(slot)
        if let cell = place.cell, place.tag == RowBatch.Tag.integer {
            return cell.load(as: Int64.self) != 0
        }
        if case .boolean(let boolean)? = place.value { return boolean }
        return nil
    }

    @usableFromInline
    final func _double(_ slot: UInt16) -> Double? {
        let place = locate(slot)
        if let cell = place.cell {
            if place.tag == RowBatch.Tag.real { return cell.load(as: Double.self) }
            if place.tag == RowBatch.Tag.integer { return Double(cell.load(as: Int64.self)) }
        }
        if case .double(let double)? = place.value { return double }
        return nil
    }

    @usableFromInline
    final func _date(_ slot: UInt16) -> Date? {
        let place = locate(slot)
        if let cell = place.cell {
            if place.tag == RowBatch.Tag.real {
                return Date(timeIntervalSince1970: cell.load(as: Double.self))
            }
            if place.tag == RowBatch.Tag.integer {
                return Date(timeIntervalSince1970: Double(cell.load(as: Int64.self)))
            }
        }
        if case .date(let date)? = place.value { return date }
        return nil
    }

    @usableFromInline
    final func _string(_ slot: UInt16) -> String? {
        let place = locate(slot)
        if place.cell != nil, let batch {
            if place.tag == RowBatch.Tag.text {
                return String(
                    decoding: batch.bytes(row: row, column: place.column), as: UTF8.self)
            }
            guard place.tag != RowBatch.Tag.null,
                case .string(let string) = batch.value(
                    row: row, column: place.column, type: .string)
            else { return nil }
            return string
        }
        if case .string(let string)? = place.value { return string }
        return nil
    }

    @usableFromInline
    final func _write(_ slot: UInt16, _ value: consuming PropertyValue) {
        guard let table = slotTable else { return }
        setValue(value, at: Int(table[Int(slot)].property))
    }

    // MARK: - Through codecs

    @usableFromInline
    final func _decoded<Value>(_ slot: UInt16) -> Value {
        let slot = Int(slot)
        guard slotTable != nil, let anyCodec = plan.slots[slot].codec else {
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

    @usableFromInline
    final func _encode<Value>(_ slot: UInt16, _ value: Value) {
        let slot = Int(slot)
        guard slotTable != nil, let anyCodec = plan.slots[slot].codec else { return }
        // As in `_decoded`.
        let codec = unsafeDowncast(anyCodec, to: AttributeCodec<Value>.self)
        let index = plan.slots[slot].propertyIndex
        if codec.type == .transformable {
            let current: Value = _decoded(UInt16(slot))
            if codec.areEqual(current, value), !self.value(at: index).isNull { return }
        }
        setValue(codec.encode(value), at: index)
    }
}
