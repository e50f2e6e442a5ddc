// SPDX-License-Identifier: MIT

import CacheStoreProcess
import Foundation
import Testing

@Suite struct CacheDirectoryTagTests {
    private let temporary: TemporaryDirectory

    init() throws { temporary = try TemporaryDirectory() }

    @Test func `the first 43 bytes are the signature`() throws {
        #expect(try CacheDirectoryTag.write(in: temporary.path) == .written)
        let bytes = try temporary.text(of: "CACHEDIR.TAG").utf8
        #expect(
            String(decoding: bytes.prefix(43), as: UTF8.self)
                == "Signature: 8a477f597d28d172789f06886806bc55")
        #expect(bytes.last == UInt8(ascii: "\n"))
    }

    @Test func `a tag is not written twice`() throws {
        try CacheDirectoryTag.write(in: temporary.path)
        let text = try temporary.text(of: "CACHEDIR.TAG")
        #expect(try CacheDirectoryTag.write(in: temporary.path) == .alreadyTagged)
        #expect(try temporary.text(of: "CACHEDIR.TAG") == text)
    }

    @Test func `a file of another kind is left alone`() throws {
        try temporary.write("mine", to: "CACHEDIR.TAG")
        #expect(try CacheDirectoryTag.write(in: temporary.path) == .occupied)
        #expect(try temporary.text(of: "CACHEDIR.TAG") == "mine")
    }

    @Test func `a symbolic link is not followed`() throws {
        try FileManager.default.createSymbolicLink(
            atPath: temporary.path(of: "CACHEDIR.TAG"), withDestinationPath: "target")
        #expect(try CacheDirectoryTag.write(in: temporary.path) == .occupied)
        #expect(!FileManager.default.fileExists(atPath: temporary.path(of: "target")))
    }

    @Test func `a symbolic link to a real tag is still not a tag`() throws {
        try temporary.write(CacheDirectoryTag.signature, to: "target")
        try FileManager.default.createSymbolicLink(
            atPath: temporary.path(of: "CACHEDIR.TAG"), withDestinationPath: "target")
        #expect(try CacheDirectoryTag.write(in: temporary.path) == .occupied)
    }

    @Test func `a pipe with the name of the tag does not block`() throws {
        #expect(mkfifo(temporary.path(of: "CACHEDIR.TAG"), 0o600) == 0)
        #expect(try CacheDirectoryTag.write(in: temporary.path) == .occupied)
    }
}
