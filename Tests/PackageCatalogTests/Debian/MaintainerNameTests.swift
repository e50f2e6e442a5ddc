// SPDX-License-Identifier: MIT

import Testing

@testable import PackageCatalog

@Suite struct MaintainerNameTests {
    @Test(arguments: [
        ("Archive Team <archive@example.org>", "Archive Team", "archive@example.org"),
        ("  Archive Team  < archive@example.org > ", "Archive Team", "archive@example.org"),
        (#""Lamps, and more" <lamps@example.org>"#, "Lamps, and more", "lamps@example.org"),
        ("A <b> C <c@example.org>", "A <b> C", "c@example.org"),
        ("Archive Team", "Archive Team", ""),
        ("archive@example.org", "", "archive@example.org"),
        ("<archive@example.org>", "", "archive@example.org"),
        ("Archive Team <archive@example.org", "Archive Team", "archive@example.org"),
        ("\"", "\"", ""),
    ])
    func `name and address are told apart`(text: String, name: String, mail: String) {
        #expect(MaintainerName(parsing: text) == MaintainerName(name: name, mail: mail))
    }

    @Test(arguments: ["", "  ", "<>", " < > "])
    func `a field with neither is none`(text: String) {
        #expect(MaintainerName(parsing: text) == nil)
    }

    @Test func `the address stands in for a missing name`() {
        #expect(MaintainerName(name: "", mail: "a@example.org").displayName == "a@example.org")
        #expect(MaintainerName(name: "A", mail: "a@example.org").displayName == "A")
    }
}
