// SPDX-License-Identifier: MIT

import CacheStore
import Foundation
import Testing

@Suite @MainActor struct NamespaceTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func `each namespace has a store of its own`() throws {
        let cache = NoteCache.opening(directory.path)
        cache.insert(1)
        try cache.switchNamespace(to: "ada")
        #expect(cache.namespace == "ada")
        #expect(cache.wasResetOrCreated)
        #expect(directory.exists("ada/Notes.sqlite"))
        #expect(try cache.numbers() == [])
        cache.insert(2)
        try cache.switchNamespace(to: "grace")
        #expect(try cache.numbers() == [])
        cache.insert(3)
        try cache.switchNamespace(to: "ada")
        #expect(!cache.wasResetOrCreated)
        #expect(!cache.openReport.wasUncleanShutdown)
        #expect(try cache.numbers() == [2])
        try cache.switchNamespace(to: nil)
        #expect(try cache.numbers() == [1])
        #expect(cache.reported == [])
    }

    @Test(arguments: [
        "../x", "..", ".", "", "a/b", "/etc", ".hidden", "a\u{0}b", "quarantine", "Notes.blobs",
        String(repeating: "x", count: 300),
    ])
    func `a namespace that is no name is refused, and the old store stays`(
        _ namespace: String
    ) throws {
        let cache = NoteCache.opening(directory.path)
        let note = cache.insert(1)
        let error = #expect(throws: DirectoryError.self) {
            try cache.switchNamespace(to: namespace)
        }
        #expect(error?.code == .invalidPathComponent)
        #expect(cache.namespace == nil)
        note.number = 2
        try cache.save()
        #expect(try cache.numbers() == [2])
    }

    @Test func `a switch to a place that cannot be had leaves the old store usable`() throws {
        try Data().write(to: directory.url.appending(path: "ada"))
        let cache = NoteCache.opening(directory.path)
        let note = cache.insert(1)
        let error = #expect(throws: DirectoryError.self) { try cache.switchNamespace(to: "ada") }
        #expect(error?.code == .notADirectory)
        note.author = "somebody"
        try cache.save()
        #expect(try cache.numbers() == [1])
    }

    @Test func `a switch whose save fails leaves the old store usable`() throws {
        let cache = NoteCache.opening(directory.path)
        let note = cache.insert(1)
        note.text = String(repeating: "x", count: 101)
        #expect(throws: ValidationError.self) { try cache.switchNamespace(to: "ada") }
        #expect(cache.namespace == nil)
        note.text = nil
        try cache.switchNamespace(to: "ada")
        #expect(try cache.numbers() == [])
    }

    @Test func `objects of the former store keep what they have loaded`() throws {
        let cache = NoteCache.opening(directory.path)
        let context = cache.managedObjectContext
        let note = cache.insert(1)
        try cache.switchNamespace(to: "ada")
        #expect(note.number == 1)
        #expect(throws: ContextError.self) { try context.fetch(FetchRequest<Note>()) }
        note.number = 2
        #expect(throws: ContextError.self) { try context.saveToPersistentStore() }
    }
}
