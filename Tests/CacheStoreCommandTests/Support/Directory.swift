// SPDX-License-Identifier: MIT

import CacheStore
import CacheStoreSQLite
import Foundation
import Testing

/// A directory of one test's own with the files that it runs the program on; deleted with this object.
final class Directory {
    /// Where the files are.
    let path: String
    /// Where the outputs of the program are.
    let outside: String

    init() throws {
        var template = Array("/tmp/cachestore-command-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        let bytes = template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        outside = String(decoding: bytes, as: UTF8.self)
        path = outside + "/files"
        try #require(mkdir(path, 0o700) == 0 && mkdir(outside + "/tmp", 0o700) == 0)
    }

    deinit { try? FileManager.default.removeItem(atPath: outside) }

    func url(_ name: String) -> URL { URL(filePath: path + "/" + name) }

    func contents(_ name: String) -> Data? {
        FileManager.default.contents(atPath: path + "/" + name)
    }

    /// Names, contents and times of all that is in the directory.
    func picture() throws -> [String: String] {
        var picture: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            var status = stat()
            try #require(stat(path + "/" + name, &status) == 0)
            let hash = contents(name)?.hashValue ?? 0
            picture[name] =
                "\(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec) \(hash)"
        }
        return picture
    }

    // MARK: Stores

    /// Opens the store of the tests.
    func open(_ name: String = "notes.sqlite") throws -> PersistentContainer {
        try PersistentContainer(
            model: .commandNotes, store: PersistentStoreDescription(url: url(name)))
    }

    /// Makes a store with notes in folders, and closes it.
    func makeStore(notes: Int = 200) throws {
        let container = try open()
        try Self.fill(container, notes: notes)
        try container.close()
    }

    static func fill(_ container: PersistentContainer, notes: Int) throws {
        let context = try container.makeContext()
        let folders = (0..<3).map { number in
            let folder = context.insert(Folder.self)
            folder.name = "folder \(number)"
            return folder
        }
        for number in 0..<notes {
            let note = context.insert(Note.self)
            note.number = number
            note.text = String(repeating: "text \(number) ", count: 20)
            note.folder = folders[number % 3]
        }
        try context.save()
    }

    /// Makes a store whose log has not been moved into the file, as after a crash.
    func makeStoreWithLog() throws {
        try makeStore(notes: 100)
        let other = try Directory()
        for name in ["notes.sqlite"] {
            try FileManager.default.copyItem(at: url(name), to: other.url(name))
        }
        let container = try other.open()
        try Self.fill(container, notes: 50)
        for name in ["notes.sqlite", "notes.sqlite-wal"] {
            try? FileManager.default.removeItem(at: url(name))
            try FileManager.default.copyItem(at: other.url(name), to: url(name))
        }
        try container.close()
    }

    /// Runs SQL on a store with the checksums kept, while nobody has it open.
    func damage(_ sql: String, name: String = "notes.sqlite") throws {
        try ChecksumVFS.register()
        let connection = try Connection(
            .file(url(name).path(percentEncoded: false)), mode: .readWrite, vfs: ChecksumVFS.name)
        try connection.execute(sql: sql)
        try connection.close()
    }

    /// Makes a database that is no store.
    func makeDatabase(_ name: String = "other.db", journalMode: String = "delete") throws {
        let connection = try Connection(.file(url(name).path(percentEncoded: false)))
        try connection.execute(
            sql: """
                PRAGMA journal_mode = \(journalMode);
                CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT);
                WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
                INSERT INTO things SELECT i, hex(randomblob(50)) FROM n;
                CREATE INDEX by_name ON things (name);
                """)
        try connection.close()
    }

    /// Makes a database in the middle of whose last transaction the power went.
    func makeDatabaseWithJournal(_ name: String = "hot.db") throws {
        let other = try Directory()
        try other.makeDatabase(name)
        let connection = try Connection(.file(other.url(name).path(percentEncoded: false)))
        try connection.execute(
            sql: """
                PRAGMA cache_size = 2; PRAGMA cache_spill = 2; BEGIN;
                UPDATE things SET name = 'changed';
                """)
        for suffix in ["", "-journal"] {
            try FileManager.default.copyItem(
                at: other.url(name + suffix), to: url(name + suffix))
        }
        connection.rollBack()
        try connection.close()
    }

    func overwrite(_ name: String = "notes.sqlite", at offset: UInt64, with bytes: [UInt8]) throws {
        let handle = try FileHandle(forUpdating: url(name))
        try handle.seek(toOffset: offset)
        try handle.write(contentsOf: Data(bytes))
        try handle.close()
    }
}

/// The entities of the tests.
final class Note: ManagedObject {
    @Attribute(.indexed) var number: Int
    @Attribute var text: String?
    @Relationship var folder: Folder?
}

final class Folder: ManagedObject {
    @Attribute var name: String
    @Relationship(inverse: \Note.folder) var notes: Set<Note>
}

extension ManagedObjectModel {
    static let commandNotes = ManagedObjectModel(Note.self, Folder.self)
}
