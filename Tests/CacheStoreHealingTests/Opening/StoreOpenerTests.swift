// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStoreHealing

@Suite struct StoreOpenerTests {
    // MARK: Model

    @Test func `an older model is migrated with its rows`() throws {
        let store = try TemporaryStore()
        try store.fill(count: 3)
        let opened = try store.open(NotesContent(version: 2))
        #expect(opened.report.outcome == .migrated)
        #expect(opened.report.cause == .modelChanged)
        #expect(opened.report.oldFingerprint == "notes-1")
        #expect(opened.report.newFingerprint == "notes-2")
        #expect(opened.report.migrationChanges == ["color added to note"])
        #expect(!opened.report.wasResetOrCreated)
        #expect(try opened.file?.countNotes() == 3)
        try opened.file?.close()
        let again = try store.open(NotesContent(version: 2))
        #expect(again.report.outcome == .opened)
        #expect(!again.report.wasUncleanShutdown)
    }

    @Test func `an unmigratable store is reset, kept, and told with the reason`() throws {
        let store = try TemporaryStore()
        try store.fill(count: 3)
        let opened = try store.open(NotesContent(version: 9))
        #expect(opened.report.outcome == .reset)
        #expect(
            opened.report.cause.unmigratableReason == "no way from there to version 9")
        #expect(opened.report.oldFingerprint == "notes-1")
        #expect(opened.report.oldStoreIdentifier != opened.report.storeIdentifier)
        #expect(try opened.file?.countNotes() == 0)
        let place = try #require(opened.report.quarantine)
        // What was kept is a store of its own that can be opened.
        let copy = place.appending(path: "notes.sqlite")
        let kept = try #require(
            try StoreOpener.open(at: copy, content: NotesContent()).file)
        #expect(try kept.countNotes() == 3)
    }

    // MARK: Clean mark

    @Test func `only a clean close leaves a clean store`() throws {
        let store = try TemporaryStore()
        try store.fill(clean: false)
        #expect(try isUnclean(store))
        // Dropped without closing.
        do { try store.openFile().addNotes(1) }
        #expect(try isUnclean(store))
        try store.openFile().close()
        #expect(try !isUnclean(store))
    }

    @Test func `a session that only reads leaves the mark`() throws {
        let store = try TemporaryStore()
        try store.fill()
        do { _ = try store.openFile().countNotes() }
        #expect(try !isUnclean(store))
    }

    @Test func `a store whose check did not finish stays unclean`() throws {
        let store = try TemporaryStore()
        try store.fill(count: 5000, clean: false)
        var options = StoreOptions()
        options.verification.deadline = .zero
        let opened = try store.open(options: options)
        #expect(opened.report.outcome == .opened)
        #expect(opened.report.verification == .incomplete)
        try opened.file?.close()
        #expect(try isUnclean(store))
    }

    @Test func `a new store that is closed at once is clean`() throws {
        let store = try TemporaryStore()
        try store.openFile().close()
        #expect(try !isUnclean(store))
    }

    /// Asks without changing the mark.
    private func isUnclean(_ store: TemporaryStore) throws -> Bool {
        var options = StoreOptions()
        options.isReadOnly = true
        let opened = try store.open(options: options)
        defer { try? opened.file?.close() }
        return opened.report.wasUncleanShutdown
    }

    // MARK: Reset

    @Test func `a store can be reset again and again`() throws {
        let store = try TemporaryStore()
        var identifiers: Set<UUID> = []
        for _ in 0..<100 {
            let opened = try StoreOpener.reset(at: store.url, content: NotesContent())
            let file = try #require(opened.file)
            #expect(opened.report.outcome == .reset)
            #expect(opened.report.cause == .requested)
            #expect(try file.countNotes() == 0)
            try file.addNotes(1)
            try file.close()
            identifiers.insert(file.identifier)
        }
        #expect(identifiers.count == 100)
        #expect(store.quarantined.isEmpty)
    }

    // MARK: Places that cannot be used

    @Test func `a directory at the place is an error, and stays`() throws {
        let store = try TemporaryStore()
        try FileTree.makeDirectory(store.path)
        #expect { try store.open() } throws: { PersistentStoreError.Code.unavailable ~= $0 }
        #expect(FileTree.status(at: store.path)?.isDirectory == true)
    }

    @Test func `a place in memory is reported where the policy allows it`() throws {
        let store = try TemporaryStore()
        try FileTree.makeDirectory(store.path)
        var options = StoreOptions()
        options.onUnavailable = .inMemory
        let opened = try store.open(options: options)
        #expect(opened.file == nil)
        #expect(opened.report.outcome == .inMemory)
        #expect(opened.report.cause == .unavailable)
        #expect(opened.report.wasResetOrCreated)
    }

    @Test(arguments: ["relative.sqlite", "/tmp/directory/"])
    func `a place that is no absolute path of a file is a mistake`(path: String) {
        let url = URL(string: path) ?? URL(filePath: "/")
        #expect { try StoreOpener.open(at: url, content: NotesContent()) } throws: {
            PersistentStoreError.Code.invalidConfiguration ~= $0
        }
    }

    @Test func `missing directories are made`() throws {
        let store = try TemporaryStore()
        let url = URL(filePath: store.directory + "/a/b/c/notes.sqlite")
        #expect(try StoreOpener.open(at: url, content: NotesContent()).file != nil)
    }

    @Test func `a directory that others may write to is refused`() throws {
        let store = try TemporaryStore()
        #expect(chmod(store.directory, 0o777) == 0)
        #expect { try store.open() } throws: { PersistentStoreError.Code.permissionDenied ~= $0 }
        #expect(!store.exists(store.path))
    }

    @Test func `a symbolic link leads to the store it names`() throws {
        let store = try TemporaryStore()
        try store.fill(count: 2)
        let link = store.directory + "/link.sqlite"
        #expect(symlink(store.path, link) == 0)
        let file = try #require(
            try StoreOpener.open(at: URL(filePath: link), content: NotesContent()).file)
        #expect(file.paths.fileName == "notes.sqlite")
        #expect(try file.countNotes() == 2)
    }

    @Test func `a store opened to be read must be there`() throws {
        let store = try TemporaryStore()
        var options = StoreOptions()
        options.isReadOnly = true
        #expect { try store.open(options: options) } throws: {
            PersistentStoreError.Code.unavailable ~= $0
        }
        #expect(!store.exists(store.path))
    }

    @Test(.enabled(if: isRoot, "giving up root's rights needs them"))
    func `a directory that cannot be written is an error and nothing is touched`() async throws {
        let store = try TemporaryStore()
        try store.fill(count: 2)
        let bytes = store.contents()
        let directory = store.directory
        await #expect(processExitsWith: .success) { [directory = directory as String] in
            // Root's directory: trusted, but not writable for anybody else.
            #expect(chmod(directory, 0o755) == 0)
            #expect(setgid(65_534) == 0 && setuid(65_534) == 0)
            let url = URL(filePath: directory + "/notes.sqlite")
            let fresh = URL(filePath: directory + "/fresh.sqlite")
            for place in [url, fresh] {
                #expect { try StoreOpener.open(at: place, content: NotesContent()) } throws: {
                    PersistentStoreError.Code.permissionDenied ~= $0
                }
            }
            var options = StoreOptions()
            options.isReadOnly = true
            let opened = try StoreOpener.open(at: url, content: NotesContent(), options: options)
            #expect(try opened.file?.countNotes() == 2)
        }
        #expect(store.contents() == bytes)
        #expect(store.quarantined.isEmpty)
    }

    @Test(.enabled(if: isRoot, "giving up root's rights needs them"))
    func `a file that cannot be read is an error and is kept`() async throws {
        let store = try TemporaryStore()
        try store.fill(count: 2)
        let bytes = store.contents()
        let directory = store.directory
        await #expect(processExitsWith: .success) { [directory = directory as String] in
            #expect(chown(directory, 65_534, 65_534) == 0)
            for name in FileTree.names(in: directory) where name.hasSuffix(".lock") {
                #expect(chown("\(directory)/\(name)", 65_534, 65_534) == 0)
            }
            #expect(chmod(directory + "/notes.sqlite", 0o600) == 0)
            #expect(setgid(65_534) == 0 && setuid(65_534) == 0)
            let url = URL(filePath: directory + "/notes.sqlite")
            #expect { try StoreOpener.open(at: url, content: NotesContent()) } throws: {
                PersistentStoreError.Code.permissionDenied ~= $0
            }
        }
        #expect(store.contents() == bytes)
    }

    @Test(.enabled(if: isRoot, "giving up root's rights needs them"))
    func `a file that can only be read is an error and is kept`() async throws {
        let store = try TemporaryStore()
        try store.fill(count: 2)
        let bytes = store.contents()
        let directory = store.directory
        await #expect(processExitsWith: .success) { [directory = directory as String] in
            #expect(chown(directory, 65_534, 65_534) == 0)
            for name in FileTree.names(in: directory) where name.hasSuffix(".lock") {
                #expect(chown("\(directory)/\(name)", 65_534, 65_534) == 0)
            }
            #expect(chmod(directory + "/notes.sqlite", 0o444) == 0)
            #expect(setgid(65_534) == 0 && setuid(65_534) == 0)
            let url = URL(filePath: directory + "/notes.sqlite")
            do {
                let file = try StoreOpener.open(at: url, content: NotesContent()).file
                try file?.addNotes(1)
                Issue.record("the file was written")
            } catch {
                let error = error as? PersistentStoreError
                #expect(error?.code == .readOnly || error?.code == .permissionDenied)
            }
        }
        #expect(store.contents() == bytes)
        #expect(store.quarantined.isEmpty)
    }
}
