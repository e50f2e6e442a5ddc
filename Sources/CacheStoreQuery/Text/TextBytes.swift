// SPDX-License-Identifier: MIT

import Foundation

/// Comparisons of texts by their UTF-8 bytes: SQLite's BINARY collation.
///
/// Swift's own `==` and `<` look at canonical equivalence, SQLite does not.
package enum TextBytes {
    package static func isEqual(_ first: String, _ second: String) -> Bool {
        guard first.utf8.count == second.utf8.count else { return false }
        return compare(first, second) == 0
    }

    /// A negative number, zero or a positive one, as `memcmp` gives it.
    package static func compare(_ first: String, _ second: String) -> Int {
        withBytes(first, second) { first, second in
            let common = min(first.count, second.count)
            if common > 0, let left = first.baseAddress, let right = second.baseAddress {
                let order = memcmp(left, right, common)
                if order != 0 { return Int(order) }
            }
            return first.count - second.count
        }
    }

    package static func hasPrefix(_ text: String, _ prefix: String) -> Bool {
        withBytes(text, prefix) { $0.count >= $1.count && $0.prefix($1.count).elementsEqual($1) }
    }

    package static func hasSuffix(_ text: String, _ suffix: String) -> Bool {
        withBytes(text, suffix) { $0.count >= $1.count && $0.suffix($1.count).elementsEqual($1) }
    }

    package static func contains(_ text: String, _ part: String) -> Bool {
        withBytes(text, part) { text, part in
            guard let first = part.first, let needle = part.baseAddress else { return true }
            guard var position = text.baseAddress else { return false }
            var rest = text.count
            while rest >= part.count {
                let candidates = rest - part.count + 1
                guard let found = memchr(position, Int32(first), candidates) else { return false }
                if memcmp(found, needle, part.count) == 0 { return true }
                let skipped = UnsafeRawPointer(found) - UnsafeRawPointer(position) + 1
                position += skipped
                rest -= skipped
            }
            return false
        }
    }

    private static func withBytes<Result>(
        _ first: String, _ second: String,
        _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        var first = first
        var second = second
        return first.withUTF8 { first in second.withUTF8 { body(first, $0) } }
    }
}
