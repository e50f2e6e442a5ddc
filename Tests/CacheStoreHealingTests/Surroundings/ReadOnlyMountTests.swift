// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import CacheStoreHealing

/// A store on a file system that is mounted read-only, in a process of its own.
@Suite(.enabled(if: SmallDisk.isAvailable, "mounting read-only needs the right to do so"))
struct ReadOnlyMountTests {
    /// The bytes of all files in a directory.
    private static func contents(of directory: String) -> [String: Data] {
        var result: [String: Data] = [:]
        for name in FileTree.names(in: directory) {
            result[name] = FileManager.default.contents(atPath: directory + "/" + name)
        }
        return result
    }

    @Test func `a store on a read-only mount is kept as it is, and a session is in memory`()
        async throws
    {
        let store = try TemporaryStore()
        try store.fill(count: 7)
        let before = Self.contents(of: store.directory)
        await #expect(processExitsWith: .success) { [directory = store.directory as String] in
            try #require(SmallDisk.makeReadOnly(directory))
            let url = URL(filePath: directory + "/notes.sqlite")
            #expect { try StoreOpener.open(at: url, content: NotesContent()) } throws: {
                PersistentStoreError.Code.readOnly ~= $0
            }
            #expect { try StoreOpener.reset(at: url, content: NotesContent()) } throws: {
                PersistentStoreError.Code.readOnly ~= $0
            }
            var options = StoreOptions()
            options.onUnavailable = .inMemory
            let opened = try StoreOpener.open(at: url, content: NotesContent(), options: options)
            #expect(opened.report.outcome == .inMemory)
            #expect(opened.report.cause == .permissionDenied)
        }
        #expect(Self.contents(of: store.directory) == before)
    }

    @Test func `opened to be read, it is read, and writing is a typed error`() async throws {
        let store = try TemporaryStore()
        try store.fill(count: 7)
        let before = Self.contents(of: store.directory)
        await #expect(processExitsWith: .success) { [directory = store.directory as String] in
            try #require(SmallDisk.makeReadOnly(directory))
            var options = StoreOptions()
            options.isReadOnly = true
            let opened = try StoreOpener.open(
                at: URL(filePath: directory + "/notes.sqlite"), content: NotesContent(),
                options: options)
            let file = try #require(opened.file)
            #expect(opened.report.outcome == .opened)
            #expect(try file.countNotes() == 7)
            #expect { try file.addNotes(1) } throws: { PersistentStoreError.Code.readOnly ~= $0 }
            try file.close()
        }
        #expect(Self.contents(of: store.directory) == before)
    }

    // Read as "immutable" it would show what it was before the log, without a word.
    @Test func `with a log that cannot be replayed, it is an error and not an older state`()
        async throws
    {
        let store = try TemporaryStore()
        let other = try TemporaryStore()
        try other.fill(count: 2)
        let file = try other.openFile()
        try file.addNotes(5)
        for suffix in ["", "-wal"] {
            try #require(other.contents(other.path + suffix))
                .write(to: URL(filePath: store.path + suffix))
        }
        let before = Self.contents(of: store.directory)
        await #expect(processExitsWith: .success) { [directory = store.directory as String] in
            try #require(SmallDisk.makeReadOnly(directory))
            var options = StoreOptions()
            options.isReadOnly = true
            do {
                let opened = try StoreOpener.open(
                    at: URL(filePath: directory + "/notes.sqlite"), content: NotesContent(),
                    options: options)
                #expect(try opened.file?.countNotes() == 7)
            } catch {
                let codes: [PersistentStoreError.Code] = [
                    .readOnly, .permissionDenied, .unavailable,
                ]
                #expect(codes.contains { $0 ~= error })
            }
        }
        #expect(Self.contents(of: store.directory) == before)
    }

    @Test func `a damaged store on a read-only mount is told and kept`() async throws {
        let store = try TemporaryStore()
        try store.write("not a database, but perhaps precious".utf8)
        let before = Self.contents(of: store.directory)
        await #expect(processExitsWith: .success) { [directory = store.directory as String] in
            try #require(SmallDisk.makeReadOnly(directory))
            let url = URL(filePath: directory + "/notes.sqlite")
            var options = StoreOptions()
            #expect { try StoreOpener.open(at: url, content: NotesContent()) } throws: {
                PersistentStoreError.Code.readOnly ~= $0
            }
            options.isReadOnly = true
            #expect {
                try StoreOpener.open(at: url, content: NotesContent(), options: options)
            } throws: { PersistentStoreError.Code.damaged ~= $0 }
        }
        #expect(Self.contents(of: store.directory) == before)
    }
}
