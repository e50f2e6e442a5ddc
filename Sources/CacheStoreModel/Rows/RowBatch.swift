// SPDX-License-Identifier: MIT

import Foundation

/// Rows packed in one buffer, as they cross from the store to the graph.
///
/// Objects keep a reference to their batch and a row number, and decode a cell when it is first
/// asked for. So a fetch makes one allocation for many rows, and what is not read is never decoded.
///
/// The form of a row: one tag byte for each cell, padded to eight; then eight bytes for each cell, so
/// that a cell has the same offset in all rows of one layout.
/// A number stands in its cell; text and bytes lie in the batch's heap, and the cell has their
/// offset and length. All rows of a batch are equally long.
@usableFromInline
package final class RowBatch: @unchecked Sendable {
    // Sendable although it holds raw memory: the memory is written by RowBatchBuilder before the
    // batch exists and never afterwards.

    /// What a cell holds: SQLite's storage classes, and values that the store has to decode.
    @usableFromInline
    package enum Tag {
        @inlinable package static var null: UInt8 { 0 }
        @inlinable package static var integer: UInt8 { 1 }
        @inlinable package static var real: UInt8 { 2 }
        @inlinable package static var text: UInt8 { 3 }
        @inlinable package static var blob: UInt8 { 4 }
        /// Bytes that the resolver turns into the value: compressed, or kept in a file of its own.
        @inlinable package static var encoded: UInt8 { 5 }
    }

    // Owned by the batch, freed in deinit.
    @usableFromInline package let rows: UnsafeMutableRawPointer
    // Owned by the batch, freed in deinit unless it is a part of the rows' memory.
    @usableFromInline package let heap: UnsafeMutableRawPointer?
    private let heapIsInside: Bool
    @usableFromInline package let stride: Int
    @usableFromInline package let tagBytes: Int
    package let count: Int
    package let cellCount: Int
    /// Turns encoded cells into values; `nil` where the store has none.
    package let resolver: (any EncodedValueResolver)?

    package init(
        rows: UnsafeMutableRawPointer, heap: UnsafeMutableRawPointer?,
        heapIsInside: Bool = false, count: Int, tagBytes: Int, cellCount: Int,
        resolver: (any EncodedValueResolver)?
    ) {
        self.rows = rows
        self.heap = heap
        self.heapIsInside = heapIsInside
        self.count = count
        self.cellCount = cellCount
        self.tagBytes = tagBytes
        self.stride = tagBytes + cellCount * 8
        self.resolver = resolver
    }

    deinit {
        free(rows)
        if !heapIsInside { free(heap) }
    }

    /// The start of a row. Valid for as long as the batch lives.
    @inlinable
    package func start(ofRow row: Int) -> UnsafeRawPointer {
        UnsafeRawPointer(rows + row * stride)
    }

    /// The row that starts there.
    package func row(startingAt start: UnsafeRawPointer) -> Int {
        (start - UnsafeRawPointer(rows)) / stride
    }

    @inlinable
    package func tag(row: Int, column: Int) -> UInt8 {
        rows.load(fromByteOffset: row &* stride &+ column, as: UInt8.self)
    }

    /// The eight bytes of a cell: an integer, or the bits of a floating-point number.
    @inlinable
    package func integer(row: Int, column: Int) -> Int64 {
        rows.load(
            fromByteOffset: row &* stride &+ tagBytes &+ column &* 8, as: Int64.self)
    }

    @inlinable
    package func real(row: Int, column: Int) -> Double {
        rows.load(
            fromByteOffset: row &* stride &+ tagBytes &+ column &* 8, as: Double.self)
    }

    /// The bytes of a text, blob or encoded cell. Valid for as long as the batch lives.
    @inlinable
    package func bytes(row: Int, column: Int) -> UnsafeRawBufferPointer {
        let start = row &* stride &+ tagBytes &+ column &* 8
        let offset = Int(rows.load(fromByteOffset: start, as: UInt32.self))
        let length = Int(rows.load(fromByteOffset: start &+ 4, as: UInt32.self))
        guard let heap, length > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: heap + offset, count: length)
    }

    /// The text of a cell whose tag says that it has one.
    @inlinable
    package func text(at cell: UnsafeRawPointer) -> String {
        let offset = Int(cell.load(as: UInt32.self))
        let length = Int(cell.load(fromByteOffset: 4, as: UInt32.self))
        guard let heap, length > 0 else { return "" }
        return String(
            decoding: UnsafeRawBufferPointer(start: heap + offset, count: length), as: UTF8.self)
    }

    @inlinable
    package func key(ofRow row: Int) -> Int64 {
        integer(row: row, column: RowLayout.keyColumn)
    }

    @inlinable
    package func entityIndex(ofRow row: Int) -> Int {
        Int(truncatingIfNeeded: integer(row: row, column: RowLayout.entityColumn))
    }

    @inlinable
    package func version(ofRow row: Int) -> Int64 {
        integer(row: row, column: RowLayout.versionColumn)
    }
}

/// Turns the encoded form of a stored value back into the value.
package protocol EncodedValueResolver: AnyObject, Sendable {
    /// The text or data behind an encoded cell. Reads a file where the value is kept outside.
    ///
    /// - Throws: an error of the store if the bytes make no sense or the file is gone.
    func value(
        ofEncoded bytes: UnsafeRawBufferPointer, type: AttributeType
    ) throws -> PropertyValue

    /// Is told of an error of the other member where nothing can be thrown, and the value is taken
    /// for a missing one.
    func couldNotResolve(_ error: any Error)
}

extension EncodedValueResolver {
    package func couldNotResolve(_ error: any Error) {}
}
