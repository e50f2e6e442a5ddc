// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStoreHealing

@Suite struct StoreFileTests {
    @Test func `an absent store is created and keeps what is written`() throws {
        let store = try TemporaryStore()
        let opened = try store.open()
        #expect(opened.report.outcome == .created)
        #expect(opened.report.cause == .fileMissing)
        #expect(opened.report.wasResetOrCreated)
        let file = try #require(opened.file)
        try file.addNotes(3)
        #expect(try file.countNotes() == 3)
        try file.close()

        let again = try store.open()
        #expect(again.report.outcome == .opened)
        #expect(!again.report.wasResetOrCreated)
        #expect(!again.report.wasUncleanShutdown)
        #expect(again.file?.identifier == file.identifier)
        #expect(try again.file?.countNotes() == 3)
    }

    @Test func `an error in a write leaves nothing of it`() throws {
        let store = try TemporaryStore()
        let file = try store.openFile()
        struct Refusal: Error {}
        #expect(throws: Refusal.self) {
            try file.write { connection in
                try connection.execute("INSERT INTO note (text) VALUES ('lost')")
                throw Refusal()
            }
        }
        #expect(try file.countNotes() == 0)
    }

    @Test func `a closed store refuses everything, and can be closed again`() throws {
        let store = try TemporaryStore()
        let file = try store.openFile()
        try file.close()
        try file.close()
        #expect { try file.countNotes() } throws: { PersistentStoreError.Code.closed ~= $0 }
        #expect { try file.addNotes(1) } throws: { PersistentStoreError.Code.closed ~= $0 }
    }

    @Test func `a write into a removed file is not acknowledged`() throws {
        let store = try TemporaryStore()
        let file = try store.openFile()
        for path in [store.path, store.paths.log, store.paths.sharedMemory] { unlink(path) }
        #expect { try file.addNotes(1) } throws: { PersistentStoreError.Code.storeRemoved ~= $0 }
        #expect { try file.countNotes() } throws: { PersistentStoreError.Code.storeRemoved ~= $0 }
    }

    @Test func `a write after the whole directory was removed is not acknowledged`() throws {
        let store = try TemporaryStore()
        let file = try store.openFile()
        try FileManager.default.removeItem(atPath: store.directory)
        #expect { try file.addNotes(1) } throws: { PersistentStoreError.Code.storeRemoved ~= $0 }
    }

    @Test func `a write into a file that another took the place of is not acknowledged`() throws {
        let store = try TemporaryStore()
        let other = try TemporaryStore()
        try other.fill()
        let file = try store.openFile()
        #expect(rename(other.path, store.path) == 0)
        #expect { try file.addNotes(1) } throws: { PersistentStoreError.Code.storeReplaced ~= $0 }
    }

    @Test func `a store that another program reset in place is noticed by reads and writes`() throws
    {
        let store = try TemporaryStore()
        let first = try store.openFile()
        let second = try store.openFile()
        #expect(try first.countNotes() == 0)
        _ = try StoreReset(paths: store.paths, busyTimeout: .seconds(1)).perform()
        #expect { try first.countNotes() } throws: {
            PersistentStoreError.Code.storeReplaced ~= $0
        }
        #expect { try second.addNotes(1) } throws: {
            PersistentStoreError.Code.storeReplaced ~= $0
        }
    }

    @Test func `a busy writer lock of another is waited for, and then an error`() throws {
        let store = try TemporaryStore()
        var options = StoreOptions()
        options.busyTimeout = .milliseconds(50)
        let first = try store.openFile(options: options)
        let second = try store.openFile(options: options)
        try first.write { (_) -> Void in
            #expect { try second.addNotes(1) } throws: { PersistentStoreError.Code.busy ~= $0 }
        }
        try second.addNotes(1)
        #expect(try first.countNotes() == 1)
    }

    @Test func `the log is copied into the file once it is long enough`() throws {
        let store = try TemporaryStore()
        var options = StoreOptions()
        options.checkpointThreshold = 64 * 1024
        let file = try store.openFile(options: options)
        let size = try #require(store.contents()?.count)
        let text = String(repeating: "x", count: 3000)
        for _ in 0..<200 {
            try file.write { connection in
                try connection.execute("INSERT INTO note (text) VALUES (\(text))")
            }
        }
        let log = try #require(FileTree.size(at: store.paths.log))
        #expect(log < 300 * 1024)
        #expect(try #require(FileTree.size(at: store.path)) > size)
    }

    @Test func `a truncating checkpoint empties the log`() throws {
        let store = try TemporaryStore()
        let file = try store.openFile()
        try file.addNotes(10)
        #expect(try #require(FileTree.size(at: store.paths.log)) > 0)
        #expect(try file.checkpoint(.truncate).isComplete)
        #expect(FileTree.size(at: store.paths.log) == 0)
    }

    @Test func `a store opened to be read refuses writes`() throws {
        let store = try TemporaryStore()
        try store.fill(count: 4)
        var options = StoreOptions()
        options.isReadOnly = true
        let file = try store.openFile(options: options)
        #expect(try file.countNotes() == 4)
        #expect { try file.addNotes(1) } throws: { PersistentStoreError.Code.readOnly ~= $0 }
    }

    @Test func `a reset while open is atomic, and every other user is told`() throws {
        let store = try TemporaryStore()
        try store.fill(count: 5)
        try FileTree.makeDirectory(store.paths.blobs)
        try store.write("value".utf8, to: store.paths.blobs + "/1")
        let file = try store.openFile()
        let other = try store.openFile()
        #expect(try other.countNotes() == 5)
        let identifier = try other.read { connection in
            // A reader keeps its snapshot to its end.
            let identifier = try file.reset(to: NotesContent(version: 2))
            let count = try connection.statement(sql: "SELECT count(*) FROM note")
                .first { $0.int64(at: 0) }
            #expect(count == 5)
            return identifier
        }
        for user in [file, other] {
            #expect { try user.countNotes() } throws: {
                PersistentStoreError.Code.storeReplaced ~= $0
            }
            #expect { try user.addNotes(1) } throws: {
                PersistentStoreError.Code.storeReplaced ~= $0
            }
            try user.close()
        }
        let opened = try store.open(NotesContent(version: 2))
        // Nobody has used it since, so who opens it next hears that it is new.
        #expect(opened.report.outcome == .created)
        #expect(opened.report.cause == .interrupted)
        #expect(opened.file?.identifier == identifier)
        #expect(try opened.file?.countNotes() == 0)
        #expect(FileTree.names(in: store.paths.blobs).isEmpty)
    }
}
