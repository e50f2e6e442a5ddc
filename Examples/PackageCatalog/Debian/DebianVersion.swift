// SPDX-License-Identifier: MIT

/// The version of a package, ordered as dpkg orders versions.
///
/// A version is `[epoch:]upstream[-revision]`. Each part is compared piece by piece: a piece
/// without digits by its characters, where `~` comes before everything, even before the end, and
/// letters come before all others; a piece of digits as a number. See deb-version(7).
///
/// Any text is a version here. What has no proper epoch counts as an upstream version alone, so
/// that a strange entry in an index still has its place in the order. Two versions may be equal
/// and written differently (`1.0` and `1.00`).
struct DebianVersion: Sendable {
    /// The version as it was written.
    let text: String

    init(_ text: String) { self.text = text }

    private struct Parts {
        var epoch: Substring.UTF8View
        var upstream: Substring.UTF8View
        var revision: Substring.UTF8View
    }

    private var parts: Parts {
        let whole = text[...].utf8
        var epoch = whole[whole.startIndex..<whole.startIndex]
        var rest = whole
        if let colon = whole.firstIndex(of: UInt8(ascii: ":")) {
            let before = whole[..<colon]
            if !before.isEmpty, before.allSatisfy({ $0.isDigit }) {
                epoch = before
                rest = whole[whole.index(after: colon)...]
            }
        }
        var revision = rest[rest.endIndex...]
        var upstream = rest
        if let hyphen = rest.lastIndex(of: UInt8(ascii: "-")) {
            upstream = rest[..<hyphen]
            revision = rest[rest.index(after: hyphen)...]
        }
        return Parts(epoch: epoch, upstream: upstream, revision: revision)
    }

    /// How the version compares: negative if it is older than the other, positive if newer.
    private func order(to other: DebianVersion) -> Int {
        if text == other.text { return 0 }
        let (left, right) = (parts, other.parts)
        let epochs = Self.compareNumbers(left.epoch, right.epoch)
        if epochs != 0 { return epochs }
        let upstreams = Self.compare(left.upstream, right.upstream)
        if upstreams != 0 { return upstreams }
        return Self.compare(left.revision, right.revision)
    }

    private static func compare(_ left: Substring.UTF8View, _ right: Substring.UTF8View) -> Int {
        var (left, right) = (left, right)
        while !left.isEmpty || !right.isEmpty {
            let words = compareWords(
                takePrefix(of: &left, digits: false),
                takePrefix(of: &right, digits: false))
            if words != 0 { return words }
            let numbers = compareNumbers(
                takePrefix(of: &left, digits: true),
                takePrefix(of: &right, digits: true))
            if numbers != 0 { return numbers }
        }
        return 0
    }

    private static func takePrefix(
        of text: inout Substring.UTF8View, digits: Bool
    ) -> Substring.UTF8View {
        let end = text.firstIndex { $0.isDigit != digits } ?? text.endIndex
        let prefix = text[..<end]
        text = text[end...]
        return prefix
    }

    private static func compareWords(
        _ left: Substring.UTF8View, _ right: Substring.UTF8View
    ) -> Int {
        var (left, right) = (left.makeIterator(), right.makeIterator())
        while true {
            let (a, b) = (left.next(), right.next())
            if a == nil, b == nil { return 0 }
            let difference = weight(a) - weight(b)
            if difference != 0 { return difference }
        }
    }

    private static func weight(_ byte: UInt8?) -> Int {
        guard let byte else { return 0 }
        if byte == UInt8(ascii: "~") { return -1 }
        let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        return isLetter ? Int(byte) : Int(byte) + 256
    }

    /// Compares runs of digits of any length, without making numbers that might not fit.
    private static func compareNumbers(
        _ left: Substring.UTF8View, _ right: Substring.UTF8View
    ) -> Int {
        let left = left.drop { $0 == UInt8(ascii: "0") }
        let right = right.drop { $0 == UInt8(ascii: "0") }
        if left.count != right.count { return left.count - right.count }
        for (a, b) in zip(left, right) where a != b { return Int(a) - Int(b) }
        return 0
    }
}

extension DebianVersion: Comparable {
    static func == (left: DebianVersion, right: DebianVersion) -> Bool {
        left.order(to: right) == 0
    }

    static func < (left: DebianVersion, right: DebianVersion) -> Bool {
        left.order(to: right) < 0
    }
}

extension DebianVersion: CustomStringConvertible {
    var description: String { text }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
