// SPDX-License-Identifier: MIT

import CacheStoreTestKit
import Testing

@testable import PackageCatalog

@Suite struct ControlParserTests {
    /// Reads a text that arrives in pieces of a size.
    private func stanzas(
        _ bytes: [UInt8], chunkSize: Int = .max,
        fields: Set<ControlField> = Set(ControlField.allCases)
    ) -> [ControlStanza] {
        var parser = ControlParser(fields: fields)
        var found: [ControlStanza] = []
        var start = 0
        while start < bytes.count {
            let end = start + min(chunkSize, bytes.count - start)
            bytes[start..<end].withUnsafeBytes { parser.consume($0) { found.append($0) } }
            start = end
        }
        parser.finish { found.append($0) }
        return found
    }

    private func stanzas(_ text: String, chunkSize: Int = .max) -> [ControlStanza] {
        stanzas(Array(text.utf8), chunkSize: chunkSize)
    }

    private static let example = """
        Package: lantern
        Version: 1:2.0-1
        X-Unknown: passed over
         with its second line
        Description: a light
         It shines.
         .
           - far and wide
         .hidden

        # a remark
        Package: wick
        Version: 3
        """

    @Test(arguments: [1, 2, 3, 7, 64, .max])
    func `stanzas are the same whatever the size of the chunks`(chunkSize: Int) throws {
        let found = stanzas(Self.example, chunkSize: chunkSize)
        try #require(found.count == 2)
        #expect(found[0][.package] == "lantern")
        #expect(found[0][.version] == "1:2.0-1")
        #expect(found[0][.description] == "a light\nIt shines.\n\n  - far and wide\n.hidden")
        #expect(found[0][.section] == nil)
        #expect(found[1][.package] == "wick")
        #expect(found[1][.version] == "3")
        #expect(found.allSatisfy { $0.malformedLineCount == 0 })
    }

    @Test(arguments: [1, 5, .max])
    func `lines may end in CR LF`(chunkSize: Int) {
        let text = Self.example.replacing("\n", with: "\r\n")
        #expect(stanzas(text, chunkSize: chunkSize) == stanzas(Self.example))
    }

    @Test func `a field's name may be in any letter case`() {
        #expect(stanzas("PACKAGE: a\npre-depends: b")[0][.preDepends] == "b")
    }

    @Test func `a field without text is there and empty`() {
        #expect(stanzas("Package: a\nSection:\n")[0][.section] == "")
    }

    @Test func `space around a value is no part of it`() {
        #expect(stanzas("Package: \t a b \t\n")[0][.package] == "a b")
    }

    @Test func `a value may begin on its second line`() {
        #expect(stanzas("Package: a\nDescription:\n first\n")[0][.description] == "\nfirst")
    }

    @Test func `a remark between the lines of a field is no part of it`() {
        #expect(stanzas("Description: one\n# remark\n two\n")[0][.description] == "one\ntwo")
    }

    @Test func `a line of spaces parts stanzas`() {
        #expect(stanzas("Package: a\n \t \nPackage: b\n").count == 2)
    }

    @Test func `blank lines and remarks alone are no stanza`() {
        #expect(stanzas("\n\n# nothing\n\n\n").isEmpty)
    }

    @Test func `bytes that are not UTF-8 become replacement characters`() {
        let bytes = Array("Package: caf".utf8) + [0xE9, 0x0A]
        #expect(stanzas(bytes)[0][.package] == "caf\u{FFFD}")
    }

    @Test func `a line without a colon is counted and the fields around it are read`() {
        let found = stanzas("Package: a\nnonsense\n and more of it\nVersion: 1\n")
        #expect(found[0][.package] == "a")
        #expect(found[0][.version] == "1")
        #expect(found[0].malformedLineCount == 2)
    }

    @Test func `a continuation line with nothing to continue is counted`() {
        let found = stanzas(" lost\nPackage: a\n")
        #expect(found.count == 1)
        #expect(found[0].malformedLineCount == 1)
    }

    @Test func `the first of two fields with one name counts`() {
        let found = stanzas("Package: a\nPackage: b\n")
        #expect(found[0][.package] == "a")
        #expect(found[0].malformedLineCount == 1)
    }

    @Test func `fields that are not wanted are not read`() {
        let found = stanzas(Array(Self.example.utf8), fields: [.package])
        #expect(found.map { $0[.package] } == ["lantern", "wick"])
        #expect(found[0][.version] == nil)
        #expect(found[0][.description] == nil)
    }

    @Test(arguments: [1 << 16, .max])
    func `a line without end is cut off and not kept whole`(chunkSize: Int) throws {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 3 << 20)
        let found = stanzas(
            Array("Package: ".utf8) + long + Array("\nVersion: 1\n".utf8), chunkSize: chunkSize)
        try #require(found.count == 1)
        #expect((found[0][.package]?.utf8.count ?? 0) <= ControlParser.maximumLength)
        #expect(found[0].malformedLineCount > 0)
        #expect(found[0][.version] == "1")
    }

    @Test func `a value of very many lines is cut off`() {
        let lines = String(repeating: " 0123456789012345678901234567890123456789\n", count: 50_000)
        let found = stanzas("Description: a\n" + lines)
        #expect((found[0][.description]?.utf8.count ?? 0) <= ControlParser.maximumLength)
        #expect(found[0].malformedLineCount > 0)
    }

    @Test func `random bytes are read without a trap`() {
        let seed = TestSeed.make()
        print("CACHESTORE_TEST_SEED=\(seed)")
        var random = SeededRandomNumberGenerator(seed: seed)
        let alphabet = Array("Package:\n\r \t#.Version\u{0}x".utf8) + [0xFF, 0xC3]
        for _ in 0..<300 {
            let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
            }
            let whole = stanzas(bytes)
            let pieces = stanzas(bytes, chunkSize: Int.random(in: 1...9, using: &random))
            #expect(whole == pieces, "seed \(seed)")
        }
    }

    @Test func `a number that does not fit is none`() {
        let stanza = stanzas("Size: 99999999999999999999\nInstalled-Size: 42\n")[0]
        #expect(stanza.integer(.size) == nil)
        #expect(stanza.integer(.installedSize) == 42)
        #expect(stanza.integer(.section) == nil)
    }
}
