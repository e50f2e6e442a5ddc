// SPDX-License-Identifier: MIT

import CCacheStoreShims
import CacheStoreModel

/// The form of an entity's packed rows, as the packer in C reads it.
final class RowForm: @unchecked Sendable {
    // Sendable although it holds raw memory: all of it is written here and never afterwards.

    /// How many rows share a batch. An object keeps its batch alive, so it should not be large.
    static let rowsPerBatch = 512

    // Owned, freed in deinit.
    let pointer: UnsafeMutablePointer<cachestore_row_form>
    // As above.
    private let slots: UnsafeMutablePointer<cachestore_row_slot>
    // As above.
    private let entities: UnsafeMutablePointer<Int32>
    let tagBytes: Int
    let cellCount: Int
    /// Whether rows can have cells that need a resolver.
    let hasEncodedCells: Bool

    /// - Parameter ownEntity: the index of the entity of all rows; `nil` where each row tells.
    init(
        layout: RowLayout, slots: [cachestore_row_slot], ownEntity: Int?, numbers: EntityNumbers,
        extraCells: Int
    ) {
        tagBytes = layout.tagBytes
        cellCount = layout.cellCount + extraCells
        hasEncodedCells = slots.contains { $0.kind == Int32(CACHESTORE_SLOT_OPAQUE) }
        self.slots = .allocate(capacity: slots.count)
        for (index, slot) in slots.enumerated() { (self.slots + index).initialize(to: slot) }
        let indexes = numbers.indexesByNumber
        entities = .allocate(capacity: indexes.count)
        for (number, index) in indexes.enumerated() {
            (entities + number).initialize(to: index)
        }
        pointer = .allocate(capacity: 1)
        pointer.initialize(
            to: cachestore_row_form(
                slots: self.slots, slot_count: Int32(slots.count),
                tag_bytes: Int32(layout.tagBytes), stride: Int32(layout.tagBytes + cellCount * 8),
                constant_cell: ownEntity == nil ? -1 : Int32(RowLayout.entityColumn),
                constant: Int64(ownEntity ?? 0), entities: entities,
                entity_count: Int32(indexes.count), rows_per_batch: Int32(Self.rowsPerBatch)))
    }

    deinit {
        pointer.deallocate()
        slots.deallocate()
        entities.deallocate()
    }

    /// How many columns the rows of a statement have.
    var columnCount: Int { Int(pointer.pointee.slot_count) }
}
