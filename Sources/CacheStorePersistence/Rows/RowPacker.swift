// SPDX-License-Identifier: MIT

import CCacheStoreShims
import CCacheStoreSQLite
import CacheStoreModel
import CacheStoreSQLite

/// Packs the rows of a statement into batches, without a value for each cell.
struct RowPacker {
    let form: RowForm
    let resolver: any EncodedValueResolver
    var expectedRows = 16

    /// Runs the statement, whose parameters are bound, to its end and resets it.
    ///
    /// The statement selects the form's columns, or packs them by a call: see
    /// ``SelectPlan/selection(owner:)``.
    func pack(_ statement: Statement, on connection: Connection) throws -> [RowBatch] {
        let packer = try connection.rowPacker()
        packer.pointee.form = UnsafePointer(form.pointer)
        packer.pointee.expected_rows = Int32(clamping: expectedRows)
        defer {
            statement.reset()
            cachestore_row_packer_clear(packer)
        }
        if sqlite3_column_count(statement.handle) == 1, form.columnCount > 1 {
            _ = try statement.step()
        } else {
            while try statement.step() {
                guard cachestore_pack_row(packer, statement.handle) != 0 else {
                    throw SQLiteError(result: SQLITE_NOMEM)
                }
            }
        }
        return takeBatches(of: packer)
    }

    private func takeBatches(
        of packer: UnsafeMutablePointer<cachestore_row_packer>
    ) -> [RowBatch] {
        let count = Int(packer.pointee.batch_count)
        // The batches own their memory from here on.
        packer.pointee.batch_count = 0
        guard let packed = packer.pointee.batches else { return [] }
        return (0..<count).compactMap { index in
            guard let rows = packed[index].rows else { return nil }
            return RowBatch(
                rows: rows, heap: packed[index].heap, count: Int(packed[index].count),
                layout: form.layout, cellCount: form.cellCount, resolver: resolver)
        }
    }
}

extension Connection {
    /// Registers the function that packs rows; once, before a statement calls it.
    func registerRowPacker() throws(SQLiteError) {
        var packer: UnsafeMutablePointer<cachestore_row_packer>?
        let result = cachestore_register_rows(handle, &packer)
        guard result == SQLITE_OK else { throw SQLiteError(result: result) }
        attachment = UnsafeMutableRawPointer(packer)
    }

    /// What the connection's rows are packed into, by the one thread that has the connection.
    fileprivate func rowPacker() throws(SQLiteError) -> UnsafeMutablePointer<cachestore_row_packer>
    {
        guard let attachment else { throw SQLiteError(result: SQLITE_MISUSE) }
        return attachment.assumingMemoryBound(to: cachestore_row_packer.self)
    }
}
