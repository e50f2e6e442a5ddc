// SPDX-License-Identifier: MIT

import CCacheStoreShims
import CacheStoreModel
import Foundation

/// Rows on their way into a statement that reads them from memory.
///
/// Texts and bytes are copied in; SQLite reads them here, without copying them again.
final class PackedRows {
    /// So many rows cost a statement little for each, and still fit into the processor's cache.
    static let capacity = 256
    private static let blockSize = 64 * 1024

    /// What the statement is bound to.
    // Owned, freed in deinit; so are the four buffers.
    let pointer = UnsafeMutablePointer<cachestore_row_source>.allocate(capacity: 1)
    private let cells: UnsafeMutablePointer<cachestore_cell>
    private let keys = UnsafeMutablePointer<Int64>.allocate(capacity: capacity)
    private let versions = UnsafeMutablePointer<Int64>.allocate(capacity: capacity)
    private let taken = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    private let width: Int
    @exclusivity(unchecked) private(set) var count = 0

    // The first block stays; larger values, and more of them, get blocks of their own until the
    // rows are emptied.
    private let block = UnsafeMutableRawPointer.allocate(byteCount: blockSize, alignment: 8)
    // Nothing calls out in the middle of a change, so accesses cannot overlap.
    @exclusivity(unchecked) private var used = 0
    private var further: [UnsafeMutableRawPointer] = []
    private var furtherBytes = 0

    /// - Parameter width: how many cells a row has, at most `CACHESTORE_ROW_WIDTH`.
    init(width: Int) {
        self.width = width
        cells = .allocate(capacity: max(1, width * Self.capacity))
        pointer.initialize(
            to: cachestore_row_source(
                count: 0, width: Int32(width), cells: cells, keys: keys, versions: versions,
                taken: taken, scanned: 0, current: 0))
    }

    deinit {
        freeFurtherBlocks()
        block.deallocate()
        cells.deallocate()
        keys.deallocate()
        versions.deallocate()
        taken.deallocate()
        pointer.deallocate()
    }

    /// Whether the rows should be written before more are added.
    var isFull: Bool { count == Self.capacity || furtherBytes > 4 * Self.blockSize }

    func removeAll() {
        count = 0
        pointer.pointee.count = 0
        used = 0
        if !further.isEmpty { freeFurtherBlocks() }
    }

    private func freeFurtherBlocks() {
        for block in further { block.deallocate() }
        further.removeAll()
        furtherBytes = 0
    }

    /// Makes the statement begin with a row, and no row taken.
    func rewind(to row: Int = 0) {
        pointer.pointee.count = Int32(count)
        pointer.pointee.scanned = Int32(row)
        pointer.pointee.current = 0
        taken.update(repeating: 0, count: count)
    }

    /// The row that the statement read last.
    var scannedRow: Int { Int(pointer.pointee.scanned) }

    func key(ofRow row: Int) -> Int64 { keys[row] }

    func isTaken(row: Int) -> Bool { taken[row] != 0 }

    /// How many keys lie between the first and the last, both included.
    var span: Int64 {
        guard count > 0 else { return 0 }
        let (difference, overflow) = keys[count - 1].subtractingReportingOverflow(keys[0])
        return overflow || difference == .max ? .max : difference + 1
    }

    /// Adds a row of no cells.
    func append(key: Int64, version: Int64) {
        keys[count] = key
        versions[count] = version
        count += 1
    }

    /// Adds a row with the values that a plan writes. Throws for a reference to an object that is
    /// not saved; nothing is added then.
    func append(
        key: Int64, version: Int64, values: ContiguousArray<PropertyValue>, plan: WritePlan,
        _ binder: ValueBinder
    ) throws {
        let row = cells + count * width
        try values.withUnsafeBufferPointer { values in
            for slot in plan.slots {
                let cell = row + Int(slot.parameter - plan.firstParameter)
                switch values[slot.property] {
                case .null: set(cell, 0, CACHESTORE_CELL_NULL)
                case .integer(let integer):
                    set(cell, UInt64(bitPattern: integer), CACHESTORE_CELL_INTEGER)
                case .boolean(let boolean): set(cell, boolean ? 1 : 0, CACHESTORE_CELL_INTEGER)
                case .double(let double): set(cell, double.bitPattern, CACHESTORE_CELL_REAL)
                case .date(let date):
                    set(cell, date.timeIntervalSince1970.bitPattern, CACHESTORE_CELL_REAL)
                case .string(let string): set(cell, string)
                case .decimal(let decimal): set(cell, decimal.description)
                case .url(let url): set(cell, url.absoluteString)
                case .data(let data):
                    data.withUnsafeBytes { set(cell, copying: $0, CACHESTORE_CELL_BLOB) }
                case .uuid(let uuid):
                    withUnsafeBytes(of: uuid.uuid) {
                        set(cell, copying: $0, CACHESTORE_CELL_BLOB)
                    }
                case .object(let id):
                    let key = try binder.key(of: id)
                    set(cell, UInt64(bitPattern: key), CACHESTORE_CELL_INTEGER)
                    if slot.entityParameter != 0 {
                        set(
                            cell + 1, UInt64(bitPattern: binder.number(of: id)),
                            CACHESTORE_CELL_INTEGER)
                    }
                    continue
                }
                if slot.entityParameter != 0 { set(cell + 1, 0, CACHESTORE_CELL_NULL) }
            }
        }
        append(key: key, version: version)
    }

    // The constants of the C enumeration come in with its type.
    @inline(__always)
    private func set(
        _ cell: UnsafeMutablePointer<cachestore_cell>, _ bits: UInt64, _ kind: Int, length: Int = 0
    ) {
        cell.pointee = cachestore_cell(
            // What is longer than this is longer than SQLite takes, and refused by it.
            bits: bits, length: UInt32(clamping: length), kind: UInt32(truncatingIfNeeded: kind))
    }

    private func set(_ cell: UnsafeMutablePointer<cachestore_cell>, _ string: String) {
        var string = string
        string.withUTF8 { set(cell, copying: UnsafeRawBufferPointer($0), CACHESTORE_CELL_TEXT) }
    }

    private func set(
        _ cell: UnsafeMutablePointer<cachestore_cell>, copying bytes: UnsafeRawBufferPointer,
        _ kind: Int
    ) {
        guard bytes.count <= Self.blockSize - used else {
            return set(cell, copyingFurther: bytes, kind)
        }
        let start = block + used
        if let source = bytes.baseAddress { start.copyMemory(from: source, byteCount: bytes.count) }
        used += bytes.count
        set(cell, UInt64(UInt(bitPattern: start)), kind, length: bytes.count)
    }

    private func set(
        _ cell: UnsafeMutablePointer<cachestore_cell>, copyingFurther bytes: UnsafeRawBufferPointer,
        _ kind: Int
    ) {
        let copy = UnsafeMutableRawPointer.allocate(byteCount: max(1, bytes.count), alignment: 8)
        copy.copyMemory(from: bytes.baseAddress ?? UnsafeRawPointer(copy), byteCount: bytes.count)
        further.append(copy)
        furtherBytes += bytes.count
        set(cell, UInt64(UInt(bitPattern: copy)), kind, length: bytes.count)
    }
}
