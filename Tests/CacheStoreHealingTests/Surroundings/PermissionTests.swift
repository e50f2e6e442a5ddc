// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import CacheStoreHealing

/// Files and directories that the user of the process may not change, or that belong to others. Each
/// body gives up root's rights in a process of its own.
@Suite(.enabled(if: isRoot, "giving up root's rights needs them"))
struct PermissionTests {
    private static let nobody: uid_t = 65_534

    /// Gives everything in a directory, and the directory, to a user.
    private static func give(_ directory: String, to user: uid_t) {
        for name in FileTree.names(in: directory) { chown("\(directory)/\(name)", user, user) }
        chown(directory, user, user)
    }

    private static func becomeNobody() throws {
        try #require(setgid(nobody) == 0 && setuid(nobody) == 0)
    }

    private static func contents(of directory: String) -> [String: Data] {
        var result: [String: Data] = [:]
        for name in FileTree.names(in: directory) where !name.hasSuffix("lock") {
            result[name] = FileManager.default.contents(atPath: directory + "/" + name)
        }
        return result
    }

    @Test func `a damaged store where nothing can be deleted leads to memory, again and again`()
        async throws
    {
        let store = try TemporaryStore()
        try store.fill(count: 2)
        try store.write("not a database any more".utf8)
        let before = Self.contents(of: store.directory)
        await #expect(processExitsWith: .success) { [directory = store.directory as String] in
            Self.give(directory, to: Self.nobody)
            try #require(chmod(directory, 0o555) == 0)
            try Self.becomeNobody()
            let url = URL(filePath: directory + "/notes.sqlite")
            var options = StoreOptions()
            options.onUnavailable = .inMemory
            for _ in 0..<5 {
                let opened = try StoreOpener.open(
                    at: url, content: NotesContent(), options: options)
                #expect(opened.report.outcome == .inMemory)
                #expect(opened.report.cause == .permissionDenied)
            }
        }
        #expect(Self.contents(of: store.directory) == before)
        // Once that is mended, the store is healed.
        Self.give(store.directory, to: 0)
        #expect(chmod(store.directory, 0o700) == 0)
        #expect(try store.open().report.outcome == .reset)
    }

    @Test func `a damaged store that cannot be changed at all leads to memory`() async throws {
        let store = try TemporaryStore()
        try store.write("not a database any more".utf8)
        try #require(Self.setImmutable(store.path, true))
        defer { _ = Self.setImmutable(store.path, false) }
        let bytes = store.contents()
        var options = StoreOptions()
        options.onUnavailable = .inMemory
        for _ in 0..<5 {
            let opened = try store.open(options: options)
            #expect(opened.report.outcome == .inMemory)
            #expect(opened.report.cause == .permissionDenied)
        }
        #expect(store.contents() == bytes)
        _ = Self.setImmutable(store.path, false)
        #expect(try store.open(options: options).report.outcome == .reset)
    }

    /// As `chattr +i` does (https://man7.org/linux/man-pages/man2/ioctl_iflags.2.html).
    private static func setImmutable(_ path: String, _ isImmutable: Bool) -> Bool {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var flags = 0
        guard ioctl(descriptor, 0x8008_6601, &flags) == 0 else { return false }
        flags = isImmutable ? flags | 0x10 : flags & ~0x10
        return ioctl(descriptor, 0x4008_6602, &flags) == 0
    }

    @Test(arguments: ["", "-wal", "-shm", "-journal"])
    func `a file of another user is refused with a clear error, and never deleted`(
        suffix: String
    ) async throws {
        let store = try TemporaryStore()
        try store.fill(count: 2)
        if !suffix.isEmpty { try store.write("planted".utf8, to: store.path + suffix) }
        let before = Self.contents(of: store.directory)
        await #expect(processExitsWith: .success) {
            [directory = store.directory as String, suffix = suffix as String] in
            Self.give(directory, to: Self.nobody)
            let other = directory + "/notes.sqlite" + suffix
            try #require(chown(other, 1234, 1234) == 0 && chmod(other, 0o666) == 0)
            try Self.becomeNobody()
            let url = URL(filePath: directory + "/notes.sqlite")
            do {
                _ = try StoreOpener.open(at: url, content: NotesContent())
                Issue.record("it was opened")
            } catch let error as PersistentStoreError {
                #expect(error.code == .permissionDenied)
                #expect(error.message.contains("1234"))
            }
        }
        #expect(Self.contents(of: store.directory) == before)
    }

    @Test func `a directory that a private group may write to is trusted, with others in it not`()
        throws
    {
        let store = try TemporaryStore()
        #expect(chmod(store.directory, 0o775) == 0)
        // Root's own group, and that of the daemons.
        #expect(chown(store.directory, 0, 0) == 0)
        try store.fill(count: 2)
        #expect(chown(store.directory, 0, 1) == 0)
        #expect { try store.open() } throws: { PersistentStoreError.Code.permissionDenied ~= $0 }
        #expect(chmod(store.directory, 0o755) == 0)
        #expect(try store.openFile().countNotes() == 2)
    }

    @Test func `a directory of another user is refused, by root too`() throws {
        let store = try TemporaryStore()
        #expect(chown(store.directory, 1234, 1234) == 0)
        #expect { try store.open() } throws: { PersistentStoreError.Code.permissionDenied ~= $0 }
        #expect(!store.exists(store.path))
    }
}
