// SPDX-License-Identifier: MIT

import Foundation

/// Packs rows into a ``RowBatch``.
///
/// A store appends one row after another: `beginRow`, one call for each cell that is not null, and
/// in the end `finish`. The memory grows by doubling; a batch is meant for a few hundred rows.
package struct RowBatchBuilder: ~Copyable {
    private let layout: RowLayout
    private let cellCount: Int
    private let stride: Int
    private let tagBytes: Int
    // Owned by the builder until `finish` hands both to the batch; freed in deinit otherwise.
    private var rows: UnsafeMutableRawPointer?
    private var rowCapacity = 0
    // As above.
    private var heap: UnsafeMutableRawPointer?
    private var heapCapacity = 0
    private var heapCount = 0
    package private(set) var count = 0
    // The start of the row being filled, inside `rows`.
    private var current: UnsafeMutableRawPointer?

    /// Creates an empty builder; an extra cell (the owner of a joined row) follows the layout's.
    ///
    /// - Precondition: There is at most one extra cell: the rows have room for one more tag.
    package init(layout: RowLayout, extraCells: Int = 0, expectedRows: Int = 16) {
        precondition(extraCells <= RowLayout.maximumExtraCells, "Rows have one extra cell at most.")
        self.layout = layout
        self.cellCount = layout.cellCount + extraCells
        self.tagBytes = layout.tagBytes
        self.stride = layout.tagBytes + cellCount * 8
        self.rowCapacity = max(1, expectedRows)
        self.rows = malloc(rowCapacity * stride)
    }

    deinit {
        free(rows)
        free(heap)
    }

    /// The bytes that the batch takes up.
    package var byteCount: Int { count * stride + heapCount }

    /// Whether another row could make offsets overflow; the store then starts a new batch.
    package var isFull: Bool { heapCount > 1 << 30 }

    package mutating func beginRow() {
        if count == rowCapacity {
            rowCapacity *= 2
            rows = realloc(rows, rowCapacity * stride)
        }
        // Without memory malloc gives nil and the process is beyond help; Swift itself traps there.
        current = rows.map { $0 + count * stride }
        current?.initializeMemory(as: UInt8.self, repeating: 0, count: tagBytes)
        count += 1
    }

    package mutating func set(_ column: Int, integer value: Int64) {
        current?.storeBytes(of: RowBatch.Tag.integer, toByteOffset: column, as: UInt8.self)
        current?.storeBytes(of: value, toByteOffset: tagBytes + column * 8, as: Int64.self)
    }

    package mutating func set(_ column: Int, real value: Double) {
        current?.storeBytes(of: RowBatch.Tag.real, toByteOffset: column, as: UInt8.self)
        current?.storeBytes(of: value, toByteOffset: tagBytes + column * 8, as: Double.self)
    }

    /// Copies bytes into the heap, under one of the tags `text`, `blob` and `encoded`.
    package mutating func set(_ column: Int, tag: UInt8, bytes: UnsafeRawBufferPointer) {
        let offset = heapCount
        if heapCount + bytes.count > heapCapacity {
            heapCapacity = max(heapCapacity * 2, heapCount + bytes.count, 1024)
            heap = realloc(heap, heapCapacity)
        }
        if let heap, let source = bytes.baseAddress, bytes.count > 0 {
            memcpy(heap + offset, source, bytes.count)
        }
        heapCount += bytes.count
        current?.storeBytes(of: tag, toByteOffset: column, as: UInt8.self)
        let cell = tagBytes + column * 8
        current?.storeBytes(
            of: UInt32(truncatingIfNeeded: offset), toByteOffset: cell, as: UInt32.self)
        current?.storeBytes(
            of: UInt32(truncatingIfNeeded: bytes.count), toByteOffset: cell + 4, as: UInt32.self)
    }

    /// The finished batch. The builder is used up.
    package consuming func finish(resolver: (any EncodedValueResolver)? = nil) -> RowBatch? {
        guard let rows else { return nil }
        self.rows = nil
        let heap = self.heap
        self.heap = nil
        return RowBatch(
            rows: rows, heap: heap, count: count, layout: layout, cellCount: cellCount,
            resolver: resolver)
    }
}
