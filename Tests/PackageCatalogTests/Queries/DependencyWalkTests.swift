// SPDX-License-Identifier: MIT

import CacheStore
import Testing

@testable import PackageCatalog

@Suite struct DependencyWalkTests {
    private func walk(
        _ fixture: CatalogFixture, _ direction: DependencyWalk.Direction, from name: String,
        recursive: Bool = false
    ) throws -> [String]? {
        try DependencyWalk(context: fixture.context, direction: direction)
            .names(from: name, recursive: recursive)
    }

    /// Stanzas made of `name: dependencies / provides`.
    private func stanzas(_ lines: String...) -> String {
        lines.map { line in
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            let rest = parts[1].split(separator: "/", omittingEmptySubsequences: false)
            var text = "Package: \(parts[0])\nVersion: 1\n"
            if !rest[0].allSatisfy(\.isWhitespace) { text += "Depends: \(rest[0])\n" }
            if rest.count > 1 { text += "Provides: \(rest[1])\n" }
            return text
        }
        .joined(separator: "\n")
    }

    @Test(arguments: CatalogFixture.Kind.allCases)
    func `one step gives what a package names itself`(kind: CatalogFixture.Kind) throws {
        let fixture = try CatalogFixture(kind)
        try fixture.add(stanzas("a: b, c | d", "b: e", "c: ", "d: ", "e: "))
        #expect(try walk(fixture, .dependencies, from: "a") == ["b", "c", "d"])
        #expect(try walk(fixture, .dependents, from: "b") == ["a"])
    }

    @Test(arguments: CatalogFixture.Kind.allCases)
    func `a circle is walked once and ends`(kind: CatalogFixture.Kind) throws {
        let fixture = try CatalogFixture(kind)
        try fixture.add(stanzas("a: b", "b: c", "c: a, d", "d: d"))
        #expect(
            try walk(fixture, .dependencies, from: "a", recursive: true) == ["b", "c", "d"])
        #expect(try walk(fixture, .dependents, from: "d", recursive: true) == ["a", "b", "c"])
    }

    @Test(arguments: CatalogFixture.Kind.allCases)
    func `a virtual package leads on to those that provide it`(kind: CatalogFixture.Kind) throws {
        let fixture = try CatalogFixture(kind)
        try fixture.add(stanzas("mail: transport", "exim: libc / transport", "libc: "))
        #expect(
            try walk(fixture, .dependencies, from: "mail", recursive: true)
                == ["exim", "libc", "transport"])
        // Who needs the library needs not name it: the mail program works with exim.
        #expect(try walk(fixture, .dependents, from: "libc", recursive: true) == ["exim", "mail"])
        #expect(try walk(fixture, .dependents, from: "transport") == ["mail"])
    }

    @Test func `what is only recommended or in conflict is not followed`() throws {
        let fixture = try CatalogFixture()
        try fixture.add(
            "Package: a\nVersion: 1\nPre-Depends: b\nRecommends: c\nSuggests: d\nConflicts: e")
        #expect(try walk(fixture, .dependencies, from: "a") == ["b"])
        #expect(try walk(fixture, .dependents, from: "c") == [])
    }

    @Test func `a package that is not there gives nothing`() throws {
        let fixture = try CatalogFixture()
        #expect(try walk(fixture, .dependencies, from: "nothing") == nil)
    }

    @Test func `a long chain needs no recursion, and a wide level no long query`() throws {
        let fixture = try CatalogFixture(.file)
        let chain = (0..<300).map { "Package: c\($0)\nVersion: 1\nDepends: c\($0 + 1)" }
        let fan = (0..<1_500).map { "Package: f\($0)\nVersion: 1\nDepends: c0" }
        try fixture.add((chain + fan + ["Package: c300\nVersion: 1"]).joined(separator: "\n\n"))
        #expect(try walk(fixture, .dependencies, from: "f7", recursive: true)?.count == 301)
        #expect(try walk(fixture, .dependents, from: "c300", recursive: true)?.count == 1_800)
    }
}
