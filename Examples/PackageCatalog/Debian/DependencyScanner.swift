// SPDX-License-Identifier: MIT

/// Reads one alternative of a dependency field from left to right.
struct DependencyScanner {
    private var rest: Substring.UTF8View

    init(_ text: Substring.UTF8View) {
        rest = text
        skipSpace()
    }

    /// Whether nothing but space is left.
    var isAtEnd: Bool { rest.isEmpty }

    /// Reads the whole alternative, or returns `nil` if the text is not one.
    mutating func scanAlternative() -> DependencyAlternative? {
        guard let name = scanWord(while: Self.isNameByte) else { return nil }
        var alternative = DependencyAlternative(name: name)
        if skip(UInt8(ascii: ":")) {
            guard let qualifier = scanWord(while: Self.isNameByte) else { return nil }
            alternative.qualifier = qualifier
        }
        skipSpace()
        while let opening = rest.first {
            rest.removeFirst()
            switch opening {
            case UInt8(ascii: "("):
                guard alternative.version == nil, scanVersion(into: &alternative) else {
                    return nil
                }
            case UInt8(ascii: "["):
                guard alternative.architectures.isEmpty, let words = scanWords(to: "]") else {
                    return nil
                }
                alternative.architectures = words
            case UInt8(ascii: "<"):
                guard let words = scanWords(to: ">") else { return nil }
                alternative.profiles.append(words)
            default:
                return nil
            }
            skipSpace()
        }
        return alternative
    }

    /// Reads `>= version)`.
    private mutating func scanVersion(into alternative: inout DependencyAlternative) -> Bool {
        skipSpace()
        guard let sign = scanWord(while: Self.isSignByte),
            let relation = DependencyAlternative.Relation(sign: sign)
        else { return false }
        skipSpace()
        guard let version = scanWord(while: Self.isVersionByte) else { return false }
        skipSpace()
        guard skip(UInt8(ascii: ")")) else { return false }
        alternative.relation = relation
        alternative.version = version
        return true
    }

    /// Reads words up to a closing bracket; at least one.
    private mutating func scanWords(to closing: Unicode.Scalar) -> [String]? {
        let closing = UInt8(ascii: closing)
        var words: [String] = []
        skipSpace()
        while !skip(closing) {
            guard
                let word = scanWord(while: { !Self.isSpace($0) && $0 != closing })
            else { return nil }
            words.append(word)
            skipSpace()
        }
        return words.isEmpty ? nil : words
    }

    private mutating func scanWord(while isPart: (UInt8) -> Bool) -> String? {
        let end = rest.firstIndex { !isPart($0) } ?? rest.endIndex
        guard end > rest.startIndex else { return nil }
        let word = String(Substring(rest[..<end]))
        rest = rest[end...]
        return word
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func skipSpace() { rest = rest.drop(while: Self.isSpace) }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
    }

    private static func isSignByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "<") || byte == UInt8(ascii: "=") || byte == UInt8(ascii: ">")
    }

    private static func isVersionByte(_ byte: UInt8) -> Bool {
        !isSpace(byte) && byte != UInt8(ascii: ")")
    }

    /// Names are of letters, digits and `+-.`; an underscore is seen in the wild.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
