// SPDX-License-Identifier: MIT

import Foundation

extension RowBatch {
    /// The value of an attribute's cell.
    ///
    /// A cell whose storage class does not suit the type gives `.null`, as a missing value would:
    /// what stands in a file is data, and data never traps.
    package func value(row: Int, column: Int, type: AttributeType) -> PropertyValue {
        switch tag(row: row, column: column) {
        case Tag.integer:
            Self.value(integer: integer(row: row, column: column), type: type)
        case Tag.real:
            Self.value(real: real(row: row, column: column), type: type)
        case Tag.text:
            Self.value(text: bytes(row: row, column: column), type: type)
        case Tag.blob:
            Self.value(blob: bytes(row: row, column: column), type: type)
        case Tag.encoded:
            resolved(bytes(row: row, column: column), type: type)
        default: .null
        }
    }

    private func resolved(
        _ bytes: UnsafeRawBufferPointer, type: AttributeType
    ) -> PropertyValue {
        guard let resolver else { return .null }
        do {
            return try resolver.value(ofEncoded: bytes, type: type)
        } catch {
            resolver.couldNotResolve(error)
            return .null
        }
    }

    private static func value(integer: Int64, type: AttributeType) -> PropertyValue {
        switch type.kind {
        case .boolean: .boolean(integer != 0)
        case .double, .float: .double(Double(integer))
        case .date: .date(Date(timeIntervalSince1970: Double(integer)))
        case .decimal: .decimal(Decimal(integer))
        default: type.integerRange == nil ? .null : .integer(integer)
        }
    }

    private static func value(real: Double, type: AttributeType) -> PropertyValue {
        switch type.kind {
        case .double, .float: .double(real)
        case .date: .date(Date(timeIntervalSince1970: real))
        case .decimal: .decimal(Decimal(real))
        default: .null
        }
    }

    private static func value(
        text: UnsafeRawBufferPointer, type: AttributeType
    ) -> PropertyValue {
        let string = String(decoding: text, as: UTF8.self)
        switch type.kind {
        case .string: return .string(string)
        case .decimal:
            return Decimal(string: string, locale: nil).map { .decimal($0) } ?? .null
        case .url: return URL(string: string).map { .url($0) } ?? .null
        default: return .null
        }
    }

    private static func value(
        blob: UnsafeRawBufferPointer, type: AttributeType
    ) -> PropertyValue {
        switch type.kind {
        case .binaryData, .transformable: return .data(Data(blob))
        case .uuid:
            guard blob.count == 16 else { return .null }
            return .uuid(UUID(uuid: blob.loadUnaligned(as: uuid_t.self)))
        default: return .null
        }
    }
}
