// SPDX-License-Identifier: MIT

import CCacheStoreSQLite
import CacheStoreModel
import CacheStoreSQLite

/// Packs the rows of a statement into batches, by position, without a value for each cell.
struct RowPacker {
    /// How many rows share a batch. An object keeps its batch alive, so it should not be large.
    static let rowsPerBatch = 512

    let plan: SelectPlan
    let numbers: EntityNumbers
    let resolver: any EncodedValueResolver
    /// Whether an owner's key is selected behind the columns of the plan.
    var hasOwner = false
    var expectedRows = 16

    /// Runs the statement, whose parameters are bound, to its end and resets it.
    func pack(_ statement: Statement) throws -> [RowBatch] {
        defer { statement.reset() }
        var batches: [RowBatch] = []
        let extra = hasOwner ? 1 : 0
        var builder = RowBatchBuilder(
            layout: plan.layout, extraCells: extra,
            expectedRows: min(expectedRows, Self.rowsPerBatch))
        while try statement.step() {
            if builder.count == Self.rowsPerBatch || builder.isFull {
                if let batch = builder.finish(resolver: resolver) { batches.append(batch) }
                builder = RowBatchBuilder(
                    layout: plan.layout, extraCells: extra, expectedRows: Self.rowsPerBatch)
            }
            pack(row: statement.handle, into: &builder)
        }
        if builder.count > 0, let batch = builder.finish(resolver: resolver) {
            batches.append(batch)
        }
        return batches
    }

    private func pack(row handle: OpaquePointer, into builder: inout RowBatchBuilder) {
        builder.beginRow()
        builder.set(RowLayout.keyColumn, integer: sqlite3_column_int64(handle, 0))
        builder.set(RowLayout.versionColumn, integer: sqlite3_column_int64(handle, 1))
        var column: Int32 = 2
        var entity = plan.entityIndex
        if plan.hasEntityColumn {
            entity = numbers.index(ofNumber: sqlite3_column_int64(handle, 2)) ?? entity
            column = 3
        }
        builder.set(RowLayout.entityColumn, integer: Int64(entity))
        for slot in plan.slots {
            // Storage classes are asked first: asking for another form would convert the value
            // (https://sqlite.org/c3ref/column_blob.html).
            switch sqlite3_column_type(handle, column) {
            case SQLITE_INTEGER:
                var value = sqlite3_column_int64(handle, column)
                if slot.kind == .entity {
                    value = Int64(numbers.index(ofNumber: value) ?? slot.fallback)
                }
                builder.set(slot.cell, integer: value)
            case SQLITE_FLOAT:
                builder.set(slot.cell, real: sqlite3_column_double(handle, column))
            case SQLITE_TEXT:
                let bytes = sqlite3_column_text(handle, column)
                let count = Int(sqlite3_column_bytes(handle, column))
                builder.set(
                    slot.cell, tag: RowBatch.Tag.text,
                    bytes: UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
            case SQLITE_BLOB:
                let bytes = sqlite3_column_blob(handle, column)
                let count = Int(sqlite3_column_bytes(handle, column))
                builder.set(
                    slot.cell,
                    tag: slot.kind == .opaque ? RowBatch.Tag.encoded : RowBatch.Tag.blob,
                    bytes: UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
            default: break
            }
            column += 1
        }
        if hasOwner {
            builder.set(
                plan.layout.cellCount, integer: sqlite3_column_int64(handle, column))
        }
    }
}
