// SPDX-License-Identifier: MIT

import Foundation

/// The form of a text in which differences of case or of diacritics are gone.
///
/// The in-memory evaluation and the SQL functions of the SQLite store both fold with this, so that
/// they agree on every text. It depends on the Unicode data of the Swift runtime and on no locale.
package enum TextFolding {
    /// Folds a text. Folding twice gives the same as folding once.
    ///
    /// Without options the text comes back as it is. With options it is also decomposed
    /// canonically, so that composed and decomposed letters are the same.
    package static func fold(_ text: String, options: TextOptions) -> String {
        guard !options.isEmpty else { return text }
        let isCaseInsensitive = options.contains(.caseInsensitive)
        let isDiacriticInsensitive = options.contains(.diacriticInsensitive)
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            return isCaseInsensitive ? text.lowercased() : text
        }
        var folded = String.UnicodeScalarView()
        for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars {
            if isDiacriticInsensitive, isDiacritic(scalar) { continue }
            guard isCaseInsensitive else {
                folded.append(scalar)
                continue
            }
            // Up and down again: "ß" becomes "ss" and a final sigma a plain one, which lowercasing
            // alone would leave apart from "SS" and from a capital sigma.
            for upper in scalar.properties.uppercaseMapping.unicodeScalars {
                folded.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
            }
        }
        let result = String(folded)
        // Mappings may give composed letters, or a mark that only now can be dropped.
        guard isCaseInsensitive else { return result }
        let decomposed = result.decomposedStringWithCanonicalMapping
        guard isDiacriticInsensitive else { return decomposed }
        return String(
            String.UnicodeScalarView(decomposed.unicodeScalars.filter { !isDiacritic($0) }))
    }

    /// Whether a scalar is a mark on a letter that readers take for the same without it.
    ///
    /// Only the blocks of combining marks: the vowel signs of Indic, Thai or Arabic writing are
    /// letters to those who read them.
    private static func isDiacritic(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0300...0x036F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F:
            true
        default: false
        }
    }
}
