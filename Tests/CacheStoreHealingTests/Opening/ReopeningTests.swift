// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStoreHealing

/// Stores that are given up in the middle of a session, and opened again.
@Suite struct ReopeningTests {
    /// What can happen to the file of a store that is in use.
    enum Blow: String, CaseIterable, Sendable {
        case bitInPage, zeroedPage, zeroedHeader, garbageHeader, truncatedToHalf, truncatedToNothing
        case removed, removedWithLog, removedDirectory, replaced, resetByAnother

        func strike(_ directory: String) throws {
            let paths = StorePaths(main: directory + "/notes.sqlite")
            switch self {
            case .bitInPage:
                try Self.overwrite(paths.main, at: 4096 * 6 + 2_000, with: [0xA5, 0x5A])
            case .zeroedPage: try Self.overwrite(paths.main, at: 4096 * 6, with: zeros(4096))
            case .zeroedHeader: try Self.overwrite(paths.main, at: 0, with: zeros(100))
            case .garbageHeader:
                try Self.overwrite(paths.main, at: 0, with: [UInt8](repeating: 0x77, count: 4096))
            case .truncatedToHalf: truncate(paths.main, 4096 * 8 + 100)
            case .truncatedToNothing: truncate(paths.main, 0)
            case .removed: unlink(paths.main)
            case .removedWithLog:
                for path in [paths.main, paths.log, paths.sharedMemory] { unlink(path) }
            case .removedDirectory: try FileManager.default.removeItem(atPath: directory)
            case .replaced:
                let other = try TemporaryStore()
                try other.fill(count: 3)
                rename(other.path, paths.main)
            case .resetByAnother:
                try StoreOpener.open(at: paths.url, content: NotesContent()).file?
                    .reset(to: NotesContent())
            }
        }

        private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

        // The handle is left open: closing it would take SQLite's locks away.
        private static func overwrite(_ path: String, at offset: off_t, with bytes: [UInt8]) throws
        {
            let descriptor = open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0, pwrite(descriptor, bytes, bytes.count, offset) == bytes.count
            else { throw NoFile() }
        }

        var outcome: StoreOpenReport.Outcome {
            switch self {
            case .removed, .removedWithLog, .removedDirectory, .truncatedToNothing: .created
            default: .reset
            }
        }

        /// What is left in the store that is opened again: a file that took its place is used as it
        /// is, unless the log of the old one lies beside it.
        func count(besideLog: Bool) -> Int { self == .replaced && !besideLog ? 3 : 0 }
    }

    /// Uses a store until it says that it was given up.
    static func meet(_ file: StoreFile) throws {
        do {
            _ = try file.textLength()
            try file.addNotes(1)
        } catch let error as PersistentStoreError {
            #expect(
                [.damaged, .storeReplaced, .storeRemoved].contains(error.code), "\(error)")
            #expect(file.isGivenUp)
            return
        }
        Issue.record("nothing was noticed")
    }

    @Test(arguments: Blow.allCases, [false, true])
    func `a store is opened again beside another user of this process`(
        blow: Blow, othersHaveLog: Bool
    ) throws {
        let count = blow.count(besideLog: othersHaveLog)
        let store = try TemporaryStore()
        try store.fill(count: 2_000)
        let other = try store.openFile()
        let file = try store.openFile()
        #expect(try other.countNotes() == 2_000)
        if othersHaveLog { try other.addNotes(1) }
        try blow.strike(store.directory)
        try Self.meet(file)
        let opened = try StoreOpener.reopen(file, content: NotesContent())
        #expect(opened.report.outcome == blow.outcome, "\(opened.report)")
        #expect(opened.report.wasResetOrCreated)
        #expect(opened.report.cause != .none)
        let new = try #require(opened.file)
        #expect(try new.countNotes() == count)
        try new.addNotes(2)

        // The old object is never used again, and the other user sees it before it has written.
        #expect(throws: PersistentStoreError.self) { try file.countNotes() }
        try Self.meet(other)
        let joined = try StoreOpener.reopen(other, content: NotesContent())
        #expect(joined.report.outcome == .reset)
        #expect(joined.report.cause == .replaced)
        #expect(try joined.file?.countNotes() == count + 2)
        try joined.file?.addNotes(1)
        #expect(try new.countNotes() == count + 3)
        #expect(!store.exists(store.paths.damageMark))
        try joined.file?.close()
        try new.close()
        let last = try store.open()
        #expect(last.report.outcome == .opened)
        #expect(!last.report.wasUncleanShutdown)
        #expect(try last.file?.countNotes() == count + 3)
        #expect(!last.report.wasChangedByAnotherProgram)
    }

    @Test(arguments: Blow.allCases)
    func `a store is opened again beside another process`(blow: Blow) async throws {
        let store = try TemporaryStore()
        try store.fill(count: 2_000)
        let other = try store.openFile()
        #expect(try other.countNotes() == 2_000)
        await #expect(processExitsWith: .success) {
            [directory = store.directory as String, name = blow.rawValue as String] in
            let url = URL(filePath: directory + "/notes.sqlite")
            let blow = try #require(Blow(rawValue: name))
            let file = try #require(try StoreOpener.open(at: url, content: NotesContent()).file)
            try blow.strike(directory)
            try ReopeningTests.meet(file)
            let opened = try StoreOpener.reopen(file, content: NotesContent())
            #expect(opened.report.outcome == blow.outcome, "\(opened.report)")
            try opened.file?.addNotes(2)
            try opened.file?.close()
        }
        try Self.meet(other)
        let joined = try StoreOpener.reopen(other, content: NotesContent())
        #expect(joined.report.outcome == .reset)
        #expect(joined.report.cause == .replaced)
        #expect(try joined.file?.countNotes() == blow.count(besideLog: false) + 2)
        try joined.file?.close()
    }

    @Test func `a store that turns out to be whole is the same store`() throws {
        let store = try TemporaryStore()
        try store.fill(count: 2_000)
        let file = try store.openFile()
        try store.flipBit(at: 4096 * 6 + 2_000)
        try Self.meet(file)
        try store.flipBit(at: 4096 * 6 + 2_000)
        let opened = try StoreOpener.reopen(file, content: NotesContent())
        #expect(opened.report.outcome == .opened)
        #expect(!opened.report.wasResetOrCreated)
        #expect(opened.file?.identifier == file.identifier)
        #expect(try opened.file?.countNotes() == 2_000)
    }

    @Test func `a reader in the middle of its snapshot is not in the way`() throws {
        let store = try TemporaryStore()
        try store.fill(count: 2_000)
        let other = try store.openFile()
        var options = StoreOptions()
        options.busyTimeout = .milliseconds(200)
        let file = try store.openFile(options: options)
        try other.read { connection in
            let before = try connection.statement(sql: "SELECT count(*) FROM note WHERE id < 9")
                .first { $0.int64(at: 0) }
            try Blow.bitInPage.strike(store.directory)
            try Self.meet(file)
            let opened = try StoreOpener.reopen(file, content: NotesContent())
            #expect(opened.report.outcome == .reset)
            try opened.file?.addNotes(1)
            #expect(before == 8)
            try opened.file?.close()
        }
        try Self.meet(other)
    }

    @Test func `a store that cannot be had now can be tried again`() throws {
        let store = try TemporaryStore()
        var options = StoreOptions()
        options.busyTimeout = .milliseconds(50)
        let file = try store.openFile(options: options)
        let other = try store.openFile()
        unlink(store.path)
        try Self.meet(file)
        try other.withWriter { (_) -> Void in
            #expect { try StoreOpener.reopen(file, content: NotesContent()) } throws: {
                PersistentStoreError.Code.busy ~= $0
            }
        }
        #expect(file.isGivenUp)
        let opened = try StoreOpener.reopen(file, content: NotesContent())
        #expect(opened.report.cause == .removed)
    }
}

extension StoreFile {
    /// Reads every note.
    fileprivate func textLength() throws -> Int64? {
        try read { connection in
            try connection.statement(sql: "SELECT sum(length(text)) FROM note")
                .first { $0.int64(at: 0) }
        }
    }
}
