// SPDX-License-Identifier: MIT

/// A row as it is in a page (https://sqlite.org/fileformat2.html#record_format).
struct Record {
    struct Field {
        enum Content {
            case null, integer(Int64), real(Double), text, blob
        }

        let content: Content
        let range: Range<Int>
    }

    let bytes: [UInt8]
    let fields: [Field]

    /// `nil` where the bytes are no record.
    init?(_ bytes: [UInt8]) {
        guard let head = bytes.varint(at: 0), head.value >= Int64(head.end),
            head.value <= Int64(bytes.count)
        else { return nil }
        let end = Int(head.value)
        var next = head.end
        var offset = end
        var fields: [Field] = []
        while next < end {
            guard let type = bytes.varint(at: next), type.end <= end, type.value >= 0,
                let length = Self.length(type.value), length <= bytes.count - offset
            else { return nil }
            let range = offset..<offset + length
            fields.append(Field(content: Self.content(type.value, bytes, range), range: range))
            next = type.end
            offset += length
        }
        // SQLite's own limit (https://sqlite.org/limits.html).
        guard !fields.isEmpty, fields.count <= 32_767 else { return nil }
        self.bytes = bytes
        self.fields = fields
    }

    /// Whether what begins at a place is the head of a record that fills a length, and no byte less.
    ///
    /// - Parameter local: the part of the record that is in these bytes.
    static func fills(_ length: Int, at local: Range<Int>, of bytes: [UInt8]) -> Bool {
        guard let head = bytes.varint(at: local.lowerBound), head.value > 1,
            head.value <= Int64(local.count)
        else { return false }
        let end = local.lowerBound + Int(head.value)
        var next = head.end
        var rest = length - Int(head.value)
        while next < end {
            guard let type = bytes.varint(at: next), type.end <= end, type.value >= 0,
                let length = Self.length(type.value), length <= rest
            else { return false }
            next = type.end
            rest -= length
        }
        return rest == 0
    }

    /// Whether all texts are texts, where that can be told.
    func hasSoundTexts(_ encoding: TextEncoding) -> Bool {
        encoding != .utf8
            || fields.allSatisfy { field in
                guard case .text = field.content else { return true }
                return String(validating: bytes[field.range], as: UTF8.self) != nil
            }
    }

    private static func length(_ type: Int64) -> Int? {
        switch type {
        case 0, 8, 9: 0
        case 1...4: Int(type)
        case 5: 6
        case 6, 7: 8
        case 12...: Int((type - 12) / 2)
        default: nil
        }
    }

    private static func content(
        _ type: Int64, _ bytes: [UInt8], _ range: Range<Int>
    ) -> Field.Content {
        switch type {
        case 0: return .null
        case 8: return .integer(0)
        case 9: return .integer(1)
        case 1...6:
            let isNegative = bytes[range.lowerBound] & 0x80 != 0
            let value = bytes[range].reduce(isNegative ? UInt64.max : 0) { $0 << 8 | UInt64($1) }
            return .integer(Int64(bitPattern: value))
        case 7:
            return .real(Double(bitPattern: bytes[range].reduce(0) { $0 << 8 | UInt64($1) }))
        default: return type % 2 == 0 ? .blob : .text
        }
    }

    func integer(_ index: Int) -> Int64? {
        guard fields.indices.contains(index), case .integer(let value) = fields[index].content
        else { return nil }
        return value
    }

    func text(_ index: Int, _ encoding: TextEncoding) -> String? {
        guard fields.indices.contains(index), case .text = fields[index].content else { return nil }
        return encoding.string(bytes[fields[index].range])
    }

    func isNull(_ index: Int) -> Bool {
        guard fields.indices.contains(index) else { return true }
        if case .null = fields[index].content { return true }
        return false
    }
}

/// How a database has its texts (https://sqlite.org/fileformat2.html#text_encoding).
enum TextEncoding: UInt8, Sendable {
    case utf8 = 1
    case utf16LittleEndian = 2
    case utf16BigEndian = 3

    init(of header: DatabaseHeader?) {
        self = header.flatMap { TextEncoding(rawValue: UInt8(clamping: $0.textEncoding)) } ?? .utf8
    }

    /// The name for `PRAGMA encoding`.
    var name: String {
        switch self {
        case .utf8: "UTF-8"
        case .utf16LittleEndian: "UTF-16le"
        case .utf16BigEndian: "UTF-16be"
        }
    }

    func string(_ bytes: ArraySlice<UInt8>) -> String {
        if self == .utf8 { return String(decoding: bytes, as: UTF8.self) }
        let start = bytes.startIndex
        let units = (0..<bytes.count / 2).map { index -> UInt16 in
            let first = UInt16(bytes[start + 2 * index])
            let second = UInt16(bytes[start + 2 * index + 1])
            return self == .utf16BigEndian ? first << 8 | second : second << 8 | first
        }
        return String(decoding: units, as: UTF16.self)
    }
}
