// SPDX-License-Identifier: MIT

import CacheStoreProcess
import Foundation
import Testing

@Suite struct CacheDirectoryTests {
    /// User 1000, whose home is `/home/passwd` by the password database; owners as given.
    private static func users(
        id: UInt32 = 1000, home: String? = "/home/passwd", owners: [String: UInt32] = [:]
    ) -> UserDatabase {
        UserDatabase(effectiveUserID: id, homeDirectory: { _ in home }, owner: { owners[$0] })
    }

    private static func resolve(
        _ environment: [String: String], users: UserDatabase = users()
    ) throws -> CacheDirectory {
        try CacheDirectory.resolve(environment: environment, users: users)
    }

    private static let everything = [
        "CACHE_DIRECTORY": "/var/cache/service", "XDG_CACHE_HOME": "/xdg", "HOME": "/home/me",
    ]

    @Test func `an explicit directory comes before everything`() throws {
        let directory = try CacheDirectory.resolve(
            explicit: URL(filePath: "/data/my store/"), environment: Self.everything)
        #expect(directory.path == "/data/my store")
        #expect(directory.origin == .explicit)
    }

    @Test func `an explicit URL that is no file is refused`() throws {
        let url = try #require(URL(string: "https://example.org/x"))
        #expect { try CacheDirectory.resolve(explicit: url, environment: [:]) } throws: {
            DirectoryError.Code.notAbsolute ~= $0
        }
    }

    @Test func `an explicit URL with a NUL in its path is refused`() throws {
        let url = try #require(URL(string: "file:///tmp/a%00b"))
        #expect { try CacheDirectory.resolve(explicit: url, environment: [:]) } throws: {
            DirectoryError.Code.notAbsolute ~= $0
        }
    }

    @Test func `the service manager's directory comes before XDG's`() throws {
        let directory = try Self.resolve(Self.everything)
        #expect(directory.path == "/var/cache/service")
        #expect(directory.origin == .serviceManager)
    }

    @Test func `of several directories of the service manager the first absolute one counts`()
        throws
    {
        #expect(try Self.resolve(["CACHE_DIRECTORY": "/x:/y"]).path == "/x")
        #expect(try Self.resolve(["CACHE_DIRECTORY": ":rel:/y"]).path == "/y")
    }

    @Test func `XDG_CACHE_HOME comes before HOME`() throws {
        let directory = try Self.resolve(["XDG_CACHE_HOME": "/xdg//", "HOME": "/home/me"])
        #expect(directory.path == "/xdg")
        #expect(directory.origin == .xdgCacheHome)
    }

    @Test(arguments: ["", "relative", "./x", "../x", "~"])
    func `a relative XDG_CACHE_HOME is ignored`(value: String) throws {
        let directory = try Self.resolve(["XDG_CACHE_HOME": value, "HOME": "/home/me"])
        #expect(directory.path == "/home/me/.cache")
        #expect(directory.origin == .home)
    }

    @Test(arguments: ["", "relative", ":", "a:b"])
    func `a relative CACHE_DIRECTORY is ignored`(value: String) throws {
        #expect(try Self.resolve(["CACHE_DIRECTORY": value, "HOME": "/h"]).path == "/h/.cache")
    }

    @Test(arguments: [[:], ["HOME": ""], ["HOME": "home/me"]])
    func `without a usable HOME the password database is asked`(
        environment: [String: String]
    ) throws {
        let directory = try Self.resolve(environment)
        #expect(directory.path == "/home/passwd/.cache")
        #expect(directory.origin == .passwordDatabase)
    }

    @Test(arguments: [nil, "", "nowhere"])
    func `without any home the error says so`(home: String?) {
        #expect { try Self.resolve([:], users: Self.users(home: home)) } throws: {
            DirectoryError.Code.noHomeDirectory ~= $0
        }
    }

    @Test func `HOME may be the root directory`() throws {
        #expect(try Self.resolve(["HOME": "/"]).path == "/.cache")
    }

    @Test func `root keeps out of another user's home, as sudo may leave it`() throws {
        let owners: [String: UInt32] = ["/home/me": 1000, "/root": 0, "/": 0]
        let root = Self.users(id: 0, home: "/root", owners: owners)
        for environment in [
            ["HOME": "/home/me"], ["XDG_CACHE_HOME": "/home/me/.cache/deep"],
            ["HOME": "/home/me", "XDG_CACHE_HOME": "/home/me/.cache"],
        ] {
            let directory = try Self.resolve(environment, users: root)
            #expect(directory.path == "/root/.cache")
            #expect(directory.origin == .passwordDatabase)
            #expect(directory.avoidsHomeOfAnotherUser)
        }
        for home in ["/root", "/missing"] {
            let directory = try Self.resolve(["HOME": home], users: root)
            #expect(directory.path == home + "/.cache")
            #expect(!directory.avoidsHomeOfAnotherUser)
        }
        // Whoever is not root cannot do harm there.
        let other = Self.users(id: 1001, owners: owners)
        #expect(try Self.resolve(["HOME": "/home/me"], users: other).path == "/home/me/.cache")
    }

    @Test func `a group with a user's name and no others is private`() {
        let users = UserDatabase.system
        // Root's group is the only one that every system has.
        #expect(users.isPrivateGroup(0, 0))
        #expect(!users.isPrivateGroup(0, 1))
        #expect(!users.isPrivateGroup(gid_t.max - 7, 0))
    }

    @Test func `the real environment leads to an absolute directory`() throws {
        #expect(try CacheDirectory.resolve().path.hasPrefix("/"))
    }

    @Test func `the password database of this machine knows this user`() {
        let users = UserDatabase.system
        #expect(users.homeDirectory(users.effectiveUserID)?.hasPrefix("/") == true)
        #expect(users.homeDirectory(UInt32.max - 7) == nil)
    }

    @Test func `the application and the namespace are appended`() throws {
        let directory = try Self.resolve(["HOME": "/h"])
        #expect(
            try directory.directory(applicationIdentifier: "org.example.A")
                == "/h/.cache/org.example.A")
        #expect(
            try directory.directory(applicationIdentifier: "org.example.A", namespace: "me")
                == "/h/.cache/org.example.A/me")
    }

    @Test func `to an explicit directory only the namespace is appended`() throws {
        let directory = try CacheDirectory.resolve(explicit: URL(filePath: "/d"), environment: [:])
        #expect(try directory.directory(applicationIdentifier: "a") == "/d")
        #expect(try directory.directory(applicationIdentifier: "a", namespace: "n") == "/d/n")
    }

    @Test(arguments: ["../x", "", "a/b", "."])
    func `a namespace that leads elsewhere is refused`(namespace: String) throws {
        let directory = try Self.resolve(["HOME": "/h"])
        #expect {
            try directory.directory(applicationIdentifier: "a", namespace: namespace)
        } throws: { DirectoryError.Code.invalidPathComponent ~= $0 }
    }
}
