// SPDX-License-Identifier: MIT
import CCacheStoreSQLite
package import Foundation

/// The arguments of a call of an SQL function, read by position from 0. Valid during the call only.
package struct FunctionArguments {
    package let count: Int
    // SQLite's array of values, alive during the call.
    private let values: UnsafeMutablePointer<OpaquePointer?>?

    init(count: Int, values: UnsafeMutablePointer<OpaquePointer?>?) {
        self.count = count
        self.values = values
    }

    private func value(_ index: Int) -> OpaquePointer? {
        precondition(index >= 0 && index < count, "the function was called with fewer arguments")
        return values?[index]
    }

    package func type(at index: Int) -> ColumnType {
        ColumnType(rawValue: sqlite3_value_type(value(index))) ?? .null
    }

    package func isNull(at index: Int) -> Bool { type(at: index) == .null }
    package func int64(at index: Int) -> Int64 { sqlite3_value_int64(value(index)) }
    package func double(at index: Int) -> Double { sqlite3_value_double(value(index)) }

    /// The text, `nil` for NULL. Bytes that are not UTF-8 are replaced.
    package func text(at index: Int) -> String? {
        withUTF8(at: index) { $0.map { String(decoding: $0, as: UTF8.self) } }
    }

    /// Calls a closure with the bytes of the text, `nil` for NULL.
    package func withUTF8<T>(
        at index: Int, _ body: (UnsafeRawBufferPointer?) throws -> T
    ) rethrows -> T {
        guard let bytes = sqlite3_value_text(value(index)) else { return try body(nil) }
        let count = Int(sqlite3_value_bytes(value(index)))
        return try body(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    /// A copy of the bytes, `nil` for NULL.
    package func data(at index: Int) -> Data? {
        if isNull(at: index) { return nil }
        guard let bytes = sqlite3_value_blob(value(index)) else { return Data() }
        return Data(bytes: bytes, count: Int(sqlite3_value_bytes(value(index))))
    }

    /// The value with its storage class.
    package func binding(at index: Int) -> SQLBinding {
        switch type(at: index) {
        case .integer: .integer(int64(at: index))
        case .real: .real(double(at: index))
        case .text: .text(text(at: index) ?? "")
        case .blob: .blob(data(at: index) ?? Data())
        case .null: .null
        }
    }
}
