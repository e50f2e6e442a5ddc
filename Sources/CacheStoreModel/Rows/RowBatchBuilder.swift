// SPDX-License-Identifier: MIT

import Foundation

/// Packs rows into a ``RowBatch``.
///
/// A store appends one row after another: `beginRow`, one call for each cell that is not null, and
/// in the end `finish`. The memory grows by doubling; a batch is meant for a few hundred rows.
@usableFromInline
package struct RowBatchBuilder: ~Copyable {
    // hot: fetch-read-all. The members below are inlined into the stores' packing loops.

    private let cellCount: Int
    @usableFromInline let stride: Int
    @usableFromInline let tagBytes: Int
    // Owned by the builder until `finish` hands both to the batch; freed in deinit otherwise.
    @usableFromInline var rows: UnsafeMutableRawPointer?
    @usableFromInline var rowCapacity = 0
    // As above.
    @usableFromInline var heap: UnsafeMutableRawPointer?
    @usableFromInline var heapCapacity = 0
    @usableFromInline var heapCount = 0
    @usableFromInline package internal(set) var count = 0
    // The start of the row being filled, inside `rows`.
    @usableFromInline var current: UnsafeMutableRawPointer?

    /// Creates an empty builder; an extra cell (the owner of a joined row) follows the layout's.
    ///
    /// - Precondition: There is at most one extra cell: the rows have room for one more tag.
    package init(layout: RowLayout, extraCells: Int = 0, expectedRows: Int = 16) {
        precondition(extraCells <= RowLayout.maximumExtraCells, "Rows have one extra cell at most.")
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

    @inlinable
    package mutating func beginRow() {
        if count == rowCapacity { growRows() }
        // Without memory malloc gives nil and the process is beyond help; Swift itself traps there.
        current = rows.map { $0 + count &* stride }
        current?.initializeMemory(as: UInt8.self, repeating: 0, count: tagBytes)
        count &+= 1
    }

    @usableFromInline
    mutating func growRows() {
        rowCapacity *= 2
        rows = realloc(rows, rowCapacity * stride)
    }

    @inlinable
    package mutating func set(_ column: Int, integer value: Int64) {
        guard let current else { return }
        current.storeBytes(of: RowBatch.Tag.integer, toByteOffset: column, as: UInt8.self)
        current.storeBytes(of: value, toByteOffset: tagBytes &+ column &* 8, as: Int64.self)
    }

    @inlinable
    package mutating func set(_ column: Int, real value: Double) {
        guard let current else { return }
        current.storeBytes(of: RowBatch.Tag.real, toByteOffset: column, as: UInt8.self)
        current.storeBytes(of: value, toByteOffset: tagBytes &+ column &* 8, as: Double.self)
    }

    /// Copies bytes into the heap, under one of the tags `text`, `blob` and `encoded`.
    @inlinable
    package mutating func set(_ column: Int, tag: UInt8, bytes: UnsafeRawBufferPointer) {
        if heapCount &+ bytes.count > heapCapacity { growHeap(by: bytes.count) }
        guard let current else { return }
        if let heap, let source = bytes.baseAddress, bytes.count > 0 {
            (heap + heapCount).copyMemory(from: source, byteCount: bytes.count)
        }
        let cell = tagBytes &+ column &* 8
        current.storeBytes(of: tag, toByteOffset: column, as: UInt8.self)
        current.storeBytes(
            of: UInt32(truncatingIfNeeded: heapCount), toByteOffset: cell, as: UInt32.self)
        current.storeBytes(
            of: UInt32(truncatingIfNeeded: bytes.count), toByteOffset: cell &+ 4, as: UInt32.self)
        heapCount &+= bytes.count
    }

    @usableFromInline
    mutating func growHeap(by count: Int) {
        heapCapacity = max(heapCapacity * 2, heapCount + count, 1024)
        heap = realloc(heap, heapCapacity)
    }

    /// The finished batch. The builder is used up.
    package consuming func finish(resolver: (any EncodedValueResolver)? = nil) -> RowBatch? {
        guard let rows else { return nil }
        self.rows = nil
        let heap = self.heap
        self.heap = nil
        return RowBatch(
            rows: rows, heap: heap, count: count, tagBytes: tagBytes, cellCount: cellCount,
            resolver: resolver)
    }
}
