// SPDX-License-Identifier: MIT

import CacheStore
import Testing

@testable import PackageCatalog

@Suite struct PackageSearchTests {
    private static let list = """
        Package: vim
        Version: 2
        Description: Vi IMproved, an EDITOR

        Package: cafe
        Version: 1
        Description: serves café
        Depends: editor-of-dreams

        Package: sea-editor
        Version: 1
        Description: for maps
        """

    @Test(arguments: CatalogFixture.Kind.allCases)
    func `names and summaries are searched, whatever the case`(kind: CatalogFixture.Kind) throws {
        let fixture = try CatalogFixture(kind)
        try fixture.add(Self.list)
        let search = PackageSearch(context: fixture.context)
        // A name that stands in dependencies only is no package.
        #expect(try search.find("editor").map(\.name) == ["sea-editor", "vim"])
        #expect(try search.find("CAFE").map(\.name) == ["cafe"])
        #expect(try search.find("nothing of the kind").isEmpty)
    }

    @Test func `a description shows the newest version in full`() throws {
        let fixture = try CatalogFixture()
        try fixture.add(
            Self.list
                + "\n\nPackage: vim\nVersion: 10\nDescription: newer\nDepends: a | b (>= 1), c")
        let package = try #require(try fixture.package("vim"))
        let lines = PackageDescription(of: package).text.split(separator: "\n")
        #expect(lines.prefix(3) == ["Package: vim", "Version: 10 all", "Version: 2 all"])
        #expect(lines.contains("Depends: a | b (>= 1), c"))
        #expect(lines.contains("Description: newer"))
    }

    @Test func `statistics count packages that have a version`() throws {
        let fixture = try CatalogFixture()
        try fixture.add(Self.list)
        let counts = try CatalogStatistics(context: fixture.context).counts()
        #expect(counts.first { $0.name == "packages" }?.count == 3)
        #expect(counts.first { $0.name == "alternatives" }?.count == 1)
    }
}
