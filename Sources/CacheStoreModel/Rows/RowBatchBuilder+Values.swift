// SPDX-License-Identifier: MIT

import Foundation

extension RowBatchBuilder {
    /// Puts a value into a cell of the row being filled; `.null` leaves the cell empty.
    ///
    /// The storage class is the one that the SQLite store uses for the value, so that batches look
    /// the same whichever store they come from.
    package mutating func set(_ column: Int, value: PropertyValue) {
        switch value {
        case .null: break
        case .integer(let integer): set(column, integer: integer)
        case .boolean(let boolean): set(column, integer: boolean ? 1 : 0)
        case .double(let double): set(column, real: double)
        case .date(let date): set(column, real: date.timeIntervalSince1970)
        case .string(let string): set(column, text: string)
        case .decimal(let decimal): set(column, text: decimal.description)
        case .url(let url): set(column, text: url.absoluteString)
        case .data(let data):
            data.withUnsafeBytes { set(column, tag: RowBatch.Tag.blob, bytes: $0) }
        case .uuid(let uuid):
            withUnsafeBytes(of: uuid.uuid) { set(column, tag: RowBatch.Tag.blob, bytes: $0) }
        case .object(let id): set(column, integer: id.key)
        }
    }

    private mutating func set(_ column: Int, text: String) {
        var text = text
        text.withUTF8 { set(column, tag: RowBatch.Tag.text, bytes: UnsafeRawBufferPointer($0)) }
    }
}
