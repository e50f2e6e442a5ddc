// SPDX-License-Identifier: MIT

import Foundation

/// What can be told about a write-ahead log without SQLite
/// (https://sqlite.org/fileformat2.html#the_write_ahead_log).
///
/// SQLite ends a log at the first frame that does not fit, without a word. That is right for what a
/// crash has cut off, but commits behind a damaged frame go with it. Here they are counted: frames
/// behind it that fit the sum in the frame before them, and are of the same run of the log.
struct LogInspection: Sendable, Hashable {
    /// Commits that SQLite will replay.
    private(set) var commits = 0
    /// Commits behind the first frame that does not fit: at least so many are lost.
    private(set) var lostCommits = 0

    /// `nil` where there is no log that could be read. O(log).
    init?(path: String) {
        guard let file = try? RawFile(reading: path), let header = try? file.read(count: 32),
            header.count == 32
        else { return nil }
        let magic = Self.number(header, 0)
        guard magic & ~1 == 0x377F_0682 else { return nil }
        let pageSize = Int(Self.number(header, 8))
        guard (512...65_536).contains(pageSize), pageSize.nonzeroBitCount == 1 else { return nil }
        let isBigEndian = magic & 1 == 1

        var sum = Sum()
        sum.add(header, 0..<24, isBigEndian)
        var isWhole = sum == Sum(header, 24)
        // The salts of the header, or where that is damaged those of the frames.
        var salts: ArraySlice<UInt8>? = isWhole ? header[16..<24] : nil
        var before: Sum? = Sum(header, 24)
        let frameSize = 24 + pageSize
        let framesAtOnce = max(1, (1 << 20) / frameSize)
        var offset: Int64 = 32
        while let bytes = try? file.read(count: framesAtOnce * frameSize, at: offset),
            bytes.count >= frameSize
        {
            for start in stride(from: 0, through: bytes.count - frameSize, by: frameSize) {
                let frameSalts = bytes[start + 8..<start + 16]
                if salts == nil { salts = frameSalts }
                guard let known = salts, frameSalts.elementsEqual(known) else {
                    // Of an earlier run of the log, or not a frame any more.
                    isWhole = false
                    before = nil
                    continue
                }
                var fits = false
                if var sum = before {
                    sum.add(bytes, start..<start + 8, isBigEndian)
                    sum.add(bytes, start + 24..<start + frameSize, isBigEndian)
                    fits = sum == Sum(bytes, start + 16)
                }
                if !fits { isWhole = false }
                before = Sum(bytes, start + 16)
                let isCommit = Self.number(bytes, start + 4) != 0
                if fits && isCommit {
                    if isWhole { commits += 1 } else { lostCommits += 1 }
                }
            }
            offset += Int64(bytes.count / frameSize * frameSize)
        }
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// SQLite's checksum of a log, which goes on from frame to frame.
    private struct Sum: Equatable {
        var first: UInt32 = 0
        var second: UInt32 = 0

        init() {}

        /// The one that is stored at a place.
        init(_ bytes: [UInt8], _ offset: Int) {
            first = LogInspection.number(bytes, offset)
            second = LogInspection.number(bytes, offset + 4)
        }

        mutating func add(_ bytes: [UInt8], _ range: Range<Int>, _ isBigEndian: Bool) {
            bytes.withUnsafeBytes { buffer in
                for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                    let one = buffer.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                    let two = buffer.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                    first &+= (isBigEndian ? one.bigEndian : one.littleEndian) &+ second
                    second &+= (isBigEndian ? two.bigEndian : two.littleEndian) &+ first
                }
            }
        }
    }
}
