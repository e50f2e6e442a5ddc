// SPDX-License-Identifier: MIT

import CacheStoreProcess
import Foundation
import Testing

@Suite struct BootIdentityTests {
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/sys/kernel/random/boot_id")))
    func `the identity of this boot stays the same`() throws {
        let identity = try #require(BootIdentity.current)
        #expect(UUID(uuidString: identity.string) != nil)
        #expect(BootIdentity.current == identity)
    }

    @Test func `a missing or empty file is no identity`() throws {
        let temporary = try TemporaryDirectory()
        #expect(BootIdentity(readingFrom: temporary.path(of: "missing")) == nil)
        try temporary.write("\n", to: "empty")
        #expect(BootIdentity(readingFrom: temporary.path(of: "empty")) == nil)
    }

    @Test func `the line's end is not part of the identity`() throws {
        let temporary = try TemporaryDirectory()
        try temporary.write("abc\n", to: "id")
        #expect(
            BootIdentity(readingFrom: temporary.path(of: "id")) == BootIdentity(string: "abc"))
    }
}
