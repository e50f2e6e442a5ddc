// SPDX-License-Identifier: MIT

import CacheStore
import Testing

@testable import PackageCatalog

@Suite struct BatchImporterTests {
    private static let lamp = """
        Package: lamp
        Version: 1.0-1
        Architecture: amd64
        Status: install ok installed
        Section: utils
        Maintainer: Lights Team <lights@example.org>
        Depends: wick (>= 2) | thread:any, oil
        Recommends: matches
        Provides: light-source (= 1)
        Description: gives light
         For a while.
        """

    @Test(arguments: CatalogFixture.Kind.allCases)
    func `an entry becomes a package, its version and what belongs to it`(
        kind: CatalogFixture.Kind
    ) throws {
        let fixture = try CatalogFixture(kind)
        try fixture.add(Self.lamp)
        let package = try #require(try fixture.package("lamp"))
        let version = try #require(package.versions.first)
        #expect(version.number == "1.0-1")
        #expect(version.isInstalled)
        #expect(version.summary == "gives light")
        #expect(version.details == "For a while.")
        #expect(version.section?.name == "utils")
        #expect(version.maintainer?.mail == "lights@example.org")
        #expect(version.provides.map(\.name) == ["light-source"])
    }

    @Test(arguments: CatalogFixture.Kind.allCases)
    func `dependencies and their alternatives keep their order`(
        kind: CatalogFixture.Kind
    ) throws {
        let fixture = try CatalogFixture(kind)
        try fixture.add(Self.lamp)
        let version = try #require(try fixture.package("lamp")?.versions.first)
        let texts = version.groups.map { group in
            "\(group.kind): " + group.alternatives.map(\.text).joined(separator: " | ")
        }
        #expect(
            texts == ["depends: wick (>= 2) | thread:any", "depends: oil", "recommends: matches"])
    }

    @Test(arguments: CatalogFixture.Kind.allCases)
    func `the same entries once more change nothing but the number of the refresh`(
        kind: CatalogFixture.Kind
    ) throws {
        let fixture = try CatalogFixture(kind)
        try fixture.add(Self.lamp, refresh: 1)
        let before = try fixture.package("lamp")?.versions.first?.objectID
        let groups = Set(try fixture.context.objectIDs(for: FetchRequest<DependencyGroup>()))
        try fixture.add(Self.lamp, refresh: 2)
        let version = try #require(try fixture.package("lamp")?.versions.first)
        #expect(version.objectID == before)
        #expect(version.lastSeen == 2)
        #expect(try fixture.count(Package.self) == 6)
        #expect(try fixture.count(Version.self) == 1)
        #expect(Set(try fixture.context.objectIDs(for: FetchRequest<DependencyGroup>())) == groups)
    }

    @Test(arguments: CatalogFixture.Kind.allCases)
    func `changed dependencies replace the old ones`(kind: CatalogFixture.Kind) throws {
        let fixture = try CatalogFixture(kind)
        try fixture.add(Self.lamp, refresh: 1)
        try fixture.add(
            "Package: lamp\nVersion: 1.0-1\nArchitecture: amd64\nDepends: battery", refresh: 2)
        let version = try #require(try fixture.package("lamp")?.versions.first)
        #expect(version.groups.map { $0.alternatives.map(\.text) } == [["battery"]])
        #expect(try fixture.count(DependencyGroup.self) == 1)
        #expect(try fixture.count(Alternative.self) == 1)
        #expect(version.provides.isEmpty)
    }

    @Test func `versions and architectures of one package are kept apart`() throws {
        let fixture = try CatalogFixture()
        try fixture.add(
            """
            Package: lamp
            Version: 1.9
            Architecture: amd64

            Package: lamp
            Version: 1.10
            Architecture: amd64

            Package: lamp
            Version: 1.10
            Architecture: i386
            """)
        let versions = try #require(try fixture.package("lamp")?.versionsByAge)
        #expect(versions.map(\.number) == ["1.10", "1.10", "1.9"])
        #expect(versions.map(\.architecture) == ["amd64", "i386", "amd64"])
    }

    @Test func `an installed version stays so when an archive has it too`() throws {
        let fixture = try CatalogFixture()
        try fixture.add(Self.lamp, refresh: 1)
        try fixture.add("Package: lamp\nVersion: 1.0-1\nArchitecture: amd64\nSize: 7", refresh: 1)
        let version = try #require(try fixture.package("lamp")?.versions.first)
        #expect(version.isInstalled)
        #expect(version.downloadSize == 7)
    }

    @Test func `a version that is installed no more is not marked so after a refresh`() throws {
        let fixture = try CatalogFixture()
        try fixture.add(Self.lamp, refresh: 1)
        try fixture.add("Package: lamp\nVersion: 1.0-1\nArchitecture: amd64", refresh: 2)
        #expect(try fixture.package("lamp")?.versions.first?.isInstalled == false)
    }

    @Test func `entries without a name or a version are passed over`() {
        #expect(
            CatalogFixture.entries("Package: lamp\n\nVersion: 1\n\nPackage: x\nVersion: 1").count
                == 1)
    }
}
