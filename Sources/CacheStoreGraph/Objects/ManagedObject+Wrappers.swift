// SPDX-License-Identifier: MIT

public import CacheStoreModel
public import Foundation

// What `@Attribute` calls. The common types have functions of their own that read a packed cell
// directly; the wrapper, inlined into the program, picks the function by the static type. All other
// types go through their codec.
//
// The underscored names are public to the compiler only: inlined code must reach them.

extension ManagedObject {
    /// Which property each wrapper stands for; `nil` in an object made to describe or to note.
    @inline(__always)
    private var slotTable: UnsafePointer<SlotAccess>? {
        status.contains(.planless) ? nil : planSlots
    }

    // Plans are kept until the process ends; counting this one would cost as much as the read.
    @inline(__always)
    private var planSlots: UnsafePointer<SlotAccess> {
        Unmanaged.passUnretained(plan)._withUnsafeGuaranteedRef { UnsafePointer($0.slotAccess) }
    }

    /// Where the row has the value of a slot; `nil` if the value is not in a row in memory.
    @inline(__always)
    private func cell(_ slot: UInt16) -> (start: UnsafeRawPointer, tag: UInt8, column: Int)? {
        guard let rowStart else { return nil }
        // Only an object with a plan has a row.
        let access = planSlots[Int(slot)]
        let column = Int(access.column)
        guard column >= 0, !hasOwnValue(at: Int(access.property)) else { return nil }
        return (
            rowStart + Int(access.offset), rowStart.load(fromByteOffset: column, as: UInt8.self),
            column
        )
    }

    /// The value of a slot by the long way: loads the object, and looks at its own values first.
    @inline(never)
    private func slotValue(_ slot: UInt16) -> PropertyValue {
        guard let table = slotTable else {
            recorder?.record(slot: Int(slot))
            return .null
        }
        return value(at: Int(table[Int(slot)].property))
    }

    @usableFromInline
    final func _integer(_ slot: UInt16) -> Int64? {
        if let cell = cell(slot) {
            return cell.tag == RowBatch.Tag.integer ? cell.start.load(as: Int64.self) : nil
        }
        if case .integer(let integer) = slotValue(slot) { return integer }
        return nil
    }

    @usableFromInline
    final func _boolean(_ slot: UInt16) -> Bool? {
        if let cell = cell(slot) {
            return cell.tag == RowBatch.Tag.integer ? cell.start.load(as: Int64.self) != 0 : nil
        }
        if case .boolean(let boolean) = slotValue(slot) { return boolean }
        return nil
    }

    /// A number of either storage class.
    @inline(__always)
    private func number(_ start: UnsafeRawPointer, tag: UInt8) -> Double? {
        if tag == RowBatch.Tag.real { return start.load(as: Double.self) }
        return tag == RowBatch.Tag.integer ? Double(start.load(as: Int64.self)) : nil
    }

    @usableFromInline
    final func _double(_ slot: UInt16) -> Double? {
        if let cell = cell(slot) { return number(cell.start, tag: cell.tag) }
        if case .double(let double) = slotValue(slot) { return double }
        return nil
    }

    @usableFromInline
    final func _date(_ slot: UInt16) -> Date? {
        if let cell = cell(slot) {
            return number(cell.start, tag: cell.tag).map { Date(timeIntervalSince1970: $0) }
        }
        if case .date(let date) = slotValue(slot) { return date }
        return nil
    }

    @usableFromInline
    final func _string(_ slot: UInt16) -> String? {
        if let cell = cell(slot), cell.tag != RowBatch.Tag.encoded {
            guard cell.tag == RowBatch.Tag.text else { return nil }
            return batch?.text(at: cell.start)
        }
        if case .string(let string) = slotValue(slot) { return string }
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
        if !hasOwnValue(at: index) {
            loadIfNeeded()
            if let batch, !hasOwnValue(at: index) {
                let column = plan.slots[slot].column
                if column >= 0, let value = codec.decode(batch, row: row, column: column) {
                    return value
                }
                return placeholder(of: codec)
            }
        }
        if hasOwnValue(at: index), let value = codec.decode(values[index]) { return value }
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
