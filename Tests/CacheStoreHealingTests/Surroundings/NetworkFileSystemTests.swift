// SPDX-License-Identifier: MIT

import CacheStoreProcess
import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStoreHealing

/// A store without a log, as on a network file system. The kind of file system is told; the rollback
/// journal is a real one.
@Suite struct NetworkFileSystemTests {
    private static var options: StoreOptions {
        var options = StoreOptions()
        options.fileSystem = FileSystemKind(name: "nfs4")
        return options
    }

    @Test func `on a network file system there is a rollback journal and no log`() throws {
        let store = try TemporaryStore()
        let file = try store.openFile(options: Self.options)
        #expect(file.usesRollbackJournal)
        try file.addNotes(5)
        #expect(!store.exists(store.paths.log))
        #expect(!store.exists(store.paths.sharedMemory))
        let other = try store.openFile(options: Self.options)
        try other.addNotes(2)
        #expect(try file.countNotes() == 7)
        try file.close()
        try other.close()
        let again = try store.open(options: Self.options)
        #expect(again.report.outcome == .opened)
        #expect(!again.report.wasUncleanShutdown)
        #expect(try again.file?.countNotes() == 7)
    }

    @Test func `on a local file system there is a log`() throws {
        let store = try TemporaryStore()
        var options = StoreOptions()
        options.fileSystem = FileSystemKind(name: "ext4")
        let file = try store.openFile(options: options)
        try file.addNotes(1)
        #expect(!file.usesRollbackJournal)
        #expect(store.exists(store.paths.log))
    }

    @Test func `a store that was moved there keeps its rows, and when it is moved back`() throws {
        let store = try TemporaryStore()
        try store.fill(count: 3, clean: false)
        let there = try store.openFile(options: Self.options)
        #expect(try there.countNotes() == 3)
        try there.addNotes(1)
        try there.close()
        #expect(!store.exists(store.paths.log))
        let back = try store.openFile()
        #expect(try back.countNotes() == 4)
        try back.addNotes(1)
        #expect(store.exists(store.paths.log))
    }

    @Test func `killed in the middle of a transaction, the journal brings back what was`()
        async throws
    {
        let store = try TemporaryStore()
        let file = try store.openFile(options: Self.options)
        try file.addNotes(2000)
        try file.close()
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [directory = store.directory as String] in
            let opened = try StoreOpener.open(
                at: URL(filePath: directory + "/notes.sqlite"), content: NotesContent(),
                options: Self.options)
            try opened.file?.write { connection in
                // With a cache this small, changed pages are in the file before the commit.
                try connection.execute(sql: "PRAGMA cache_size = 5")
                try connection.execute(sql: "UPDATE note SET text = text || hex(zeroblob(500))")
                kill(getpid(), SIGKILL)
            }
        }
        #expect(FileTree.size(at: store.paths.journal) ?? 0 > 0)
        var options = Self.options
        options.verification.schedule = .always
        let opened = try store.open(options: options)
        #expect(opened.report.outcome == .opened)
        #expect(opened.report.verification == .passed)
        let longest = try opened.file?.read { connection in
            try connection.statement(sql: "SELECT max(length(text)) FROM note").first {
                $0.int64(at: 0)
            } ?? nil
        }
        #expect(try #require(longest ?? nil) < 20)
        #expect(try opened.file?.countNotes() == 2000)
    }

    @Test func `a damaged store is reset there as well`() throws {
        let store = try TemporaryStore()
        try store.fill(count: 3)
        try store.overwrite(at: 0, with: Array("garbage garbage ".utf8))
        let opened = try store.open(options: Self.options)
        #expect(opened.report.outcome == .reset)
        try opened.file?.addNotes(1)
        #expect(!store.exists(store.paths.log))
    }
}
