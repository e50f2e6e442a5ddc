// SPDX-License-Identifier: MIT

import CacheStoreProcess
import Foundation
import Testing

@Suite struct DirectoryTrustTests {
    /// Users whose private groups have their numbers; 50 is the group of many.
    private static func trust(_ user: UInt32) -> DirectoryTrust {
        DirectoryTrust(
            users: UserDatabase(
                effectiveUserID: user, homeDirectory: { _ in nil }, owner: { _ in nil },
                isPrivateGroup: { $0 == $1 && $0 != 50 }))
    }

    private let me = Self.trust(1000)

    @Test(arguments: [0o700, 0o755, 0o1777, 0o1770] as [UInt32])
    func `a directory that only its owner can change is trusted`(mode: UInt32) throws {
        try me.check(owner: 1000, group: 50, mode: mode, path: "/d")
    }

    @Test func `a directory of root is trusted`() throws {
        try me.check(owner: 0, group: 0, mode: 0o755, path: "/d")
    }

    @Test(arguments: [(1000, 1001), (0, 1000)] as [(UInt32, UInt32)])
    func `a directory of another user is not trusted, not even by root`(
        user: UInt32, owner: UInt32
    ) {
        #expect {
            try Self.trust(user).check(owner: owner, group: owner, mode: 0o700, path: "/d")
        } throws: { DirectoryError.Code.untrustedOwner ~= $0 }
    }

    @Test(arguments: [0o777, 0o702, 0o770, 0o775] as [UInt32])
    func `a directory others may write to is not trusted`(mode: UInt32) {
        #expect {
            try me.check(owner: 1000, group: 50, mode: mode, path: "/d")
        } throws: { DirectoryError.Code.worldWritable ~= $0 }
    }

    @Test func `with a private group, as umask 002 makes them, a directory is trusted`() throws {
        try me.check(owner: 1000, group: 1000, mode: 0o775, path: "/d")
        try me.check(owner: 0, group: 0, mode: 0o775, path: "/d")
        try me.check(owner: 0, group: 1000, mode: 0o775, path: "/d")
        // Another user's private group is not ours, and everybody is nobody's.
        #expect(throws: DirectoryError.self) {
            try me.check(owner: 1000, group: 1001, mode: 0o775, path: "/d")
        }
        #expect(throws: DirectoryError.self) {
            try me.check(owner: 1000, group: 1000, mode: 0o777, path: "/d")
        }
    }

    @Test func `a real directory is checked by its real mode`() throws {
        let temporary = try TemporaryDirectory()
        try DirectoryTrust().check(temporary.path)
        #expect(chmod(temporary.path, 0o777) == 0)
        #expect { try DirectoryTrust().check(temporary.path) } throws: {
            DirectoryError.Code.worldWritable ~= $0
        }
    }

    @Test func `a file is not a directory`() throws {
        let temporary = try TemporaryDirectory()
        try temporary.write("", to: "file")
        #expect { try DirectoryTrust().check(temporary.path(of: "file")) } throws: {
            DirectoryError.Code.notADirectory ~= $0
        }
    }
}
