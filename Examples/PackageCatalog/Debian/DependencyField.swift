// SPDX-License-Identifier: MIT

/// The contents of a field such as `Depends`: groups that must all hold, each of which holds when
/// one of its alternatives does.
struct DependencyField: Sendable, Equatable {
    /// The groups, in the order of the field; the alternatives of each, the preferred one first.
    private(set) var groups: [[DependencyAlternative]] = []

    /// The pieces of the field that are no dependency, as they were written.
    ///
    /// They are left out of ``groups``: an index is not ours to correct, and the package that
    /// carries the mistake is still worth listing.
    private(set) var malformed: [String] = []

    /// Reads a field.
    init(parsing text: String) {
        for group in Self.split(text.utf8[...], at: UInt8(ascii: ",")) {
            var alternatives: [DependencyAlternative] = []
            for piece in Self.split(group, at: UInt8(ascii: "|")) {
                var scanner = DependencyScanner(piece)
                if scanner.isAtEnd { continue }
                if let alternative = scanner.scanAlternative() {
                    alternatives.append(alternative)
                } else {
                    malformed.append(String(Substring(piece)))
                }
            }
            if !alternatives.isEmpty { groups.append(alternatives) }
        }
    }

    private static func split(
        _ text: Substring.UTF8View, at separator: UInt8
    ) -> [Substring.UTF8View] {
        text.split(separator: separator, omittingEmptySubsequences: true)
    }
}
