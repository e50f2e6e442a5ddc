// SPDX-License-Identifier: MIT
public import CCacheStoreSQLite
public import Foundation

/// The storage class of a value.
@usableFromInline
package enum ColumnType: Int32, Sendable {
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
    case null = 5
}

/// Reading the current row, by position from 0. Only after `step()` returned `true`; a position
/// out of range reads as NULL (https://sqlite.org/c3ref/column_blob.html).
extension Statement {
    @inlinable package var columnCount: Int { Int(sqlite3_column_count(handle)) }

    package func columnName(at index: Int) -> String {
        sqlite3_column_name(handle, Int32(index)).map { String(cString: $0) } ?? ""
    }

    @inlinable package func type(at index: Int32) -> ColumnType {
        ColumnType(rawValue: sqlite3_column_type(handle, index)) ?? .null
    }

    @inlinable package func isNull(at index: Int32) -> Bool {
        sqlite3_column_type(handle, index) == SQLITE_NULL
    }

    /// The integer, converted by SQLite's rules where the value is none; 0 for NULL.
    @inlinable package func int64(at index: Int32) -> Int64 {
        sqlite3_column_int64(handle, index)
    }

    /// The number, converted by SQLite's rules where the value is none; 0 for NULL.
    @inlinable package func double(at index: Int32) -> Double {
        sqlite3_column_double(handle, index)
    }

    /// The text, `nil` for NULL. Bytes that are not UTF-8 are replaced.
    @inlinable package func text(at index: Int32) -> String? {
        // The text first, then its length: the other order may convert (see the page above).
        guard let bytes = sqlite3_column_text(handle, index) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, index))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// A copy of the bytes, `nil` for NULL.
    @inlinable package func data(at index: Int32) -> Data? {
        if isNull(at: index) { return nil }
        return withBlob(at: index) { Data($0) }
    }

    /// Calls a closure with the bytes of a blob or text, which are valid only inside it. NULL and an
    /// empty blob both give an empty buffer.
    @inlinable package func withBlob<T, E: Error>(
        at index: Int32, _ body: (UnsafeRawBufferPointer) throws(E) -> T
    ) throws(E) -> T {
        let bytes = sqlite3_column_blob(handle, index)
        let count = Int(sqlite3_column_bytes(handle, index))
        return try body(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
    }

    /// The value with its storage class.
    package func value(at index: Int32) -> SQLBinding {
        switch type(at: index) {
        case .integer: .integer(int64(at: index))
        case .real: .real(double(at: index))
        case .text: .text(text(at: index) ?? "")
        case .blob: .blob(data(at: index) ?? Data())
        case .null: .null
        }
    }
}
