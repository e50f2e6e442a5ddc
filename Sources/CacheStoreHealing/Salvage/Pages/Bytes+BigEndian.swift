// SPDX-License-Identifier: MIT

/// Numbers as SQLite's files have them, read without trust in the offset
/// (https://sqlite.org/fileformat2.html).
extension [UInt8] {
    func number16(at offset: Int) -> Int? {
        guard offset >= 0, offset <= count - 2 else { return nil }
        return Int(self[offset]) << 8 | Int(self[offset + 1])
    }

    func number32(at offset: Int) -> UInt32? {
        guard offset >= 0, offset <= count - 4 else { return nil }
        return UInt32(self[offset]) << 24 | UInt32(self[offset + 1]) << 16
            | UInt32(self[offset + 2]) << 8 | UInt32(self[offset + 3])
    }

    /// The number of 1 to 9 bytes that starts at an offset, and the offset behind it
    /// (https://sqlite.org/fileformat2.html#varint).
    func varint(at offset: Int) -> (value: Int64, end: Int)? {
        guard offset >= 0 else { return nil }
        var value: UInt64 = 0
        var next = offset
        while next < count {
            let byte = self[next]
            if next - offset == 8 {
                return (Int64(bitPattern: value << 8 | UInt64(byte)), next + 1)
            }
            value = value << 7 | UInt64(byte & 0x7F)
            next += 1
            if byte & 0x80 == 0 { return (Int64(bitPattern: value), next) }
        }
        return nil
    }
}
