// SPDX-License-Identifier: MIT

import Testing

@testable import CacheStoreQuery

@Suite struct TextFoldingTests {
    private static let both: TextOptions = [.caseInsensitive, .diacriticInsensitive]

    @Test(arguments: [
        ("Straße", "STRASSE"), ("ΟΔΟΣ", "οδος"), ("ΟΔΟΣ", "οδοσ"), ("ÅNGSTRÖM", "angstrom"),
        ("I", "i"), ("İ", "i"), ("ﬁn", "FIN"), ("Ǆ", "ǆ"), ("Tiếng Việt", "TIENG VIET"),
    ])
    func `texts that differ in case and diacritics fold to the same`(
        _ first: String, _ second: String
    ) {
        let folded = TextFolding.fold(first, options: Self.both)
        #expect(TextBytes.isEqual(folded, TextFolding.fold(second, options: Self.both)))
    }

    @Test(arguments: ["Straße", "ΟΔΟΣ", "İ", "ﬁ", "Å", "ᾳ", "ŉ", "ǰ", "\u{345}", "नमस्ते", "e\u{301}"])
    func `folding twice is folding once`(_ text: String) {
        for options in [Self.both, .caseInsensitive, .diacriticInsensitive] {
            let once = TextFolding.fold(text, options: options)
            #expect(TextBytes.isEqual(TextFolding.fold(once, options: options), once))
        }
    }

    @Test func `vowel signs are no diacritics`() {
        let folded = TextFolding.fold("नमस्ते", options: .diacriticInsensitive)
        #expect(TextBytes.isEqual(folded, "नमस्ते"))
    }

    @Test func `without options nothing changes`() {
        #expect(TextBytes.isEqual(TextFolding.fold("É", options: []), "É"))
    }
}
