// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import PackageCatalog

@Suite struct IndexLocatorTests {
    private let folder: TemporaryFolder
    private let locator: IndexLocator

    init() throws {
        folder = try TemporaryFolder()
        locator = IndexLocator(
            statusFile: folder.url.appendingPathComponent("dpkg/status"),
            listsDirectory: folder.url.appendingPathComponent("lists"),
            sampleFile: folder.url.appendingPathComponent("sample"))
    }

    private func paths(includingArchives: Bool) throws -> [String] {
        try locator.sources(includingArchives: includingArchives).map(\.url.lastPathComponent)
    }

    @Test func `what is installed is read alone unless all is asked for`() throws {
        try folder.write("Package: a\n", to: "dpkg/status")
        try folder.write("", to: "lists/x_main_binary-amd64_Packages")
        try folder.write("", to: "sample")
        #expect(try paths(includingArchives: false) == ["status"])
        #expect(
            try paths(includingArchives: true) == ["status", "x_main_binary-amd64_Packages"])
    }

    @Test func `only package lists are taken, in the order of their names`() throws {
        try folder.write("", to: "dpkg/status")
        for name in [
            "b_Packages.lz4", "a_Packages", "c_Packages.gz", "a_InRelease", "lock",
            "d_Packages.diff_Index.gz", "e_Translation-en", "f_Packages.gz.part",
        ] {
            try folder.write("", to: "lists/" + name)
        }
        try folder.write("", to: "lists/partial/z_Packages")
        #expect(
            try paths(includingArchives: true)
                == ["status", "a_Packages", "b_Packages.lz4", "c_Packages.gz"])
    }

    @Test func `the sample stands in where there is nothing else`() throws {
        try folder.write("Package: a\n", to: "sample")
        let sources = try locator.sources(includingArchives: true)
        #expect(sources.map(\.kind) == [.sample])
        #expect(sources.first?.byteCount == 11)
    }

    @Test func `no list at all is an error`() throws {
        let error = #expect(throws: IndexError.self) {
            try locator.sources(includingArchives: true)
        }
        #expect(error?.code == .noIndex)
    }

    @Test func `a named file that is missing or a folder is an error`() throws {
        for path in [folder.url.path, folder.url.path + "/missing"] {
            let error = #expect(throws: IndexError.self) { try locator.source(at: path) }
            #expect(error?.code == .unreadable)
        }
    }

    @Test(arguments: [
        (
            "deb.example.org_debian_dists_stable_main_binary-amd64_Packages.lz4",
            "deb.example.org stable main amd64"
        ),
        ("deb.example.org_._Packages", "deb.example.org ."),
    ])
    func `a list of apt is called by its archive`(name: String, label: String) {
        let url = URL(fileURLWithPath: "/lists/" + name)
        #expect(IndexSource(kind: .archive, url: url, byteCount: 0).label == label)
    }

    @Test func `the sample of the program is found and read to its end`() throws {
        let file = try #require(IndexLocator.findSample())
        let source = try IndexLocator().source(at: file.path)
        var names: Set<String> = []
        var malformed = 0
        try IndexReader().forEachStanza(of: source) { stanza in
            names.insert(stanza[.package] ?? "")
            malformed += stanza.malformedLineCount
            for field in [ControlField.depends, .preDepends, .recommends, .provides] {
                malformed += DependencyField(parsing: stanza[field] ?? "").malformed.count
            }
        }
        #expect(names.count >= 50)
        #expect(!names.contains(""))
        #expect(malformed == 0)
    }
}
