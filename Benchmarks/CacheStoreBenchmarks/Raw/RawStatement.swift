// SPDX-License-Identifier: MIT

import CCacheStoreSQLite

/// A prepared statement of the rival; it finalises itself.
final class RawStatement {
    private let pointer: OpaquePointer
    private let connection: OpaquePointer

    init(_ connection: OpaquePointer, _ sql: String) throws {
        self.connection = connection
        var prepared: OpaquePointer?
        guard
            sqlite3_prepare_v3(
                connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
                == SQLITE_OK, let prepared
        else { throw BenchmarkError(String(cString: sqlite3_errmsg(connection))) }
        pointer = prepared
    }

    deinit { sqlite3_finalize(pointer) }

    /// Whether there is a row.
    func step() throws -> Bool {
        switch sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw BenchmarkError(String(cString: sqlite3_errmsg(connection)))
        }
    }

    func reset() { sqlite3_reset(pointer) }

    func bind(_ value: Int64, at index: Int32) { sqlite3_bind_int64(pointer, index, value) }

    func bind(_ value: Double, at index: Int32) { sqlite3_bind_double(pointer, index, value) }

    /// Binds text that must stay where it is until the statement is reset, so that SQLite need not
    /// copy it.
    func bind(_ text: UnsafeBufferPointer<UInt8>, at index: Int32) {
        text.withMemoryRebound(to: CChar.self) {
            _ = sqlite3_bind_text(pointer, index, $0.baseAddress, Int32($0.count), nil)
        }
    }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(pointer, column) }

    func double(_ column: Int32) -> Double { sqlite3_column_double(pointer, column) }

    func text(_ column: Int32) -> String {
        let start = sqlite3_column_text(pointer, column)
        let count = Int(sqlite3_column_bytes(pointer, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}
