// SPDX-License-Identifier: MIT

import Testing

@testable import PackageCatalog

@Suite struct DependencyFieldTests {
    @Test func `groups and their alternatives keep their order`() {
        let field = DependencyField(parsing: "zinc, b | a | c , alpha")
        #expect(field.groups.map { $0.map(\.name) } == [["zinc"], ["b", "a", "c"], ["alpha"]])
        #expect(field.malformed.isEmpty)
    }

    @Test func `an alternative with all there is`() {
        let field = DependencyField(
            parsing: "gcc-13:any(>=1:2.0~rc1-1)[amd64 !i386] <!nocheck cross> <stage1>")
        var expected = DependencyAlternative(name: "gcc-13")
        expected.qualifier = "any"
        expected.relation = .laterOrEqual
        expected.version = "1:2.0~rc1-1"
        expected.architectures = ["amd64", "!i386"]
        expected.profiles = [["!nocheck", "cross"], ["stage1"]]
        #expect(field.groups == [[expected]])
    }

    @Test(arguments: [
        ("<<", DependencyAlternative.Relation.earlier), ("<=", .earlierOrEqual), ("=", .equal),
        (">=", .laterOrEqual), (">>", .later), ("<", .earlierOrEqual), (">", .laterOrEqual),
    ])
    func `each relation is known`(sign: String, relation: DependencyAlternative.Relation) {
        let field = DependencyField(parsing: "a (\(sign) 1)")
        #expect(field.groups.first?.first?.relation == relation)
        #expect(field.groups.first?.first?.version == "1")
    }

    @Test(arguments: [
        "a", "a:any", "a (>= 1.0)", "a:amd64 (<< 2) [linux-any] <!nocheck>", "a [!x y] <b c> <d>",
    ])
    func `an alternative is written as it was read`(text: String) {
        #expect(DependencyField(parsing: text).groups.first?.first?.description == text)
    }

    @Test func `line ends are space`() {
        let field = DependencyField(parsing: "a (>= 1),\n  b\n | c,\n")
        #expect(field.groups.map { $0.map(\.name) } == [["a"], ["b", "c"]])
    }

    @Test func `empty pieces are passed over`() {
        let field = DependencyField(parsing: ", a,, | b ,")
        #expect(field.groups.map { $0.map(\.name) } == [["a"], ["b"]])
        #expect(field.malformed.isEmpty)
        #expect(DependencyField(parsing: "").groups.isEmpty)
    }

    @Test(arguments: [
        "a (>= )", "a (>= 1", "a (~ 1)", "a b", "a:", "(>= 1)", "a [", "a []", "a <x", "${misc}",
        "a (= 1) (= 2)", "é",
    ])
    func `what is no dependency is set aside and the rest is kept`(text: String) {
        let field = DependencyField(parsing: "before, \(text), after")
        #expect(field.groups.map { $0.map(\.name) } == [["before"], ["after"]])
        #expect(field.malformed == [" \(text)"])
    }

    @Test(arguments: [
        ("a (<< 2)", "1", true), ("a (<< 2)", "2", false), ("a (<= 2)", "2", true),
        ("a (= 2)", "2.0", false), ("a (= 2)", "0:2", true), ("a (>= 2)", "2~rc", false),
        ("a (>> 2)", "2+b1", true), ("a (>> 2)", "2", false), ("a", "0", true),
    ])
    func `a version satisfies an alternative or does not`(
        text: String, version: String, holds: Bool
    ) throws {
        let alternative = try #require(DependencyField(parsing: text).groups.first?.first)
        #expect(alternative.isSatisfied(by: DebianVersion(version)) == holds)
    }
}
