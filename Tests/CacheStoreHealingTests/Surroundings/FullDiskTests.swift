// SPDX-License-Identifier: MIT

import CacheStoreSQLite
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

    @Test func `on a disk that the store has filled, deleting works and gives the space back`()
        async throws
    {
        let store = try TemporaryStore()
        await #expect(processExitsWith: .success) { [directory = store.directory as String] in
            try #require(SmallDisk.mount(at: directory, size: "2m"))
            let url = URL(filePath: directory + "/notes.sqlite")
            let file = try #require(try StoreOpener.open(at: url, content: NotesContent()).file)
            var saved = 0
            // Large steps first, then small ones into the rest.
            for step in [100, 1] {
                do {
                    while saved < 1_000_000 {
                        try file.addNotes(step)
                        saved += step
                    }
                } catch {
                    #expect(PersistentStoreError.Code.noSpace ~= error)
                }
            }
            // The log did not take what the content could have had.
            #expect(saved > 50_000)
            let size = try #require(FileTree.size(at: url.path))
            #expect(try file.countNotes() == saved)
            // What a deletion changes has to fit into the log, so not all pages at once.
            for part in 1...4 {
                try file.write { try $0.execute("DELETE FROM note WHERE id < \(part * 2000)") }
            }
            #expect(try file.countNotes() == saved - 7999)
            try file.write { try $0.execute(sql: "DELETE FROM note") }
            // A pragma that frees one page at each step.
            try file.write { connection in
                try connection.prepare(sql: "PRAGMA incremental_vacuum").rows { _ in }
            }
            try file.checkpoint(.truncate)
            #expect(try #require(FileTree.size(at: url.path)) < size / 4)
            try file.addNotes(500)
            try file.close()
            let again = try StoreOpener.open(at: url, content: NotesContent())
            #expect(again.report.outcome == .opened)
            #expect(!again.report.wasUncleanShutdown)
            #expect(try again.file?.countNotes() == 500)
        }
    }

    @Test func `killed on a disk that is nearly full, the store is whole`() async throws {
        let store = try TemporaryStore()
        await #expect(processExitsWith: .success) { [directory = store.directory as String] in
            try #require(SmallDisk.mount(at: directory, size: "2m"))
            let url = URL(filePath: directory + "/notes.sqlite")
            let file = try #require(try StoreOpener.open(at: url, content: NotesContent()).file)
            try file.addNotes(1000)
            // The file grows ahead of a commit that never comes.
            struct Never: Error {}
            #expect(throws: Never.self) {
                try file.write { connection in
                    try connection.execute(
                        sql: "INSERT INTO note (text) SELECT hex(zeroblob(20)) FROM note")
                    try file.growForCheckpoint(connection)
                    throw Never()
                }
            }
            // As a kill would leave it, beside the store that is still open.
            let copy = StorePaths(main: directory + "/copy.sqlite")
            try FileTree.copy(directory + "/notes.sqlite-wal", to: copy.log)
            let bytes = try #require(FileManager.default.contents(atPath: url.path))
            try bytes.write(to: copy.url)
            var options = StoreOptions()
            options.verification.schedule = .always
            let opened = try StoreOpener.open(
                at: copy.url, content: NotesContent(), options: options)
            #expect(opened.report.outcome == .opened)
            #expect(opened.report.verification == .passed)
            #expect(try opened.file?.countNotes() == 1000)
        }
    }

    @Test func `when the new store does not fit, the old files are put back`() async throws {
        let store = try TemporaryStore()
        await #expect(processExitsWith: .success) { [directory = store.directory as String] in
            try #require(SmallDisk.mount(at: directory, size: "2m"))
            let url = URL(filePath: directory + "/notes.sqlite")
            let content = Data(repeating: 7, count: 100_000)
            try content.write(to: url)
            for _ in 0..<2 {
                #expect { try StoreOpener.open(at: url, content: LargeContent()) } throws: {
                    PersistentStoreError.Code.noSpace ~= $0
                }
                #expect(FileManager.default.contents(atPath: url.path) == content)
                #expect(FileTree.names(in: directory + "/quarantine").isEmpty)
            }
            let opened = try StoreOpener.open(at: url, content: NotesContent())
            #expect(opened.report.outcome == .reset)
            #expect(opened.report.quarantine != nil)
        }
    }

    @Test func `what was kept is deleted when a save finds the disk full`() async throws {
        let store = try TemporaryStore()
        await #expect(processExitsWith: .success) { [directory = store.directory as String] in
            try #require(SmallDisk.mount(at: directory, size: "2m"))
            let url = URL(filePath: directory + "/notes.sqlite")
            try Data(repeating: 7, count: 500_000).write(to: url)
            let opened = try StoreOpener.open(at: url, content: NotesContent())
            let file = try #require(opened.file)
            #expect(FileTree.names(in: directory + "/quarantine").count == 1)
            #expect(throws: PersistentStoreError.self) {
                while true { try file.addNotes(1000) }
            }
            #expect(FileTree.names(in: directory + "/quarantine").isEmpty)
            try file.addNotes(1000)
        }
    }
}

/// Content that needs more than a small disk has.
private struct LargeContent: StoreContent {
    var fingerprint: String { "large" }
    var storedDescription: Data { Data() }
    func createSchema(in connection: Connection) throws {
        try connection.execute(
            sql: "CREATE TABLE large (value); INSERT INTO large VALUES (zeroblob(4000000))")
    }
    func schemaIsIntact(in connection: Connection) throws -> Bool { true }
    func migrate(in connection: Connection, from stored: Data) throws -> MigrationSummary {
        throw Unmigratable(reason: "never")
    }
}
