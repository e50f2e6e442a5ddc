// SPDX-License-Identifier: MIT

import CCacheStoreShims
import CCacheStoreSQLite
import CacheStoreModel
import CacheStoreSQLite

/// Packs the rows of a statement into batches, without a value for each cell.
struct RowPacker {
    // The store's map has the form for as long as the store is there, and packers are used within one
    // call of the store. Counting it would make all threads that read meet at the count.
    unowned(unsafe) let form: RowForm
    /// Kept by batches that have something to resolve: counting it for each batch of each thread
    /// would cost the others' time as well.
    private let resolver: ValueResolver?
    private let expectedRows: Int

    init(form: RowForm, resolver: ValueResolver, expectedRows: Int = 16) {
        self.form = form
        self.resolver = form.hasEncodedCells ? resolver : nil
        self.expectedRows = expectedRows
    }

    /// Runs the statement, whose parameters are bound, to its end and resets it.
    func pack(
        _ statement: Statement, selecting selection: RowSelection, on connection: Connection
    ) throws -> [RowBatch] {
        try packing(statement, on: connection) { packer in
            switch selection {
            case .columns:
                while try statement.step() { try packRow(of: statement, into: packer) }
            case .rowCall: while try statement.step() {}
            case .tableCall: _ = try statement.step()
            }
            return (0..<Int(packer.pointee.batch_count)).compactMap {
                takeBatch(at: $0, of: packer)
            }
        }
    }

    /// The same for a statement that has at most one row.
    func packOne(
        _ statement: Statement, selecting selection: RowSelection, on connection: Connection
    ) throws -> RowBatch? {
        try packing(statement, on: connection) { packer in
            guard try statement.step() else { return nil }
            if case .columns = selection { try packRow(of: statement, into: packer) }
            return packer.pointee.batch_count > 0 ? takeBatch(at: 0, of: packer) : nil
        }
    }

    private typealias Packer = UnsafeMutablePointer<cachestore_row_packer>

    @inline(__always)
    private func packing<Result>(
        _ statement: Statement, on connection: Connection, _ body: (Packer) throws -> Result
    ) throws -> Result {
        let packer = try connection.rowPacker()
        packer.pointee.form = UnsafePointer(form.pointer)
        packer.pointee.expected_rows = Int32(clamping: expectedRows)
        defer {
            statement.reset()
            cachestore_row_packer_clear(packer)
        }
        return try body(packer)
    }

    private func packRow(of statement: Statement, into packer: Packer) throws(SQLiteError) {
        guard cachestore_pack_row(packer, statement.handle) != 0 else {
            throw SQLiteError(result: SQLITE_NOMEM)
        }
    }

    /// Makes a batch the owner of packed rows.
    private func takeBatch(at index: Int, of packer: Packer) -> RowBatch? {
        guard let batches = packer.pointee.batches, let rows = batches[index].rows else {
            return nil
        }
        defer { batches[index] = cachestore_packed_rows() }
        return RowBatch(
            rows: rows, heap: batches[index].heap,
            heapIsInside: batches[index].heap_is_inside != 0, count: Int(batches[index].count),
            tagBytes: form.tagBytes, cellCount: form.cellCount, resolver: resolver)
    }
}

extension Connection {
    /// Registers the functions that pack rows; once, before a statement calls it.
    func registerRowPacker() throws(SQLiteError) {
        var packer: UnsafeMutablePointer<cachestore_row_packer>?
        let result = cachestore_register_rows(handle, &packer)
        guard result == SQLITE_OK else { throw SQLiteError(result: result) }
        notes.pointee.attachment = UnsafeMutableRawPointer(packer)
    }

    /// What the connection's rows are packed into, by the one thread that has the connection.
    fileprivate func rowPacker() throws(SQLiteError) -> UnsafeMutablePointer<cachestore_row_packer>
    {
        guard let attachment = notes.pointee.attachment else {
            throw SQLiteError(result: SQLITE_MISUSE)
        }
        return attachment.assumingMemoryBound(to: cachestore_row_packer.self)
    }
}
