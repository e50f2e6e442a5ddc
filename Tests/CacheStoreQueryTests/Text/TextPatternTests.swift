// SPDX-License-Identifier: MIT

import Testing

@testable import CacheStoreQuery

@Suite struct TextPatternTests {
    @Test(arguments: [
        ("a*", "abc", true), ("a*", "ba", false), ("*a", "cba", true), ("*b*", "abc", true),
        ("a?c", "abc", true), ("a?c", "ac", false), ("*", "", true), ("", "", true),
        ("", "a", false), ("?", "", false), ("**a**", "a", true), ("a*b*c", "a1b2b3c", true),
        ("a*b*c", "a1c2b", false), ("a\\*", "a*", true), ("a\\*", "ab", false),
        ("a\\", "a\\", true), ("?", "é", true), ("a%_", "a%_", true), ("[a]", "a", false),
    ])
    func `a like pattern fits`(_ pattern: String, _ text: String, _ isMatch: Bool) {
        #expect(LikePattern(pattern).matches(text) == isMatch)
    }

    @Test func `a like pattern folds`() {
        let options: TextOptions = [.caseInsensitive, .diacriticInsensitive]
        #expect(LikePattern("É*", options: options).matches("eclair"))
        #expect(!LikePattern("É*").matches("Eclair"))
    }

    @Test func `a like pattern with many stars ends soon`() {
        let pattern = LikePattern(String(repeating: "a*", count: 30) + "b")
        #expect(!pattern.matches(String(repeating: "a", count: 2000)))
    }

    @Test(arguments: [
        ("a|ab", "ab", true), ("a", "ab", false), ("a.c", "abc", true), ("(?x)a # b", "a", true),
        ("", "", true), ("a$", "a\n", false),
    ])
    func `a regular expression matches the whole text`(
        _ pattern: String, _ text: String, _ isMatch: Bool
    ) throws {
        #expect(try RegularExpression(pattern).matches(text) == isMatch)
    }

    @Test func `a regular expression ignores what its options name`() throws {
        #expect(try RegularExpression("É\\w+", options: .caseInsensitive).matches("éCLAIR"))
        #expect(try RegularExpression("e\\w+", options: .diacriticInsensitive).matches("éclair"))
        #expect(try !RegularExpression("e\\w+").matches("éclair"))
    }

    @Test func `bytes are found within bytes`() {
        #expect(TextBytes.contains("abcabd", "abd"))
        #expect(!TextBytes.contains("abcab", "abd"))
        #expect(TextBytes.contains("a", ""))
        #expect(TextBytes.contains("", ""))
        #expect(!TextBytes.contains("", "a"))
        #expect(TextBytes.hasSuffix("abc", "bc"))
        #expect(!TextBytes.hasPrefix("abc", "bc"))
    }
}
