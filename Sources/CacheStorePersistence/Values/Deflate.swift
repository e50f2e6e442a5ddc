// SPDX-License-Identifier: MIT

import CCacheStoreZlib
import Foundation

/// zlib on whole values.
enum Deflate {
    /// The stream, or `nil` where it would not be smaller than the bytes.
    static func compress(_ bytes: Data) -> Data? {
        // Below this nothing is ever saved: the header and trailer alone take 20 bytes.
        guard bytes.count > 64, bytes.count < Int(Int32.max) else { return nil }
        var length = uLongf(bytes.count - 16)
        var output = Data(count: bytes.count - 16)
        let result = output.withUnsafeMutableBytes { output in
            bytes.withUnsafeBytes { input in
                compress2(
                    output.baseAddress?.assumingMemoryBound(to: Bytef.self), &length,
                    input.baseAddress?.assumingMemoryBound(to: Bytef.self), uLong(bytes.count),
                    Z_DEFAULT_COMPRESSION)
            }
        }
        guard result == Z_OK else { return nil }
        return output.prefix(Int(length))
    }

    /// The original bytes, or `nil` where the stream is damaged or has another length.
    static func decompress(_ stream: Data, originalLength: UInt64) -> Data? {
        // A stream cannot grow more than 1032 times (https://zlib.net/zlib_tech.html): a length
        // beyond that is damage, not a reason to ask for the memory.
        guard originalLength <= UInt64(stream.count) * 1032 + 64,
            originalLength < UInt64(Int32.max)
        else { return nil }
        var length = uLongf(originalLength)
        var output = Data(count: Int(originalLength))
        let result = output.withUnsafeMutableBytes { output in
            stream.withUnsafeBytes { input in
                uncompress(
                    output.baseAddress?.assumingMemoryBound(to: Bytef.self), &length,
                    input.baseAddress?.assumingMemoryBound(to: Bytef.self), uLong(stream.count))
            }
        }
        guard result == Z_OK, UInt64(length) == originalLength else { return nil }
        return output
    }

    static func checksum(_ bytes: Data) -> UInt32 {
        bytes.withUnsafeBytes { checksum($0) }
    }

    /// The checksum of bytes that follow others with a known checksum.
    static func checksum(_ bytes: UnsafeRawBufferPointer, after checksum: UInt32 = 0) -> UInt32 {
        // By the function for sizes, since `uInt` is narrower than Int.
        UInt32(
            truncatingIfNeeded: crc32_z(
                uLong(checksum), bytes.baseAddress?.assumingMemoryBound(to: Bytef.self),
                bytes.count))
    }
}
