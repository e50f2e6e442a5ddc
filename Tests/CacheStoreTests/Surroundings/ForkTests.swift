// SPDX-License-Identifier: MIT

import CacheStore
import Foundation
import Testing

/// A process that forks with its store open. Each body runs in a process of its own.
@Suite struct ForkTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path }

    init() throws { directory = try TemporaryDirectory() }

    /// Runs a body in a child, which may have its say in the text that comes back.
    ///
    /// Swift does not let `fork` be called by its name, for in the child of a program with threads
    /// little is safe; the tests are about what the library does all the same.
    @MainActor private static func fork(_ body: () -> String) throws -> String {
        let symbol = try #require(dlsym(nil, "fork"))
        typealias Fork = @convention(c) () -> pid_t
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        // The symbol is the C library's fork, which has this type.
        let child = unsafeBitCast(symbol, to: Fork.self)()
        if child == 0 {
            // A child that waits for a lock of a thread that it does not have would never end.
            var all = sigset_t()
            sigfillset(&all)
            alarm(30)
            pthread_sigmask(SIG_UNBLOCK, &all, nil)
            let text = body()
            _ = write(ends[1], text, text.utf8.count)
            _exit(0)
        }
        close(ends[1])
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(ends[0], &buffer, buffer.count)
            guard count > 0 else { break }
            text += String(decoding: buffer.prefix(count), as: UTF8.self)
        }
        close(ends[0])
        var status: Int32 = 0
        while waitpid(child, &status, 0) == -1 && errno == EINTR {}
        return text
    }

    private static func outcome(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "done"
        } catch let error as PersistentStoreError {
            return error.code.description
        } catch {
            return "\(error)"
        }
    }

    @Test func `every way to the store is refused to a forked child`() async throws {
        await #expect(processExitsWith: .success) { @MainActor [path = path as String] in
            Child.limit()
            let cache = NoteCache.opening(path)
            cache.insert(1)
            try cache.save()
            let before = FileManager.default.contents(atPath: path + "/Notes.sqlite-wal")
            let id = try cache.managedObjectContext.fetch(FetchRequest<Note>())[0].objectID
            let answers = try Self.fork {
                let context = cache.managedObjectContext
                cache.insert(2)
                let ways: [(String, () throws -> Void)] = [
                    ("fetch", { _ = try cache.numbers() }),
                    ("count", { _ = try context.count(for: FetchRequest<Note>()) }),
                    ("save", { try cache.save() }),
                    (
                        "child",
                        {
                            try cache.performOnChildContext(describedAs: "a test") { child, _ in
                                _ = try child.fetch(FetchRequest<Note>())
                            }
                        }
                    ),
                    (
                        "new context",
                        {
                            let other = try ManagedObjectContext(
                                coordinator: cache.persistentStoreCoordinator)
                            _ = try other.existingObject(with: id)
                        }
                    ),
                    ("switch", { try cache.switchNamespace(to: "other") }),
                    ("close", { try cache.close() }),
                ]
                return ways.map { "\($0.0) \(Self.outcome($0.1))" }.joined(separator: "\n")
            }
            let lines = answers.split(separator: "\n")
            #expect(lines.count == 7, "\(answers)")
            for line in lines { #expect(line.hasSuffix(" forked"), "\(line)") }
            // Nothing happened to the parent's files, and the parent goes on.
            #expect(FileManager.default.contents(atPath: path + "/Notes.sqlite-wal") == before)
            cache.insert(3)
            try cache.save()
            #expect(try cache.numbers() == [1, 3])
            try cache.close()
        }
        let cache = NoteCache.opening(path)
        #expect(try await cache.numbers() == [1, 3])
    }

    @Test func `a child that ends by exit saves and closes nothing`() async throws {
        await #expect(processExitsWith: .success) { @MainActor [path = path as String] in
            Child.limit()
            let cache = NoteCache.opening(path) { $0.enableAutosave(log: path + "/log") }
            cache.insert(1)
            try cache.save()
            cache.insert(2)
            cache.cleanUp = { _ in Child.write("cleaned up", to: path + "/calls") }
            _ = try Self.fork { exit(0) }
            #expect(Child.lines(of: path + "/calls").isEmpty)
            try cache.save()
            #expect(try cache.numbers() == [1, 2])
            exit(0)
        }
        let cache = NoteCache.opening(path)
        #expect(try await cache.numbers() == [1, 2])
        #expect(cache.openReport.outcome == .opened)
        #expect(!cache.openReport.wasUncleanShutdown)
    }

    @Test func `a child is ended by a signal as if nobody had arranged anything`() async throws {
        await #expect(processExitsWith: .success) { @MainActor [path = path as String] in
            Child.limit()
            let cache = NoteCache.opening(path) { $0.enableAutosave(log: path + "/log") }
            cache.insert(1)
            try cache.save()
            cache.insert(2)
            let symbol = try #require(dlsym(nil, "fork"))
            typealias Fork = @convention(c) () -> pid_t
            // The symbol is the C library's fork, which has this type.
            let child = unsafeBitCast(symbol, to: Fork.self)()
            if child == 0 {
                // This may be a thread of Dispatch's, which block all signals.
                var all = sigset_t()
                sigfillset(&all)
                alarm(20)
                pthread_sigmask(SIG_UNBLOCK, &all, nil)
                while true { sleep(1) }
            }
            try #require(kill(child, SIGTERM) == 0)
            var status: Int32 = 0
            while waitpid(child, &status, 0) == -1 && errno == EINTR {}
            #expect(status & 0x7F == SIGTERM)
            try cache.save()
            #expect(try cache.numbers() == [1, 2])
        }
    }

    @Test func `a child can open the store for itself`() async throws {
        await #expect(processExitsWith: .success) { @MainActor [path = path as String] in
            Child.limit()
            let cache = NoteCache.opening(path)
            cache.insert(1)
            try cache.save()
            let answer = try Self.fork {
                Self.outcome {
                    let own = NoteCache.opening(path)
                    own.insert(2)
                    try own.save()
                    try own.close()
                }
            }
            #expect(answer == "done")
            #expect(try cache.numbers() == [1, 2])
        }
    }
}
