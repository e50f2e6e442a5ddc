// SPDX-License-Identifier: MIT

import CacheStoreModel
import Foundation

// Codecs that read a packed cell without making a PropertyValue first: the types that most
// attributes have.

final class IntegerCodec<Value: FixedWidthInteger & AttributeConvertible>: ConvertibleCodec<Value> {
    override func decode(_ batch: RowBatch, row: Int, column: Int) -> Value? {
        guard batch.tag(row: row, column: column) == RowBatch.Tag.integer else { return nil }
        return Value(exactly: batch.integer(row: row, column: column))
    }
}

final class BooleanCodec: ConvertibleCodec<Bool> {
    override func decode(_ batch: RowBatch, row: Int, column: Int) -> Bool? {
        guard batch.tag(row: row, column: column) == RowBatch.Tag.integer else { return nil }
        return batch.integer(row: row, column: column) != 0
    }
}

final class DoubleCodec: ConvertibleCodec<Double> {
    override func decode(_ batch: RowBatch, row: Int, column: Int) -> Double? {
        guard batch.tag(row: row, column: column) == RowBatch.Tag.real else {
            return super.decode(batch, row: row, column: column)
        }
        return batch.real(row: row, column: column)
    }
}

final class DateCodec: ConvertibleCodec<Date> {
    override func decode(_ batch: RowBatch, row: Int, column: Int) -> Date? {
        guard batch.tag(row: row, column: column) == RowBatch.Tag.real else {
            return super.decode(batch, row: row, column: column)
        }
        return Date(timeIntervalSince1970: batch.real(row: row, column: column))
    }
}

final class StringCodec: ConvertibleCodec<String> {
    override func decode(_ batch: RowBatch, row: Int, column: Int) -> String? {
        guard batch.tag(row: row, column: column) == RowBatch.Tag.text else {
            return super.decode(batch, row: row, column: column)
        }
        return String(decoding: batch.bytes(row: row, column: column), as: UTF8.self)
    }
}

extension AttributeCodec where Value: AttributeConvertible {
    /// The quickest codec there is for a type that is an attribute type by itself.
    static func fastest() -> AttributeCodec<Value> {
        if let optional = Value.self as? any OptionalAttribute.Type,
            let codec = optional.makeCodec() as? AttributeCodec<Value>
        {
            return codec
        }
        let codec: AnyAttributeCodec? =
            switch Value.attributeType.kind {
            case .integer64: Value.self == Int.self ? IntegerCodec<Int>() : IntegerCodec<Int64>()
            case .integer32: IntegerCodec<Int32>()
            case .integer16: IntegerCodec<Int16>()
            case .integer8: IntegerCodec<Int8>()
            case .boolean: BooleanCodec()
            case .double: DoubleCodec()
            case .date: DateCodec()
            case .string: StringCodec()
            default: nil
            }
        return codec as? AttributeCodec<Value> ?? ConvertibleCodec<Value>()
    }
}

/// The optional form of an attribute type, as its own codec sees it.
private protocol OptionalAttribute {
    static func makeCodec() -> AnyAttributeCodec
}

extension Optional: OptionalAttribute where Wrapped: AttributeConvertible {
    static func makeCodec() -> AnyAttributeCodec {
        OptionalCodec(AttributeCodec<Wrapped>.fastest())
    }
}
