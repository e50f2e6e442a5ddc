// SPDX-License-Identifier: MIT

/// Who looks after a package: a name and a mail address, of which one may be missing.
struct MaintainerName: Sendable, Hashable {
    /// The name, without quotation marks; empty where only an address is given.
    let name: String
    /// The mail address; empty where only a name is given.
    let mail: String

    init(name: String, mail: String) {
        self.name = name
        self.mail = mail
    }

    /// Reads a `Maintainer` field: `Name <mail>`, a bare name or a bare address.
    ///
    /// `nil` where the field has neither.
    init?(parsing text: String) {
        // The last angle bracket counts: a name may contain one.
        if let open = text.lastIndex(of: "<") {
            let close = text[open...].firstIndex(of: ">") ?? text.endIndex
            name = Self.clean(text[..<open])
            mail = Self.trim(text[text.index(after: open)..<close])
        } else if text.contains("@"), !Self.trim(text[...]).contains(" ") {
            name = ""
            mail = Self.trim(text[...])
        } else {
            name = Self.clean(text[...])
            mail = ""
        }
        if name.isEmpty && mail.isEmpty { return nil }
    }

    /// What to show a person: the name, or the address where there is no name.
    var displayName: String { name.isEmpty ? mail : name }

    private static func clean(_ text: Substring) -> String {
        let name = trim(text)
        guard name.count >= 2, name.hasPrefix("\""), name.hasSuffix("\"") else { return name }
        return trim(name.dropFirst().dropLast())
    }

    private static func trim(_ text: Substring) -> String {
        var text = text.drop { $0.isWhitespace }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
