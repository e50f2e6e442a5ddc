// SPDX-License-Identifier: MIT

/// The checksum of a write-ahead log, which goes on from its head to the first frame, and from each
/// frame to the next: https://sqlite.org/fileformat2.html#checksum_algorithm.
struct LogChecksum: Sendable, Hashable {
    private var first: UInt32 = 0
    private var second: UInt32 = 0

    init() {}

    /// One that was written down, which is the same in both byte orders.
    init(storedIn bytes: [UInt8], at offset: Int) {
        first = bytes.number32(at: offset) ?? 0
        second = bytes.number32(at: offset + 4) ?? 0
    }

    /// Goes on over bytes, a multiple of eight.
    ///
    /// - Parameter isBigEndian: how to read them: as the processor did that began the log.
    mutating func add(_ bytes: [UInt8], _ range: Range<Int>, isBigEndian: Bool) {
        var (one, two) = (first, second)
        bytes[range].withUnsafeBytes { buffer in
            for offset in stride(from: 0, through: buffer.count - 8, by: 8) {
                let a = buffer.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                let b = buffer.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                one &+= (isBigEndian ? UInt32(bigEndian: a) : UInt32(littleEndian: a)) &+ two
                two &+= (isBigEndian ? UInt32(bigEndian: b) : UInt32(littleEndian: b)) &+ one
            }
        }
        (first, second) = (one, two)
    }
}
