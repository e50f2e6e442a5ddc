// SPDX-License-Identifier: MIT

import CacheStore
import CacheStoreProcess
import CacheStoreSQLite
import Foundation
import Synchronization
import Testing

@testable import struct CacheStore.StoreLocation

private final class Contradiction: ManagedObject {
    @Attribute var name: String = ""
    @Relationship(inverse: \Counterpart.owner) var first: Counterpart?
    @Relationship(inverse: \Counterpart.owner) var second: Counterpart?
}

private final class Counterpart: ManagedObject {
    @Relationship var owner: Contradiction?
}

/// Remembers when it was told of a save that failed.
private final class TimedCache: NoteCache {
    nonisolated let times = Mutex<[ContinuousClock.Instant]>([])

    nonisolated override func handleSaveError(_ error: any Error, saving what: String) {
        times.withLock { $0.append(.now) }
    }
}

@Suite @MainActor struct BadInputTests {
    private let directory: TemporaryDirectory
    private var store: URL { directory.url.appending(path: "Notes.sqlite") }

    init() throws { directory = try TemporaryDirectory() }

    private func cache(
        _ policy: PersistentStoreDescription.UnavailablePolicy,
        _ change: (inout PersistentStoreManager.Configuration) -> Void = { _ in }
    ) -> NoteCache {
        NoteCache.opening(directory.path) {
            $0.store.unavailablePolicy = policy
            $0.store.busyTimeout = .milliseconds(50)
            change(&$0)
        }
    }

    // MARK: - Where the store is

    private func location(_ environment: [String: String]) throws -> String {
        var configuration = PersistentStoreManager.Configuration(
            applicationIdentifier: "org.example.Notes", model: .notes)
        configuration.environment = environment
        return try StoreLocation(configuration, namespace: "ada").path
    }

    @Test func `a relative XDG_CACHE_HOME is ignored`() throws {
        let path = try location(["XDG_CACHE_HOME": "caches", "HOME": "/home/ada"])
        #expect(path == "/home/ada/.cache/org.example.Notes/ada/CacheStore.sqlite")
    }

    @Test func `XDG_CACHE_HOME and systemd's directory are used, in this order`() throws {
        var environment = ["XDG_CACHE_HOME": "/caches", "HOME": "/home/ada"]
        #expect(
            try location(environment) == "/caches/org.example.Notes/ada/CacheStore.sqlite")
        environment["CACHE_DIRECTORY"] = "/var/cache/notes:/var/cache/other"
        #expect(
            try location(environment)
                == "/var/cache/notes/org.example.Notes/ada/CacheStore.sqlite")
    }

    @Test func `without HOME the password database knows the home directory`() throws {
        let path = try location([:])
        #expect(path.hasPrefix("/"))
        #expect(path.hasSuffix("/.cache/org.example.Notes/ada/CacheStore.sqlite"))
    }

    @Test(arguments: ["../x", "", "a/b", ".hidden"])
    func `an application identifier that is no name is an error`(_ identifier: String) throws {
        let cache = cache(.fail) { $0.applicationIdentifier = identifier }
        let error = try #require(cache.openError as? DirectoryError)
        #expect(error.code == .invalidPathComponent)
        #expect(cache.reported.count == 1)
        #expect(throws: DirectoryError.self) {
            try cache.managedObjectContext.fetch(FetchRequest<Note>())
        }
    }

    // MARK: - What cannot be had

    @Test func `with the policy fail whatever needs the store throws why it is not there`() throws {
        try Data("in the way".utf8).write(to: directory.url.appending(path: "file"))
        let cache = cache(.fail) { $0.directory = directory.url.appending(path: "file/caches") }
        #expect(cache.openError is DirectoryError)
        #expect(cache.wasResetOrCreated)
        #expect(throws: DirectoryError.self) { try cache.numbers() }
        cache.insert(1)
        #expect(throws: DirectoryError.self) { try cache.save() }
        #expect(throws: DirectoryError.self) {
            try cache.performOnChildContext(describedAs: "the test") { context, _ in
                try context.count(for: FetchRequest<Note>())
            }
        }
    }

    @Test func `with the policy inMemory the session runs in memory and says why`() throws {
        try Data("in the way".utf8).write(to: directory.url.appending(path: "file"))
        let cache = cache(.inMemory) { $0.directory = directory.url.appending(path: "file/caches") }
        #expect(cache.openReport.outcome == .inMemory)
        #expect(cache.openReport.underlyingError is DirectoryError)
        #expect(cache.openError is DirectoryError)
        #expect(cache.wasResetOrCreated)
        #expect(cache.reported.count == 1)
        cache.insert(1)
        try cache.save()
        #expect(try cache.numbers() == [1])
    }

    @Test func `a directory of another user, or open to others, is not trusted`() throws {
        chmod(directory.path, 0o777)
        let cache = cache(.inMemory)
        #expect(DirectoryError.Code.worldWritable ~= (cache.openError ?? CancellationError()))
        #expect(cache.openReport.outcome == .inMemory)
        #expect(!directory.exists("Notes.sqlite"))
    }

    @Test func `a lock that another holds leaves the file alone`() throws {
        let first = NoteCache.opening(directory.path)
        first.insert(1)
        try first.save()
        try first.close()
        let content = try Data(contentsOf: store)
        // As another process would while it heals the store.
        let lock = try FileLock(path: directory.path + "/Notes.lock")
        #expect(try lock.tryLock(.exclusive))
        let strict = cache(.fail)
        #expect(PersistentStoreError.Code.busy ~= (strict.openError ?? CancellationError()))
        let lenient = cache(.inMemory)
        #expect(lenient.openReport.outcome == .inMemory)
        #expect(lenient.openReport.cause == .storeLocked)
        #expect(lenient.wasResetOrCreated)
        lenient.insert(2)
        try lenient.save()
        #expect(try Data(contentsOf: store) == content)
        try lock.unlock()
        #expect(try NoteCache.opening(directory.path).numbers() == [1])
    }

    @Test func `the store of another application is set aside and kept`() throws {
        do {
            let connection = try Connection(.file(store.path(percentEncoded: false)))
            try connection.execute(sql: "PRAGMA application_id = 42")
            try connection.execute(sql: "CREATE TABLE theirs (number INTEGER)")
            try connection.execute(sql: "INSERT INTO theirs VALUES (1)")
            try connection.close()
        }
        let content = try Data(contentsOf: store)
        let cache = cache(.fail)
        #expect(cache.openError == nil)
        #expect(cache.openReport.cause == .foreignFile)
        #expect(cache.wasResetOrCreated)
        let kept = try #require(cache.openReport.quarantine)
        #expect(try Data(contentsOf: kept.appending(path: "Notes.sqlite")) == content)
    }

    @Test func `a disk that is full costs nothing that is not saved yet`() async throws {
        await #expect(processExitsWith: .exitCode(3)) {
            @MainActor [path = directory.path as String] in
            Child.limit()
            let cache = NoteCache.opening(path)
            cache.insert(1)
            try await cache.save()
            // Files cannot grow any more; SQLite takes that for a full or failing disk.
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 4_096, rlim_max: rlim_t.max)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            for number in 2..<2_000 { cache.insert(number) }
            do {
                try await cache.save()
                exit(10)
            } catch is PersistentStoreError {
            } catch {
                exit(11)
            }
            guard cache.reported.count == 1 else { exit(12) }
            guard try cache.numbers().count == 1_999 else { exit(13) }
            limit.rlim_cur = .max
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            exit(3)
        }
        #expect(try NoteCache.opening(directory.path).numbers() == [1])
    }

    @Test func `a background save that fails is tried again more and more rarely`() async throws {
        let cache = TimedCache.opening(directory.path) {
            $0.isInMemory = true
            $0.autosave = PersistentStoreManager.Autosave()
            $0.autosave.signals = []
            $0.autosave.savesAtExit = false
            $0.autosave.delay = .milliseconds(20)
        }
        let note = cache.insert(1)
        // Too long for the attribute: the save fails each time.
        note.text = String(repeating: "x", count: 200)
        let end = ContinuousClock.now + .seconds(60)
        while cache.times.withLock({ $0.count }) < 5, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(5))
        }
        let times = cache.times.withLock { $0 }
        try #require(times.count >= 5)
        // Two, four, eight and sixteen delays were waited for.
        #expect(times[4] - times[0] >= .milliseconds(30 * 20))
        note.text = "x"
        let deadline = ContinuousClock.now + .seconds(60)
        while cache.managedObjectContext.hasChanges, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(2))
        }
        #expect(!cache.managedObjectContext.hasChanges)
        try cache.close()
    }

    @Test func `a file that is not a database is set aside`() throws {
        let content = Data("Dear diary, this is not a database. ".utf8)
        try content.write(to: store)
        let cache = cache(.fail)
        #expect(cache.openError == nil)
        #expect(cache.openReport.outcome == .reset)
        #expect(cache.wasResetOrCreated)
        let kept = try #require(cache.openReport.quarantine)
        #expect(try Data(contentsOf: kept.appending(path: "Notes.sqlite")) == content)
        cache.insert(1)
        try cache.save()
    }

    @Test func `a model that contradicts itself is an error of opening`() throws {
        let cache = cache(.inMemory) {
            $0.model = ManagedObjectModel(Contradiction.self, Counterpart.self)
        }
        #expect(cache.openError is ModelError)
        #expect(cache.wasResetOrCreated)
        #expect(throws: (any Error).self) {
            try cache.managedObjectContext.insert(entityNamed: "Contradiction")
        }
    }
}
