// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import PackageCatalog

@Suite struct IndexReaderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private struct Stop: Error {}

    private func source(_ url: URL) throws -> IndexSource {
        try IndexLocator().source(at: url.path)
    }

    /// A list of so many packages.
    private func list(_ count: Int) -> String {
        (0..<count).map { "Package: p\($0)\nVersion: \($0)\nDescription: one of many\n\n" }.joined()
    }

    /// A reader whose unpacker is a shell script; `$2` is the file to unpack.
    private func reader(unpackingWith script: String) throws -> IndexReader {
        // Another process makes the copy that is run: a program that this one has open to be written
        // would be "busy" as long as a child that another test starts has it open as well.
        let text = try folder.write("#!/bin/sh\n\(script)\n", to: "unpack.txt", mode: 0o755)
        let program = folder.url.appendingPathComponent("unpack")
        let copy = try Process.run(
            URL(fileURLWithPath: "/bin/cp"), arguments: ["-p", text.path, program.path])
        copy.waitUntilExit()
        return IndexReader(aptHelper: program)
    }

    @Test func `a plain list is read in chunks`() throws {
        let text = list(20_000)
        let source = try source(folder.write(text, to: "x_Packages"))
        var count = 0
        var steps: [Int] = []
        try IndexReader().forEachStanza(of: source, progress: { steps.append($0) }) { stanza in
            #expect(stanza[.version] == String(count))
            count += 1
        }
        #expect(count == 20_000)
        #expect(steps.count > 1)
        #expect(steps.last == text.utf8.count)
    }

    @Test func `a compressed list is read through the unpacker's output`() throws {
        let source = try source(folder.write(list(20_000), to: "x_Packages.lz4"))
        let reader = try reader(unpackingWith: #"test "$1" = cat-file && cat "$2""#)
        var count = 0
        try reader.forEachStanza(of: source) { _ in count += 1 }
        #expect(count == 20_000)
    }

    @Test func `an unpacker that fails is an error, after the stanzas that came`() throws {
        let source = try source(folder.write("", to: "x_Packages.gz"))
        let reader = try reader(unpackingWith: "echo Package: a; exit 3")
        var count = 0
        let error = #expect(throws: IndexError.self) {
            try reader.forEachStanza(of: source) { _ in count += 1 }
        }
        #expect(error?.code == .unpackerFailed)
        #expect(count == 1)
    }

    @Test func `a missing unpacker is an error`() throws {
        let source = try source(folder.write("", to: "x_Packages.gz"))
        let reader = IndexReader(aptHelper: folder.url.appendingPathComponent("missing"))
        let error = #expect(throws: IndexError.self) {
            try reader.forEachStanza(of: source) { _ in }
        }
        #expect(error?.code == .noUnpacker)
    }

    @Test func `a list that has gone is an error`() throws {
        let file = try folder.write("", to: "x_Packages")
        let source = try source(file)
        try FileManager.default.removeItem(at: file)
        let error = #expect(throws: IndexError.self) {
            try IndexReader().forEachStanza(of: source) { _ in }
        }
        #expect(error?.code == .unreadable)
    }

    @Test(.timeLimit(.minutes(1)))
    func `what the caller throws ends an unpacker that would go on for ever`() throws {
        let source = try source(folder.write("", to: "x_Packages.gz"))
        let reader = try reader(unpackingWith: #"while echo "Package: a"; do echo; done"#)
        #expect(throws: Stop.self) { try reader.forEachStanza(of: source) { _ in throw Stop() } }
    }

    private static let aptHelper = IndexReader().aptHelper.path

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: aptHelper)))
    func `a list that gzip made is read by apt's unpacker`() throws {
        let plain = try folder.write(list(300), to: "x_Packages")
        let gzip = try Process.run(
            URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", "gzip '\(plain.path)'"])
        gzip.waitUntilExit()
        let source = try source(folder.url.appendingPathComponent("x_Packages.gz"))
        var count = 0
        try IndexReader().forEachStanza(of: source) { _ in count += 1 }
        #expect(count == 300)
    }

    private static let slow = ProcessInfo.processInfo.environment["CACHESTORE_SLOW_TESTS"] == "1"

    @Test(.enabled(if: slow))
    func `every list of this machine is read without a malformed line`() throws {
        for source in try IndexLocator().sources(includingArchives: true) {
            var count = 0
            try IndexReader().forEachStanza(of: source) { stanza in
                count += 1
                #expect(stanza.malformedLineCount == 0)
                #expect(stanza[.package] != nil)
                let depends = DependencyField(parsing: stanza[.depends] ?? "")
                #expect(depends.malformed.isEmpty)
            }
            print("\(source.label): \(count) packages")
        }
    }
}
