// SPDX-License-Identifier: MIT

import CacheStoreProcess
import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStoreHealing

@Suite struct StoreOpenerProcessesTests {
    @Test func `a killed process leaves an unclean store with everything it saved`() async throws {
        let store = try TemporaryStore()
        let directory = store.directory
        await #expect(processExitsWith: .signal(SIGKILL)) { [directory = directory as String] in
            let file = try StoreOpener.open(
                at: URL(filePath: directory + "/notes.sqlite"), content: NotesContent()
            ).file
            try file?.addNotes(7)
            kill(getpid(), SIGKILL)
        }
        let opened = try store.open()
        #expect(opened.report.outcome == .opened)
        #expect(opened.report.wasUncleanShutdown)
        #expect(opened.report.verification == .passed)
        #expect(try opened.file?.countNotes() == 7)
        try opened.file?.close()
        let again = try store.open()
        #expect(!again.report.wasUncleanShutdown)
        #expect(again.report.verification == .none)
    }

    @Test func `of processes that open an absent store at once one creates it`() async throws {
        let isSlow = ProcessInfo.processInfo.environment["CACHESTORE_SLOW_TESTS"] != nil
        for _ in 0..<(isSlow ? 50 : 1) { try await openAtOnce(count: 8) }
    }

    private func openAtOnce(count: Int) async throws {
        let store = try TemporaryStore()
        let directory = store.directory
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    await #expect(processExitsWith: .success) {
                        [
                            directory = directory as String, number = number as Int,
                            count = count as Int
                        ] in
                        Signpost.set("ready-\(number)", in: directory)
                        // They need not all be there: how many run at once is not theirs to say.
                        Signpost.waitForAll(
                            (0..<count).map { "ready-\($0)" }, in: directory,
                            atMost: .seconds(3))
                        var options = StoreOptions()
                        options.busyTimeout = .seconds(30)
                        let opened = try StoreOpener.open(
                            at: URL(filePath: directory + "/notes.sqlite"),
                            content: NotesContent(), options: options)
                        if opened.report.wasResetOrCreated {
                            Signpost.set("created-\(number)", in: directory)
                        }
                        try opened.file?.addNotes(1)
                        try opened.file?.close()
                    }
                }
            }
        }
        let creators = (0..<count).filter { Signpost.isSet("created-\($0)", in: directory) }
        #expect(creators.count == 1)
        let opened = try store.open()
        #expect(opened.report.outcome == .opened)
        #expect(try opened.file?.countNotes() == count)
    }

    // A child that waits for its parent would block it: the parent reads the child's output on a
    // thread of the pool that its own steps need. So the parent has the store, and the child comes.
    @Test func `a store that another process uses is joined, and not healed under it`() async throws
    {
        let store = try TemporaryStore()
        try store.fill(count: 2)
        let file = try store.openFile()
        try file.addNotes(1)
        await #expect(processExitsWith: .success) { [directory = store.directory as String] in
            let url = URL(filePath: directory + "/notes.sqlite")
            let new = NotesContent(version: 2)
            var options = StoreOptions()
            options.busyTimeout = .milliseconds(100)
            let opened = try StoreOpener.open(at: url, content: NotesContent(), options: options)
            #expect(opened.report.outcome == .opened)
            #expect(!opened.report.wasUncleanShutdown)
            #expect(try opened.file?.countNotes() == 3)
            try opened.file?.close()

            #expect {
                _ = try StoreOpener.reset(at: url, content: NotesContent(), options: options)
            } throws: {
                PersistentStoreError.Code.busy ~= $0
            }
            #expect { try StoreOpener.open(at: url, content: new, options: options) } throws: {
                PersistentStoreError.Code.busy ~= $0
            }
            options.onUnavailable = .inMemory
            let inMemory = try StoreOpener.open(at: url, content: new, options: options)
            #expect(inMemory.file == nil)
            #expect(inMemory.report.outcome == .inMemory)
            #expect(inMemory.report.cause == .storeLocked)
        }
        try file.addNotes(1)
        try file.close()
        #expect(try store.openFile().countNotes() == 4)
    }

    @Test func `processes that write at once lose nothing`() async throws {
        let store = try TemporaryStore()
        try store.fill(count: 0)
        let directory = store.directory
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    await #expect(processExitsWith: .success) { [directory = directory as String] in
                        var options = StoreOptions()
                        options.busyTimeout = .seconds(60)
                        options.checkpointThreshold = 4096
                        let file = try StoreOpener.open(
                            at: URL(filePath: directory + "/notes.sqlite"),
                            content: NotesContent(), options: options
                        ).file
                        for _ in 0..<100 { try file?.addNotes(1) }
                        try file?.close()
                    }
                }
            }
        }
        let opened = try store.open(options: StoreOptions())
        #expect(try opened.file?.countNotes() == 300)
        #expect(!opened.report.wasUncleanShutdown)
    }

    @Test func `a store that another process heals is waited for, and then an error`() async throws
    {
        let store = try TemporaryStore()
        try store.fill(count: 2)
        let bytes = store.contents()
        let lock = try FileLock(path: store.paths.lock)
        #expect(try lock.tryLock(.exclusive))
        await #expect(processExitsWith: .success) { [directory = store.directory as String] in
            var options = StoreOptions()
            options.busyTimeout = .milliseconds(100)
            let url = URL(filePath: directory + "/notes.sqlite")
            let start = ContinuousClock.now
            #expect {
                try StoreOpener.open(at: url, content: NotesContent(), options: options)
            } throws: {
                PersistentStoreError.Code.busy ~= $0
            }
            #expect(ContinuousClock.now - start >= .milliseconds(100))
        }
        #expect(store.contents() == bytes)
        try lock.unlock()
        #expect(try store.openFile().countNotes() == 2)
    }

    // As the sqlite3 shell does, which knows nothing of our locks.
    @Test func `a store that another program has locked is waited for, then busy, and kept`()
        async throws
    {
        let store = try TemporaryStore()
        try store.fill(count: 2)
        try store.changeByAnotherProgram("PRAGMA journal_mode = DELETE")
        let bytes = store.contents()
        // From here on this process must not open the file in any other way: that drops the lock.
        let other = try Connection(.file(store.path), mode: .readWrite)
        try other.execute(sql: "BEGIN EXCLUSIVE")
        await #expect(processExitsWith: .success) { [directory = store.directory as String] in
            var options = StoreOptions()
            options.busyTimeout = .milliseconds(200)
            options.verification.schedule = .always
            let url = URL(filePath: directory + "/notes.sqlite")
            let start = ContinuousClock.now
            #expect {
                try StoreOpener.open(at: url, content: NotesContent(), options: options)
            } throws: {
                PersistentStoreError.Code.busy ~= $0
            }
            #expect(ContinuousClock.now - start >= .milliseconds(200))
            #expect {
                try StoreOpener.reset(at: url, content: NotesContent(), options: options)
            } throws: {
                PersistentStoreError.Code.busy ~= $0
            }
        }
        try other.execute(sql: "ROLLBACK")
        try other.close()
        #expect(store.contents() == bytes)
        #expect(store.quarantined.isEmpty)
        #expect(try store.openFile().countNotes() == 2)
    }

    @Test func `a killed writer whose database is deleted leaves nothing of its log`() async throws
    {
        let store = try TemporaryStore()
        try store.fill(count: 5)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [directory = store.directory as String] in
            let file = try StoreOpener.open(
                at: URL(filePath: directory + "/notes.sqlite"), content: NotesContent()
            ).file
            try file?.addNotes(500)
            kill(getpid(), SIGKILL)
        }
        #expect(FileTree.size(at: store.paths.log) ?? 0 > 0)
        #expect(unlink(store.path) == 0)
        let opened = try store.open()
        #expect(opened.report.outcome == .created)
        #expect(opened.report.cause == .fileMissing)
        #expect(opened.report.wasResetOrCreated)
        #expect(try opened.file?.countNotes() == 0)
        try opened.file?.close()
        #expect(!store.exists(store.paths.log))
        #expect(!store.exists(store.paths.sharedMemory))
    }

    @Test func `a process without file handles is told so and heals nothing`() async throws {
        let store = try TemporaryStore()
        try store.fill(count: 2)
        let bytes = store.contents()
        await #expect(processExitsWith: .success) { [directory = store.directory as String] in
            let url = URL(filePath: directory + "/notes.sqlite")
            // One handle more each time, until it is enough.
            var taken: [Int32] = []
            while let next = Optional(open("/dev/null", O_RDONLY)), next >= 0, next < 200 {
                taken.append(next)
            }
            var limit = rlimit(rlim_cur: 200, rlim_max: 200)
            #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            var codes: Set<PersistentStoreError.Code> = []
            for handle in taken.suffix(20).reversed() {
                do {
                    let opened = try StoreOpener.open(at: url, content: NotesContent())
                    #expect(opened.report.outcome == .opened)
                    try opened.file?.close()
                    break
                } catch let error as PersistentStoreError {
                    codes.insert(error.code)
                }
                close(handle)
            }
            #expect(codes.isSubset(of: [.outOfResources, .unavailable]))
            #expect(codes.contains(.outOfResources))
        }
        #expect(store.contents() == bytes)
        #expect(store.quarantined.isEmpty)
    }

    @Test func `a child that inherited a store by fork is refused and the store stays whole`()
        async throws
    {
        let store = try TemporaryStore()
        let directory = store.directory
        await #expect(processExitsWith: .success) { [directory = directory as String] in
            let url = URL(filePath: directory + "/notes.sqlite")
            let opened = try StoreOpener.open(at: url, content: NotesContent())
            let file = try #require(opened.file)
            try file.addNotes(1)
            let child = try #require(forkProcess())
            if child == 0 {
                var result: Int32 = 1
                do { try file.addNotes(1) } catch PersistentStoreError.Code.forked {
                    result = 0
                } catch {}
                _exit(result)
            }
            var status: Int32 = -1
            waitpid(child, &status, 0)
            #expect(status == 0)
            try file.addNotes(1)
            #expect(try file.countNotes() == 2)
            try file.close()
        }
        #expect(try store.openFile().countNotes() == 2)
    }
}

/// Swift does not let `fork` be called by its name: a child may only do what is safe in a signal
/// handler, which is what the test is about.
private func forkProcess() -> pid_t? {
    guard let symbol = dlsym(nil, "fork") else { return nil }
    let function = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
    return function()
}
