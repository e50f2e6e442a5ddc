// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import CacheStoreHealing

/// On a small file system of its own, in a process of its own that takes the mount with it.
@Suite(.enabled(if: SmallDisk.isAvailable, "mounting a small file system needs the right to do so"))
struct FullDiskTests {
    @Test func `a write on a full disk is a typed error, and the store stays whole`() async throws {
        let store = try TemporaryStore()
        await #expect(processExitsWith: .success) { [directory = store.directory as String] in
            try #require(SmallDisk.mount(at: directory, size: "2m"))
            let url = URL(filePath: directory + "/notes.sqlite")
            let file = try #require(try StoreOpener.open(at: url, content: NotesContent()).file)
            try file.addNotes(5)
            SmallDisk.fill(directory)
            var saved = 5
            do {
                for _ in 0..<1000 {
                    try file.addNotes(100)
                    saved += 100
                }
                Issue.record("the disk is not full")
            } catch {
                #expect(PersistentStoreError.Code.noSpace ~= error)
            }
            #expect(try file.countNotes() == saved)
            try? file.close()
            let again = try StoreOpener.open(at: url, content: NotesContent())
            #expect(again.report.outcome == .opened)
            #expect(try again.file?.countNotes() == saved)
        }
    }

    @Test func `a store cannot be created on a full disk, and nothing is reset`() async throws {
        let store = try TemporaryStore()
        await #expect(processExitsWith: .success) { [directory = store.directory as String] in
            try #require(SmallDisk.mount(at: directory, size: "1m"))
            SmallDisk.fill(directory)
            let url = URL(filePath: directory + "/notes.sqlite")
            #expect { try StoreOpener.open(at: url, content: NotesContent()) } throws: {
                PersistentStoreError.Code.noSpace ~= $0
            }
            var options = StoreOptions()
            options.onUnavailable = .inMemory
            let opened = try StoreOpener.open(at: url, content: NotesContent(), options: options)
            #expect(opened.file == nil)
            #expect(opened.report.cause == .noSpace)
            SmallDisk.free(directory)
            #expect(
                try StoreOpener.open(at: url, content: NotesContent()).report.outcome == .created)
        }
    }

    @Test func `a damaged store on a full disk is reset without a copy`() async throws {
        let store = try TemporaryStore()
        await #expect(processExitsWith: .success) { [directory = store.directory as String] in
            try #require(SmallDisk.mount(at: directory, size: "2m"))
            let path = directory + "/notes.sqlite"
            try Data(repeating: 7, count: 500_000).write(to: URL(filePath: path))
            SmallDisk.fill(directory)
            let opened = try StoreOpener.open(
                at: URL(filePath: path), content: NotesContent())
            #expect(opened.report.outcome == .reset)
            #expect(opened.report.quarantine == nil)
            #expect(FileTree.names(in: directory + "/quarantine").isEmpty)
            try opened.file?.addNotes(1)
            #expect(try opened.file?.countNotes() == 1)
        }
    }
}
