// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStoreHealing

/// Logs that a crash has left, whole and damaged.
@Suite struct DamagedLogTests {
    private static let frameSize = 24 + 4096

    /// A store as a killed process leaves it, with a commit in the file and each of the others in the
    /// log.
    private func crashed(commits: Int = 6) throws -> TemporaryStore {
        let source = try TemporaryStore()
        let file = try source.openFile()
        try file.addNotes(100)
        try file.checkpoint(.truncate)
        for _ in 0..<commits { try file.addNotes(10) }
        let store = try TemporaryStore()
        for suffix in ["", "-wal"] {
            try store.write(
                #require(source.contents(source.path + suffix)), to: store.path + suffix)
        }
        return store
    }

    private func frames(of store: TemporaryStore) throws -> Int {
        (try #require(store.contents(store.paths.log)).count - 32) / Self.frameSize
    }

    /// The frames that end a commit.
    private func commitFrames(of store: TemporaryStore) throws -> [Int] {
        let bytes = [UInt8](try #require(store.contents(store.paths.log)))
        return try (0..<frames(of: store)).filter { frame in
            bytes[32 + frame * Self.frameSize + 4..<32 + frame * Self.frameSize + 8]
                .contains { $0 != 0 }
        }
    }

    @Test func `a log that is whole loses nothing`() throws {
        let store = try crashed()
        #expect(LogInspection(path: store.paths.log)?.commits == 6)
        let opened = try store.open()
        #expect(opened.report.lostSaves == 0)
        #expect(opened.report.outcome == .opened)
        #expect(try opened.file?.countNotes() == 160)
    }

    @Test(arguments: [4, 12, 20, 24 + 17, 24 + 4090])
    func `a damaged frame in the middle loses the saves behind it, and they are counted`(
        offset: Int
    ) throws {
        let store = try crashed()
        let commits = try commitFrames(of: store)
        #expect(commits.count == 6)
        // The last frame of the second save.
        try store.flipBit(at: 32 + commits[1] * Self.frameSize + offset, of: store.paths.log)
        let opened = try store.open()
        #expect(opened.report.outcome == .opened)
        // The damaged one itself counts where its own head is whole.
        #expect((3...5).contains(opened.report.lostSaves))
        #expect(!opened.report.wasResetOrCreated)
        #expect(opened.report.description.contains("lost"))
        #expect(try opened.file?.countNotes() == 110)
        try opened.file?.addNotes(5)
        try opened.file?.close(clean: false)
        let again = try store.open()
        #expect(again.report.lostSaves == 0)
        #expect(try again.file?.countNotes() == 115)
    }

    @Test func `a damaged head of the log loses all of it, and that is told`() throws {
        let store = try crashed()
        try store.flipBit(at: 17, of: store.paths.log)
        let opened = try store.open()
        #expect(opened.report.lostSaves >= 5)
        #expect(try opened.file?.countNotes() == 100)
    }

    @Test func `a last save that was cut off is no loss that anybody was promised`() throws {
        for cut in [1, 100, 4096, Self.frameSize + 7] {
            let store = try crashed()
            let size = try #require(store.contents(store.paths.log)).count
            truncate(store.paths.log, off_t(size - cut))
            let opened = try store.open()
            #expect(opened.report.lostSaves == 0)
            #expect(try opened.file?.countNotes() == 150)
        }
    }

    @Test func `frames of an earlier run of the log are no loss`() throws {
        let source = try TemporaryStore()
        let file = try source.openFile()
        for _ in 0..<20 { try file.addNotes(10) }
        // The log begins anew, over the old frames.
        try file.checkpoint(.restart)
        try file.addNotes(1)
        try file.addNotes(1)
        let store = try TemporaryStore()
        for suffix in ["", "-wal"] {
            try store.write(
                #require(source.contents(source.path + suffix)), to: store.path + suffix)
        }
        #expect(try frames(of: store) > 10)
        let found = try #require(LogInspection(path: store.paths.log))
        #expect(found.commits == 2 && found.lostCommits == 0)
        // Where the second of the two is damaged, nothing behind it is of this run.
        let commits = try commitFrames(of: store)
        try store.flipBit(at: 32 + commits[1] * Self.frameSize + 100, of: store.paths.log)
        let opened = try store.open()
        #expect(opened.report.lostSaves == 0)
        #expect(try opened.file?.countNotes() == 201)
    }

    @Test func `a store whose file is ahead of what is left of its log is reset`() throws {
        let source = try TemporaryStore()
        let file = try source.openFile()
        for _ in 0..<6 { try file.addNotes(10) }
        // All of the log is in the file, and still in the log.
        try file.checkpoint(.passive)
        let store = try TemporaryStore()
        for suffix in ["", "-wal"] {
            try store.write(
                #require(source.contents(source.path + suffix)), to: store.path + suffix)
        }
        let commits = try commitFrames(of: store)
        try store.flipBit(at: 32 + commits[2] * Self.frameSize + 100, of: store.paths.log)
        // The log would take pages back to the second save, and leave the others as they are.
        let opened = try store.open()
        #expect(opened.report.outcome == .reset)
        #expect(opened.report.cause == .damaged)
    }

    @Test func `what is no log is none`() throws {
        let store = try TemporaryStore()
        #expect(LogInspection(path: store.paths.log) == nil)
        for count in [0, 31, 32, 5_000] {
            try store.write([UInt8](repeating: 0x5A, count: count), to: store.paths.log)
            #expect(LogInspection(path: store.paths.log) == nil)
        }
    }
}
