// SPDX-License-Identifier: MIT

/// A write-ahead log, read without SQLite: https://sqlite.org/fileformat2.html#walformat.
struct LogSurvey: Sendable, Hashable {
    enum End: Sendable, Hashable {
        /// Everything that belongs to the log can be read.
        case whole
        /// A transaction was being written when the log ended.
        case unfinished
        /// A frame does not fit, and behind it are ends of transactions of the same log.
        case brokenBeforeCommit
        /// The header does not fit: SQLite ignores the log.
        case notALog
    }

    /// Frames whose checksum fits, from the beginning.
    private(set) var validFrames = 0
    /// Those up to the last end of a transaction.
    private(set) var committedFrames = 0
    private(set) var end = End.whole

    private static let headerLength = 32
    private static let frameHeaderLength = 24

    init(_ file: RawFile, size: Int64) throws {
        let header = try file.read(count: Self.headerLength)
        let magic = Self.number(header, 0)
        guard header.count == Self.headerLength, magic & ~1 == 0x377F_0682 else {
            end = .notALog
            return
        }
        let isBigEndian = magic & 1 == 1
        let pageSize = Int(Self.number(header, 8))
        var sum = Checksum()
        sum.add(header[0..<24], isBigEndian: isBigEndian)
        guard (512...65_536).contains(pageSize), pageSize.nonzeroBitCount == 1,
            sum.first == Self.number(header, 24), sum.second == Self.number(header, 28)
        else {
            end = .notALog
            return
        }
        let salts = header[16..<24]
        let frameLength = Self.frameHeaderLength + pageSize
        var offset = Int64(Self.headerLength)
        var isBroken = false
        while offset + Int64(frameLength) <= size {
            let frame = try file.read(count: frameLength, at: offset)
            guard frame.count == frameLength else { break }
            offset += Int64(frameLength)
            let isOfThisLog = frame[8..<16].elementsEqual(salts)
            let isCommit = Self.number(frame, 4) != 0
            if isBroken {
                if isOfThisLog, isCommit {
                    end = .brokenBeforeCommit
                    return
                }
                continue
            }
            var next = sum
            next.add(frame[0..<8], isBigEndian: isBigEndian)
            next.add(frame[Self.frameHeaderLength...], isBigEndian: isBigEndian)
            guard isOfThisLog, next.first == Self.number(frame, 16),
                next.second == Self.number(frame, 20)
            else {
                isBroken = true
                // Also where it is the end of a transaction: who was killed while he wrote it was told
                // of no success yet.
                if isOfThisLog { end = .unfinished }
                continue
            }
            sum = next
            validFrames += 1
            if isCommit { committedFrames = validFrames }
        }
        if end == .whole, committedFrames < validFrames { end = .unfinished }
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        guard offset + 4 <= bytes.count else { return 0 }
        return bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private struct Checksum {
        var first: UInt32 = 0
        var second: UInt32 = 0

        mutating func add(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) {
            var (one, two) = (first, second)
            bytes.withUnsafeBytes { buffer in
                for offset in stride(from: 0, to: buffer.count - 7, by: 8) {
                    let a = buffer.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                    let b = buffer.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                    one &+= (isBigEndian ? UInt32(bigEndian: a) : UInt32(littleEndian: a)) &+ two
                    two &+= (isBigEndian ? UInt32(bigEndian: b) : UInt32(littleEndian: b)) &+ one
                }
            }
            (first, second) = (one, two)
        }
    }
}
