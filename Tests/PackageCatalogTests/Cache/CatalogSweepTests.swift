// SPDX-License-Identifier: MIT

import CacheStore
import Testing

@testable import PackageCatalog

@Suite struct CatalogSweepTests {
    private static let lamp = """
        Package: lamp
        Version: 1
        Section: utils
        Maintainer: Lights <lights@example.org>
        Depends: oil
        """
    private static let boat = "Package: boat\nVersion: 1\nSection: net\nDepends: oil, sail"

    @Test(arguments: CatalogFixture.Kind.allCases)
    func `what a finished refresh has not seen is dropped, with all that was its own`(
        kind: CatalogFixture.Kind
    ) throws {
        let fixture = try CatalogFixture(kind)
        try fixture.add(Self.lamp + "\n\n" + Self.boat, refresh: 1)
        try fixture.noteRefresh(1)
        try fixture.add(Self.lamp, refresh: 2)
        try fixture.noteRefresh(2)
        #expect(try CatalogSweep(context: fixture.context).run() == 1)
        fixture.context.reset()
        let names = try fixture.context.fetch(FetchRequest<Package>()).map(\.name)
        // The lamp, and the oil that it needs; no boat, and no sail that nobody else needs.
        #expect(Set(names) == ["lamp", "oil"])
        #expect(try fixture.count(DependencyGroup.self) == 1)
        #expect(try fixture.count(Alternative.self) == 1)
        #expect(try fixture.context.fetch(FetchRequest<Section>()).map(\.name) == ["utils"])
        #expect(try fixture.count(Refresh.self) == 1)
    }

    @Test func `a refresh that was interrupted drops nothing`() throws {
        let fixture = try CatalogFixture()
        try fixture.add(Self.lamp + "\n\n" + Self.boat, refresh: 1)
        try fixture.noteRefresh(1)
        try CatalogSweep(context: fixture.context).run()
        try fixture.add(Self.lamp, refresh: 2)
        try fixture.noteRefresh(2, isFinished: false)
        #expect(try CatalogSweep(context: fixture.context).run() == 0)
        #expect(try fixture.count(Version.self) == 2)
    }

    @Test func `what an interrupted refresh has seen survives the sweep of the one before`() throws
    {
        let fixture = try CatalogFixture()
        try fixture.add(Self.lamp, refresh: 1)
        try fixture.noteRefresh(1)
        try fixture.add(Self.boat, refresh: 2)
        try fixture.noteRefresh(2, isFinished: false)
        try CatalogSweep(context: fixture.context).run()
        #expect(try fixture.count(Version.self) == 2)
    }

    @Test func `a sweep is done once for each refresh`() throws {
        let fixture = try CatalogFixture()
        try fixture.add(Self.lamp, refresh: 1)
        try fixture.noteRefresh(1)
        try CatalogSweep(context: fixture.context).run()
        // Made by hand, without a refresh: a second sweep would drop it.
        fixture.context.insert(Package.self).name = "stray"
        try fixture.context.save()
        try CatalogSweep(context: fixture.context).run()
        #expect(try fixture.package("stray") != nil)
    }

    @Test func `more objects than one batch has are all dropped`() throws {
        let fixture = try CatalogFixture(.file)
        let many = (0..<1_200).map { "Package: p\($0)\nVersion: 1\nDepends: oil" }
        try fixture.add(many.joined(separator: "\n\n"), refresh: 1)
        try fixture.add(Self.lamp, refresh: 2)
        try fixture.noteRefresh(2)
        #expect(try CatalogSweep(context: fixture.context).run() == 1_200)
        #expect(try fixture.count(Version.self) == 1)
        #expect(try fixture.count(Alternative.self) == 1)
    }
}
