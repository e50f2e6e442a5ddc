// SPDX-License-Identifier: MIT

import Foundation

/// A compiled regular expression (ICU syntax) that a whole text has to match.
package final class RegularExpression: @unchecked Sendable {
    // Sendable although Foundation does not say so of NSRegularExpression: it is immutable, and its
    // documentation allows one instance on several threads.
    private let expression: NSRegularExpression
    private let ignoresDiacritics: Bool

    /// Compiles a pattern.
    ///
    /// - Throws: ``QueryError`` with code `invalidPattern`.
    package init(_ pattern: String, options: TextOptions = []) throws(QueryError) {
        ignoresDiacritics = options.contains(.diacriticInsensitive)
        let folded =
            ignoresDiacritics ? TextFolding.fold(pattern, options: .diacriticInsensitive) : pattern
        let flags: NSRegularExpression.Options =
            options.contains(.caseInsensitive) ? [.caseInsensitive] : []
        do {
            // Alone first: inside the group below, "a)(b" would be well formed.
            // (Foundation takes an empty pattern for a mistake; here it matches the empty text.)
            if !folded.isEmpty { _ = try NSRegularExpression(pattern: folded, options: flags) }
            // The line break ends a comment that a pattern in free-spacing mode may end with.
            let ending = folded.contains("#") && folded.contains("(?") ? "\n" : ""
            expression = try NSRegularExpression(
                pattern: "\\A(?:\(folded)\(ending))\\z", options: flags)
        } catch {
            throw QueryError(.invalidPattern, "the regular expression is malformed")
        }
    }

    package func matches(_ text: String) -> Bool {
        let text =
            ignoresDiacritics ? TextFolding.fold(text, options: .diacriticInsensitive) : text
        let range = NSRange(location: 0, length: text.utf16.count)
        return expression.firstMatch(in: text, range: range) != nil
    }

    /// A pattern that a whole text matches where the given one is found anywhere in it.
    package static func anywhere(_ pattern: String) -> String { "(?s:.*)(?:\(pattern))(?s:.*)" }
}
