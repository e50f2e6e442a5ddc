// SPDX-License-Identifier: MIT
public import CCacheStoreShims
public import CCacheStoreSQLite
public import Foundation

extension Statement {
    @inlinable package func bind(_ value: Int64, at index: Int32) throws(SQLiteError) {
        try confirm(sqlite3_bind_int64(handle, index, value))
    }

    /// Binds a number. SQLite has no NaN: it becomes NULL.
    @inlinable package func bind(_ value: Double, at index: Int32) throws(SQLiteError) {
        try confirm(sqlite3_bind_double(handle, index, value))
    }

    @inlinable package func bindNull(at index: Int32) throws(SQLiteError) {
        try confirm(sqlite3_bind_null(handle, index))
    }

    /// Binds a copy of the text.
    @inlinable package func bind(_ value: String, at index: Int32) throws(SQLiteError) {
        var value = value
        let result = value.withUTF8 {
            cachestore_bind_text(handle, index, $0.baseAddress, $0.count)
        }
        try confirm(result)
    }

    /// Binds a copy of the bytes. Empty data is an empty blob, not NULL.
    @inlinable package func bind(_ value: Data, at index: Int32) throws(SQLiteError) {
        let result = value.withUnsafeBytes {
            cachestore_bind_blob(handle, index, $0.baseAddress, $0.count)
        }
        try confirm(result)
    }

    /// Binds a copy of the bytes.
    @inlinable package func bind(
        _ bytes: UnsafeRawBufferPointer, at index: Int32
    ) throws(SQLiteError) {
        try confirm(cachestore_bind_blob(handle, index, bytes.baseAddress, bytes.count))
    }

    /// Binds a copy of the bytes.
    @inlinable package func bind(_ bytes: [UInt8], at index: Int32) throws(SQLiteError) {
        let result = bytes.withUnsafeBytes {
            cachestore_bind_blob(handle, index, $0.baseAddress, $0.count)
        }
        try confirm(result)
    }

    /// Binds a copy of text that is UTF-8 already.
    @inlinable package func bindTransient(
        utf8 bytes: UnsafeRawBufferPointer, at index: Int32
    ) throws(SQLiteError) {
        try confirm(cachestore_bind_text(handle, index, bytes.baseAddress, bytes.count))
    }

    /// Binds text that is UTF-8 already, without a copy. The bytes stay unchanged and alive until
    /// the parameter is bound again or cleared, or the statement is gone.
    @inlinable package func bindStatic(
        utf8 bytes: UnsafeRawBufferPointer, at index: Int32
    ) throws(SQLiteError) {
        try confirm(cachestore_bind_text_static(handle, index, bytes.baseAddress, bytes.count))
    }

    /// Binds bytes without a copy; see ``bindStatic(utf8:at:)``.
    @inlinable package func bindStatic(
        blob bytes: UnsafeRawBufferPointer, at index: Int32
    ) throws(SQLiteError) {
        try confirm(cachestore_bind_blob_static(handle, index, bytes.baseAddress, bytes.count))
    }

    package func bind(_ value: SQLBinding, at index: Int32) throws(SQLiteError) {
        switch value {
        case .null: try bindNull(at: index)
        case .integer(let value): try bind(value, at: index)
        case .real(let value): try bind(value, at: index)
        case .text(let value): try bind(value, at: index)
        case .blob(let value): try bind(value, at: index)
        }
    }

    /// Binds values from the first parameter on. Their number must be the number of parameters: a
    /// parameter that was forgotten would be NULL and find nothing, silently.
    package func bind(_ values: [SQLBinding]) throws(SQLiteError) {
        guard values.count == parameterCount else {
            throw SQLiteError(
                code: .SQLITE_RANGE,
                message: "\(values.count) values for \(parameterCount) parameters", sql: sql)
        }
        var index: Int32 = 0
        for value in values {
            index += 1
            try bind(value, at: index)
        }
    }

    @inlinable func confirm(_ result: Int32) throws(SQLiteError) {
        if result != SQLITE_OK { throw failure(result) }
    }
}
