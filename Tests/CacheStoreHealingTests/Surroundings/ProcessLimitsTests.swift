// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStoreHealing

/// What a process may have been started with: no standard descriptors, a limit for the size of files, a
/// full directory for temporary files.
@Suite struct ProcessLimitsTests {
    @Test func `a process without standard descriptors prints nothing into its store`()
        async throws
    {
        let store = try TemporaryStore()
        await #expect(processExitsWith: .success) { [directory = store.directory as String] in
            for descriptor: Int32 in 0...2 { close(descriptor) }
            let opened = try StoreOpener.open(
                at: URL(filePath: directory + "/notes.sqlite"), content: NotesContent())
            let file = try #require(opened.file)
            for _ in 0..<50 {
                for descriptor: Int32 in 0...2 { _ = write(descriptor, "GARBAGE!", 8) }
                try file.addNotes(10)
            }
            try file.close()
        }
        let opened = try store.open(options: Self.checking)
        #expect(opened.report.outcome == .opened)
        #expect(opened.report.verification == .passed)
        #expect(try opened.file?.countNotes() == 500)
        for name in FileTree.names(in: store.directory) {
            let bytes = try #require(store.contents(store.directory + "/" + name))
            #expect(bytes.range(of: Data("GARBAGE!".utf8)) == nil, "\(name)")
        }
    }

    @Test func `the limit for the size of a file is a full disk, and no end of the process`()
        async throws
    {
        let store = try TemporaryStore()
        await #expect(processExitsWith: .success) { [directory = store.directory as String] in
            // Dispatch's threads block the signal; the main thread of a program does not.
            signal(SIGXFSZ, SIG_DFL)
            var set = sigset_t()
            sigemptyset(&set)
            sigaddset(&set, SIGXFSZ)
            pthread_sigmask(SIG_UNBLOCK, &set, nil)
            var limit = rlimit(rlim_cur: 300_000, rlim_max: rlim_t.max)
            #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            let opened = try StoreOpener.open(
                at: URL(filePath: directory + "/notes.sqlite"), content: NotesContent())
            let file = try #require(opened.file)
            var saved = 0
            do {
                while saved < 1_000_000 {
                    try file.addNotes(100)
                    saved += 100
                }
            } catch {
                #expect(PersistentStoreError.Code.noSpace ~= error)
            }
            #expect(saved > 1000)
            #expect(try file.countNotes() == saved)
            // What is there can still be deleted, and the space used again.
            try file.write { try $0.execute(sql: "DELETE FROM note") }
            try file.addNotes(100)
            try file.close()
        }
        let opened = try store.open(options: Self.checking)
        #expect(opened.report.verification == .passed)
        #expect(try opened.file?.countNotes() == 100)
    }

    @Test(
        .enabled(
            if: SmallDisk.isAvailable, "mounting a small file system needs the right to do so"))
    func `with a full directory for temporary files, everything works`() async throws {
        let store = try TemporaryStore()
        try FileTree.makeDirectory(store.directory + "/tmp")
        await #expect(processExitsWith: .success) { [directory = store.directory as String] in
            let temporary = directory + "/tmp"
            try #require(SmallDisk.mount(at: temporary, size: "1m"))
            SmallDisk.fill(temporary)
            for name in ["TMPDIR", "SQLITE_TMPDIR"] { setenv(name, temporary, 1) }
            let url = URL(filePath: directory + "/notes.sqlite")
            var opened = try StoreOpener.open(at: url, content: NotesContent())
            var file = try #require(opened.file)
            try file.addNotes(30_000)
            // Sorting, and a statement that may have to be undone in part, use temporary files.
            try file.write { connection in
                try connection.execute(sql: "UPDATE note SET text = text || hex(randomblob(40))")
                try connection.execute(sql: "CREATE INDEX by_text ON note (text)")
                try connection.execute(sql: "DROP INDEX by_text")
                try connection.execute(
                    sql: "INSERT OR IGNORE INTO note (text) SELECT text FROM note ORDER BY text")
                try connection.execute(sql: "DELETE FROM note WHERE id % 2 = 0")
            }
            try file.close()
            opened = try StoreOpener.open(at: url, content: NotesContent(version: 2))
            #expect(opened.report.outcome == .migrated)
            file = try #require(opened.file)
            #expect(try file.countNotes() == 30_000)
            try file.close()
            #expect(truncate(directory + "/notes.sqlite", 100_000) == 0)
            opened = try StoreOpener.open(at: url, content: NotesContent(version: 2))
            #expect(opened.report.outcome == .reset)
            #expect(opened.report.quarantine != nil)
            file = try #require(opened.file)
            try file.addNotes(1)
            try file.close()
            let reset = try StoreOpener.reset(at: url, content: NotesContent(version: 2))
            #expect(reset.report.outcome == .reset)
        }
    }

    private static var checking: StoreOptions {
        var options = StoreOptions()
        options.verification.schedule = .always
        return options
    }
}
