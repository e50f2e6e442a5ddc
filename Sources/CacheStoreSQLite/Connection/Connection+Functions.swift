// SPDX-License-Identifier: MIT
import CCacheStoreShims
import CCacheStoreSQLite
import Foundation

extension Connection {
    /// Registers a function for use in SQL.
    ///
    /// - Parameters:
    ///   - name: its name, up to 255 bytes.
    ///   - argumentCount: how many arguments it takes; `nil` for any number.
    ///   - isDeterministic: whether the same arguments always give the same result.
    ///   - isInnocuous: whether the schema may call it too, in an index or a view say.
    ///   - body: gives the result. An error it throws ends the statement; of errors that are no
    ///     ``SQLiteError`` only the type gets into the message, since the rest may hold user data.
    package func registerFunction(
        _ name: String, argumentCount: Int? = nil, isDeterministic: Bool = true,
        isInnocuous: Bool = true, _ body: @escaping (FunctionArguments) throws -> SQLBinding
    ) throws(SQLiteError) {
        try state.check()
        var flags = SQLITE_UTF8
        if isDeterministic { flags |= SQLITE_DETERMINISTIC }
        flags |= isInnocuous ? SQLITE_INNOCUOUS : SQLITE_DIRECTONLY
        // SQLite releases the box by the destructor below, also when it refuses the function
        // (https://sqlite.org/c3ref/create_function.html).
        let result = sqlite3_create_function_v2(
            state.handle, name, argumentCount.map { Int32(clamping: $0) } ?? -1, flags,
            Unmanaged.passRetained(FunctionBox(body)).toOpaque(),
            { context, count, values in
                guard let context, let data = sqlite3_user_data(context) else { return }
                // The box lives as long as the function is registered.
                let box = Unmanaged<FunctionBox>.fromOpaque(data).takeUnretainedValue()
                box.call(context, FunctionArguments(count: Int(count), values: values))
            }, nil, nil,
            { data in
                if let data { Unmanaged<FunctionBox>.fromOpaque(data).release() }
            })
        guard result == SQLITE_OK else { throw state.lastError(result, sql: nil) }
    }

    /// Registers an order of texts. The closure gets the UTF-8 bytes of both, and returns a number
    /// below, at or above zero. It must be a total order, the same in every process that opens the
    /// file: an index made with another one looks damaged.
    package func registerCollation(
        _ name: String,
        _ compare: @escaping (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int32
    ) throws(SQLiteError) {
        try state.check()
        let box = Unmanaged.passRetained(CollationBox(compare))
        let result = sqlite3_create_collation_v2(
            state.handle, name, SQLITE_UTF8, box.toOpaque(),
            { data, leftCount, left, rightCount, right in
                guard let data else { return 0 }
                // The box lives as long as the collation is registered.
                let box = Unmanaged<CollationBox>.fromOpaque(data).takeUnretainedValue()
                return box.compare(
                    UnsafeRawBufferPointer(start: left, count: left == nil ? 0 : Int(leftCount)),
                    UnsafeRawBufferPointer(start: right, count: right == nil ? 0 : Int(rightCount)))
            },
            { data in
                if let data { Unmanaged<CollationBox>.fromOpaque(data).release() }
            })
        guard result == SQLITE_OK else {
            // Unlike the one above, this call leaves the box to us when it fails
            // (https://sqlite.org/c3ref/create_collation.html).
            box.release()
            throw state.lastError(result, sql: nil)
        }
    }
}

private final class CollationBox {
    let compare: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int32

    init(_ compare: @escaping (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int32) {
        self.compare = compare
    }
}

private final class FunctionBox {
    private let body: (FunctionArguments) throws -> SQLBinding

    init(_ body: @escaping (FunctionArguments) throws -> SQLBinding) {
        self.body = body
    }

    func call(_ context: OpaquePointer, _ arguments: FunctionArguments) {
        do {
            setResult(try body(arguments), in: context)
        } catch let error as SQLiteError {
            sqlite3_result_error(context, error.message, -1)
            sqlite3_result_error_code(context, error.code.rawValue)
        } catch {
            sqlite3_result_error(context, "a function failed with \(type(of: error))", -1)
        }
    }

    private func setResult(_ value: SQLBinding, in context: OpaquePointer) {
        switch value {
        case .null: sqlite3_result_null(context)
        case .integer(let value): sqlite3_result_int64(context, value)
        case .real(let value): sqlite3_result_double(context, value)
        case .text(var value):
            value.withUTF8 { cachestore_result_text(context, $0.baseAddress, $0.count) }
        case .blob(let value):
            value.withUnsafeBytes { cachestore_result_blob(context, $0.baseAddress, $0.count) }
        }
    }
}
