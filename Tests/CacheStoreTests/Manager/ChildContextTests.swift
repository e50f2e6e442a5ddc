// SPDX-License-Identifier: MIT

import CacheStore
import Dispatch
import Foundation
import Testing

/// Says what went wrong in a process of its own, and ends it.
private func fail(_ code: Int32) -> Never { exit(code) }

@Suite @MainActor struct ChildContextTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func `on the main thread the main context has a child's changes at once`() throws {
        let cache = NoteCache.opening(directory.path)
        let first = cache.insert(1)
        let count = try cache.performOnChildContext(describedAs: "the test") { context, what in
            #expect(what == "the test")
            let notes = try context.fetch(FetchRequest<Note>())
            #expect(notes.map(\.number) == [1])
            notes.first?.author = "somebody"
            context.insert(Note.self).number = 2
            return notes.count
        }
        #expect(count == 1)
        #expect(first.author == "somebody")
        #expect(try cache.numbers() == [1, 2])
        #expect(cache.managedObjectContext.hasChanges)
        try cache.save()
        #expect(try NoteCache.opening(directory.path).numbers() == [1, 2])
    }

    @Test func `from another thread changes come although the main thread is blocked`() throws {
        let cache = NoteCache.opening(directory.path)
        cache.insert(1)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            try? cache.performOnChildContext(describedAs: "the test") { context, _ in
                context.insert(Note.self).number = 2
            }
            done.signal()
        }
        // The main thread is blocked here until the child is done.
        #expect(done.wait(timeout: .now() + .seconds(20)) == .success)
        #expect(try cache.numbers() == [1, 2])
    }

    @Test func `the asynchronous form runs off the main actor`() async throws {
        let cache = NoteCache.opening(directory.path)
        let number = try await cache.performOnChildContext(describedAs: "the test") {
            context, _ in
            #expect(!Thread.isMainThread)
            await Task.yield()
            let note = context.insert(Note.self)
            note.number = 5
            return note.number
        }
        #expect(number == 5)
        #expect(try cache.numbers() == [5])
    }

    @Test func `an error of the closure is passed on and nothing is saved`() throws {
        struct Trouble: Error {}
        let cache = NoteCache.opening(directory.path)
        #expect(throws: Trouble.self) {
            try cache.performOnChildContext(describedAs: "the test") { context, _ in
                context.insert(Note.self).number = 1
                throw Trouble()
            }
        }
        #expect(try cache.numbers() == [])
        #expect(cache.reported == [])
    }

    @Test func `a child that cannot be saved is reported with its description`() throws {
        let cache = NoteCache.opening(directory.path)
        #expect(throws: ValidationError.self) {
            try cache.performOnChildContext(describedAs: "the fetching of notes") { context, _ in
                context.insert(Note.self).text = String(repeating: "x", count: 101)
            }
        }
        #expect(cache.reported.count == 1)
        #expect(cache.reported.first?.hasPrefix("the fetching of notes: ") == true)
        #expect(try cache.numbers() == [])
    }

    @Test func `a child may save while the main context is in the middle of a save`() throws {
        let cache = NoteCache.opening(directory.path)
        cache.insert(1)
        try cache.close()
        let again = NoteCache.opening(directory.path)
        // The note that the child changes is a fault in the main context: taking the change in loads.
        let fault = try #require(
            try again.managedObjectContext.objectIDs(for: FetchRequest<Note>()).first)
        again.insert(2).onWillSave = {
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                try? again.performOnChildContext(describedAs: "the test") { context, _ in
                    let note = try context.existingObject(with: fault) as? Note
                    note?.number = 10
                }
                done.signal()
            }
            done.wait()
        }
        try again.save()
        try again.save()
        #expect(again.reported == [])
        #expect(try NoteCache.opening(directory.path).numbers() == [2, 10])
    }

    @Test func `a child whose store was switched meanwhile is told`() throws {
        let cache = NoteCache.opening(directory.path)
        let error = #expect(throws: PersistentStoreError.self) {
            try cache.performOnChildContext(describedAs: "the test") { context, _ in
                context.insert(Note.self).number = 1
                try MainActor.assumeIsolated { try cache.switchNamespace(to: "other") }
            }
        }
        #expect(error?.code == .closed)
        #expect(cache.reported.count == 1)
    }

    @Test func `many threads and the main actor work at once`() async throws {
        let cache = NoteCache.opening(directory.path)
        let (threads, rounds) = (4, 10)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<threads {
                group.addTask {
                    for round in 0..<rounds {
                        try cache.performOnChildContext(describedAs: "work") { context, _ in
                            context.insert(Note.self).number = thread * 100 + round
                        }
                    }
                }
            }
            for _ in 0..<rounds {
                try await cache.save()
                await Task.yield()
            }
            try await group.waitForAll()
        }
        try cache.close()
        let expected = (0..<threads).flatMap { thread in (0..<rounds).map { thread * 100 + $0 } }
        #expect(try NoteCache.opening(directory.path).numbers() == expected.sorted())
    }
}
