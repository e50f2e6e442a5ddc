// SPDX-License-Identifier: MIT

import CCacheStoreSQLite
import CacheStoreSQLite

/// Writes the rows of one table into the new database.
final class RowWriter {
    enum Result {
        case written
        /// A row with the same key or unique value gave way.
        case replaced(isSameRow: Bool)
        /// There is a row with the same key or unique value.
        case hasRival(isSameRow: Bool)
        /// A constraint of the table is violated in another way.
        case refused
    }

    private let layout: TableLayout
    private let connection: Connection
    private let encoding: TextEncoding
    /// By the number of columns, since rows from before a column was added have fewer, and take the
    /// default for the rest.
    private var statements: [Int: (insert: Statement, replace: Statement)] = [:]

    init(_ layout: TableLayout, on connection: Connection, _ encoding: TextEncoding) {
        self.layout = layout
        self.connection = connection
        self.encoding = encoding
    }

    func write(_ cell: CellReader.Cell, replacesRivals: Bool) throws -> Result {
        let count = cell.record.fields.count
        guard count <= layout.columns.count, layout.isWithoutRowID == (cell.rowID == nil) else {
            return .refused
        }
        let (insert, replace) = try statements(count)
        guard let error = try failure(of: insert, writing: cell) else { return .written }
        switch error {
        case .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID:
            if !replacesRivals { return .hasRival(isSameRow: true) }
            return try failure(of: replace, writing: cell) == nil
                ? .replaced(isSameRow: true) : .refused
        case .SQLITE_CONSTRAINT_UNIQUE:
            if !replacesRivals { return .hasRival(isSameRow: false) }
            return try failure(of: replace, writing: cell) == nil
                ? .replaced(isSameRow: false) : .refused
        default: return .refused
        }
    }

    /// Returns why a row is not taken; throws what says nothing about the row.
    private func failure(
        of statement: Statement, writing cell: CellReader.Cell
    ) throws -> SQLiteError.ResultCode? {
        do {
            try run(statement, cell)
            return nil
        } catch let error as SQLiteError {
            switch error.classification {
            // Programming: a value that is too big, or one that a strict table does not take.
            case .constraint, .programming: return error.code
            default: throw error
            }
        }
    }

    private func statements(_ count: Int) throws -> (insert: Statement, replace: Statement) {
        if let prepared = statements[count] { return prepared }
        var names = layout.columns.prefix(count).filter { !$0.isGenerated && !$0.isRowID }
            .map(\.name)
        if let rowID = layout.rowIDName { names.insert(rowID, at: 0) }
        let list = names.map { SQLFragment.quoted($0) }.joined(separator: ", ")
        let values = names.map { _ in "?" }.joined(separator: ", ")
        let rest =
            names.isEmpty
            ? " INTO \(SQLFragment.quoted(layout.name)) DEFAULT VALUES"
            : " INTO \(SQLFragment.quoted(layout.name)) (\(list)) VALUES (\(values))"
        let prepared = (
            insert: try connection.prepare(sql: "INSERT" + rest),
            replace: try connection.prepare(sql: "INSERT OR REPLACE" + rest)
        )
        statements[count] = prepared
        return prepared
    }

    private func run(_ statement: Statement, _ cell: CellReader.Cell) throws {
        // Bound without a copy: the bytes stay until the statement has run and forgets them.
        try cell.record.bytes.withUnsafeBytes { bytes in
            defer {
                statement.reset()
                statement.clearBindings()
            }
            var index: Int32 = 1
            if layout.rowIDName != nil, let rowID = cell.rowID {
                try statement.bind(rowID, at: index)
                index += 1
            }
            for (column, field) in zip(layout.columns, cell.record.fields)
            where !column.isGenerated && !column.isRowID {
                try bind(field, of: bytes, to: statement, at: index)
                index += 1
            }
            _ = try statement.step()
        }
    }

    private func bind(
        _ field: Record.Field, of bytes: UnsafeRawBufferPointer, to statement: Statement,
        at index: Int32
    ) throws {
        switch field.content {
        case .null: try statement.bindNull(at: index)
        case .integer(let value): try statement.bind(value, at: index)
        case .real(let value): try statement.bind(value, at: index)
        case .blob:
            try statement.bindStatic(
                blob: UnsafeRawBufferPointer(rebasing: bytes[field.range]), at: index)
        case .text where encoding == .utf8:
            try statement.bindStatic(
                utf8: UnsafeRawBufferPointer(rebasing: bytes[field.range]), at: index)
        case .text:
            let code = sqlite3_bind_text64(
                statement.handle, index,
                bytes.baseAddress?.advanced(by: field.range.lowerBound)
                    .assumingMemoryBound(to: CChar.self), UInt64(field.range.count), nil,
                encoding.rawValue)
            guard code == SQLITE_OK else { throw SQLiteError(result: code) }
        }
    }
}
