// SPDX-License-Identifier: MIT

import CacheStore
import Dispatch
import Foundation
import Synchronization
import Testing

private let handlerRuns = Atomic<Int>(0)

/// Each body runs in a process of its own, with its own signals.
@Suite struct TerminationTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path }
    private var log: [String] { Child.lines(of: path + "/log") }

    init() throws { directory = try TemporaryDirectory() }

    /// What the store has afterwards; it must open as it was left.
    @MainActor private func numbers(clean: Bool = true) throws -> [Int] {
        let cache = NoteCache.opening(path)
        #expect(cache.openReport.outcome == .opened)
        #expect(cache.openReport.wasUncleanShutdown == !clean)
        return try cache.numbers()
    }

    @Test func `SIGTERM saves, cleans up, closes, and ends the process by the signal`()
        async throws
    {
        await #expect(processExitsWith: .signal(SIGTERM)) { @MainActor [path = path as String] in
            Child.limit()
            let cache = NoteCache.opening(path) { $0.enableAutosave(log: path + "/log") }
            cache.insert(1)
            cache.insert(2)
            cache.cleanUp = { context in
                for note in try context.fetch(FetchRequest<Note>()) where note.number == 1 {
                    context.delete(note)
                }
            }
            Child.send(.terminate)
            try await Task.sleep(for: .seconds(50))
        }
        #expect(try await numbers() == [2])
        #expect(log == [])
    }

    @Test(arguments: [SIGINT, SIGHUP])
    func `other signals that end a process save, too`(_ number: Int32) async throws {
        await #expect(processExitsWith: .signal(number)) {
            @MainActor [path = path as String, number = number as Int32] in
            Child.limit()
            let cache = NoteCache.opening(path) { $0.enableAutosave(log: path + "/log") }
            cache.insert(1)
            Child.send(ProcessSignal(rawValue: number))
            try await Task.sleep(for: .seconds(50))
        }
        #expect(try await numbers() == [1])
    }

    @Test func `SIGTERM with 10,000 unsaved objects saves them all`() async throws {
        await #expect(processExitsWith: .signal(SIGTERM)) { @MainActor [path = path as String] in
            Child.limit()
            let cache = NoteCache.opening(path) { $0.enableAutosave(log: path + "/log") }
            for number in 0..<10_000 { cache.insert(number) }
            Child.send(.terminate)
            try await Task.sleep(for: .seconds(50))
        }
        #expect(try await numbers() == Array(0..<10_000))
    }

    @Test func `with the main thread blocked an emergency save writes all unsaved changes`()
        async throws
    {
        await #expect(processExitsWith: .signal(SIGTERM)) { @MainActor [path = path as String] in
            Child.limit()
            let cache = NoteCache.opening(path) { $0.enableAutosave(log: path + "/log") }
            cache.cleanUp = { _ in _exit(10) }
            let kept = cache.insert(1)
            let gone = cache.insert(2)
            let label = cache.managedObjectContext.insert(Label.self)
            kept.labels = [label]
            try await cache.save()
            cache.managedObjectContext.delete(gone)
            kept.author = "somebody"
            cache.insert(3).labels = [label]
            // One change that the saving context has, and one that waits in the inbox.
            try cache.managedObjectContext.save()
            cache.insert(4)
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                try? cache.performOnChildContext(describedAs: "the test") { context, _ in
                    context.insert(Note.self).number = 5
                }
                done.signal()
            }
            done.wait()
            Child.send(.terminate)
            Child.block()
        }
        #expect(try await numbers() == [1, 3, 4, 5])
        #expect(log.count == 1)
        #expect(log.first?.contains("without it and without cleaning up") == true)
        try await MainActor.run {
            let context = NoteCache.opening(path).managedObjectContext
            let label = try #require(try context.fetch(FetchRequest<Label>()).first)
            #expect(label.notes.map(\.number).sorted() == [1, 3])
            #expect(label.notes.map(\.author).sorted() == ["nobody", "somebody"])
        }
    }

    @Test func `an emergency save leaves objects out that lack a required value`() async throws {
        await #expect(processExitsWith: .signal(SIGTERM)) { @MainActor [path = path as String] in
            Child.limit()
            let cache = NoteCache.opening(path) { $0.enableAutosave(log: path + "/log") }
            cache.managedObjectContext.insert(Note.self).author = "without a number"
            cache.insert(1)
            Child.send(.terminate)
            Child.block()
        }
        #expect(try await numbers() == [1])
        #expect(log.first?.contains("1 objects lack a required value") == true)
    }

    @Test func `a second SIGTERM ends the wait`() async throws {
        await #expect(processExitsWith: .signal(SIGTERM)) { @MainActor [path = path as String] in
            Child.limit()
            let cache = NoteCache.opening(path) {
                $0.enableAutosave(gracePeriod: .seconds(40), log: path + "/log")
            }
            cache.insert(1)
            try await cache.save()
            cache.insert(2)
            Child.send(.terminate)
            Thread.detachNewThread {
                // Later than what counts as one request.
                Thread.sleep(forTimeInterval: 0.3)
                Child.send(.terminate)
            }
            Child.block()
        }
        #expect(try await numbers(clean: false) == [1])
    }

    @Test func `the deadline ends the wait`() async throws {
        await #expect(processExitsWith: .signal(SIGTERM)) { @MainActor [path = path as String] in
            Child.limit()
            let cache = NoteCache.opening(path) {
                $0.enableAutosave(gracePeriod: .seconds(40), log: path + "/log")
                $0.autosave.deadline = .milliseconds(500)
            }
            cache.insert(1)
            try await cache.save()
            cache.cleanUp = { _ in Child.block() }
            cache.insert(2)
            Child.send(.terminate)
            try await Task.sleep(for: .seconds(50))
        }
        // What was saved before the clean-up that never ends is there.
        #expect(try await numbers(clean: false) == [1, 2])
    }

    @Test func `with autosave off a signal just takes its course`() async throws {
        await #expect(processExitsWith: .signal(SIGTERM)) { @MainActor [path = path as String] in
            Child.limit()
            let cache = NoteCache.opening(path)
            cache.insert(1)
            try await cache.save()
            cache.insert(2)
            Child.send(.terminate)
            try await Task.sleep(for: .seconds(50))
        }
        #expect(try await numbers(clean: false) == [1])
    }

    @Test func `a handler of the program runs after the save, and the program goes on`()
        async throws
    {
        await #expect(processExitsWith: .exitCode(3)) { @MainActor [path = path as String] in
            Child.limit()
            signal(SIGTERM) { _ in handlerRuns.add(1, ordering: .sequentiallyConsistent) }
            let cache = NoteCache.opening(path) { $0.enableAutosave(log: path + "/log") }
            cache.insert(1)
            Child.send(.terminate)
            while handlerRuns.load(ordering: .sequentiallyConsistent) == 0 {
                try await Task.sleep(for: .milliseconds(2))
            }
            guard !cache.managedObjectContext.hasChanges, cache.cleanUps == 1 else { _exit(10) }
            cache.insert(2)
            exit(3)
        }
        #expect(try await numbers() == [1, 2])
    }

    @Test func `a program that goes on after an emergency save saves nothing twice`()
        async throws
    {
        await #expect(processExitsWith: .exitCode(3)) { @MainActor [path = path as String] in
            Child.limit()
            signal(SIGTERM) { _ in handlerRuns.add(1, ordering: .sequentiallyConsistent) }
            let cache = NoteCache.opening(path) { $0.enableAutosave(log: path + "/log") }
            let old = cache.insert(1)
            let gone = cache.insert(2)
            try await cache.save()
            old.number = 10
            cache.managedObjectContext.delete(gone)
            let label = cache.managedObjectContext.insert(Label.self)
            let new = cache.insert(3)
            new.labels = [label]
            Child.send(.terminate)
            // The main thread works on and never serves its queue.
            while handlerRuns.load(ordering: .sequentiallyConsistent) == 0 { usleep(2_000) }
            new.author = "somebody"
            old.author = "somebody else"
            cache.insert(4)
            exit(3)
        }
        #expect(log.count == 1)
        #expect(try await numbers() == [3, 4, 10])
        try await MainActor.run {
            let context = NoteCache.opening(path).managedObjectContext
            let notes = try context.fetch(FetchRequest<Note>()).sorted { $0.number < $1.number }
            #expect(notes.map(\.author) == ["somebody", "nobody", "somebody else"])
            #expect(notes.map(\.labels.count) == [1, 0, 0])
            #expect(try context.fetch(FetchRequest<Label>()).count == 1)
        }
    }

    @Test func `a signal source of the program decides what happens after the save`()
        async throws
    {
        await #expect(processExitsWith: .exitCode(3)) { @MainActor [path = path as String] in
            Child.limit()
            let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
            source.setEventHandler { @Sendable in
                handlerRuns.add(1, ordering: .sequentiallyConsistent)
            }
            // A source counts as the program's once it is registered, not merely activated.
            let registered = DispatchSemaphore(value: 0)
            source.setRegistrationHandler { @Sendable in registered.signal() }
            source.activate()
            guard registered.wait(timeout: .now() + .seconds(20)) == .success else { exit(10) }
            let cache = NoteCache.opening(path) { $0.enableAutosave(log: path + "/log") }
            cache.insert(1)
            Child.send(.terminate)
            while handlerRuns.load(ordering: .sequentiallyConsistent) == 0
                || cache.managedObjectContext.hasChanges
            {
                try await Task.sleep(for: .milliseconds(2))
            }
            cache.insert(2)
            exit(3)
        }
        #expect(try await numbers() == [1, 2])
    }

    @Test func `SIGTSTP saves and stops; the process goes on with its store open`() async throws {
        await #expect(processExitsWith: .exitCode(3)) { @MainActor [path = path as String] in
            Child.limit()
            let cache = NoteCache.opening(path) { $0.enableAutosave(log: path + "/log") }
            cache.insert(1)
            // Another process lets this one go on; a stopped one cannot.
            let pid = getpid()
            let helper = Process()
            helper.executableURL = URL(filePath: "/bin/sh")
            helper.arguments = [
                "-c",
                """
                while ! grep -q '^State:.T' /proc/\(pid)/status; do sleep 0.01; done
                while kill -CONT \(pid) && grep -q '^State:.T' /proc/\(pid)/status; do
                    sleep 0.01
                done
                """,
            ]
            try helper.run()
            Child.send(.suspend)
            while helper.isRunning { try await Task.sleep(for: .milliseconds(5)) }
            guard !cache.managedObjectContext.hasChanges else { _exit(10) }
            cache.insert(2)
            exit(3)
        }
        #expect(try await numbers() == [1, 2])
    }

    // MARK: - Exit

    @Test func `exit saves and closes`() async throws {
        await #expect(processExitsWith: .exitCode(3)) { @MainActor [path = path as String] in
            Child.limit()
            let cache = NoteCache.opening(path) { $0.enableAutosave(log: path + "/log") }
            cache.insert(1)
            exit(3)
        }
        #expect(try await numbers() == [1])
    }

    @Test func `exit on another thread saves although the main thread is blocked`() async throws {
        await #expect(processExitsWith: .exitCode(3)) { @MainActor [path = path as String] in
            Child.limit()
            let cache = NoteCache.opening(path) { $0.enableAutosave(log: path + "/log") }
            cache.insert(1)
            Thread.detachNewThread { exit(3) }
            Child.block()
        }
        #expect(try await numbers() == [1])
        #expect(log.count == 1)
    }

    @Test func `at exit an object that cannot be saved does not keep the others from it`()
        async throws
    {
        await #expect(processExitsWith: .exitCode(3)) { @MainActor [path = path as String] in
            Child.limit()
            let cache = NoteCache.opening(path) { $0.enableAutosave(log: path + "/log") }
            cache.insert(1)
            cache.insert(2).text = String(repeating: "x", count: 101)
            exit(3)
        }
        #expect(try await numbers() == [1])
        #expect(log == ["1 objects could not be saved at the end"])
    }

    // MARK: - While the program runs

    @Test func `changes that have come to rest are saved while the program runs`() async throws {
        await #expect(processExitsWith: .exitCode(3)) { @MainActor [path = path as String] in
            Child.limit()
            let cache = NoteCache.opening(path) {
                $0.enableAutosave(log: path + "/log")
                $0.autosave.delay = .milliseconds(20)
            }
            let note = cache.insert(1)
            while note.objectID.isTemporaryID { try await Task.sleep(for: .milliseconds(5)) }
            guard !cache.managedObjectContext.hasChanges else { _exit(10) }
            _exit(3)
        }
        #expect(try await numbers(clean: false) == [1])
    }
}
