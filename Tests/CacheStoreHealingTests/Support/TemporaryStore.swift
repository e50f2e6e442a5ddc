// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation

@testable import CacheStoreHealing

/// A directory of its own with the place of a store in it; deleted with this object.
final class TemporaryStore: Sendable {
    let directory: String

    /// - Parameter syncsForNothing: whether the store may lie in memory, where syncing costs nothing;
    ///   for tests that open hundreds.
    init(syncsForNothing: Bool = false) throws {
        let memory = "/dev/shm"
        let parent = syncsForNothing && access(memory, W_OK) == 0 ? memory : "/tmp"
        var template = Array("\(parent)/cachestore-healing-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw FileSystemError("create", parent) }
        let bytes = template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        directory = String(decoding: bytes, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    var path: String { directory + "/notes.sqlite" }
    var url: URL { URL(filePath: path) }
    var paths: StorePaths { StorePaths(main: path) }

    func open(
        _ content: NotesContent = NotesContent(), options: StoreOptions = StoreOptions()
    ) throws -> OpenedStore {
        try StoreOpener.open(at: url, content: content, options: options)
    }

    /// Opens, and returns the file; throws where there is none.
    func openFile(
        _ content: NotesContent = NotesContent(), options: StoreOptions = StoreOptions()
    ) throws -> StoreFile {
        guard let file = try open(content, options: options).file else { throw NoFile() }
        return file
    }

    /// Makes a store with notes and closes it.
    func fill(count: Int = 10, clean: Bool = true) throws {
        let file = try openFile()
        try file.addNotes(count)
        try file.close(clean: clean)
    }

    func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    func contents(_ path: String? = nil) -> Data? {
        FileManager.default.contents(atPath: path ?? self.path)
    }

    func write(_ bytes: some Sequence<UInt8>, to path: String? = nil) throws {
        try Data(bytes).write(to: URL(filePath: path ?? self.path))
    }

    /// Overwrites bytes of the database file. Not while a connection has it open.
    func overwrite(at offset: Int, with bytes: [UInt8]) throws {
        var data = contents() ?? Data()
        data.replaceSubrange(offset..<min(offset + bytes.count, data.count), with: bytes)
        try data.write(to: url)
    }

    /// Turns one bit of a file round, without making it another file.
    func flipBit(at offset: Int, of file: String? = nil) throws {
        let handle = try FileHandle(forUpdating: URL(filePath: file ?? path))
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(offset))
        guard let byte = try handle.read(upToCount: 1)?.first else { throw NoFile() }
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: [byte ^ 8])
    }

    /// Opens the closed store as a program without checksums would, and changes something.
    func changeByAnotherProgram(_ sql: String) throws {
        let connection = try Connection(.file(path), mode: .readWrite)
        try connection.execute(sql: sql)
        try connection.close()
    }

    /// The sets that are kept, by name.
    var quarantined: [String] { FileTree.names(in: directory + "/quarantine") }
}

struct NoFile: Error {}

extension StoreFile {
    func addNotes(_ count: Int) throws {
        try write { connection in
            for number in 0..<count {
                try connection.execute("INSERT INTO note (text) VALUES (\("note \(number)"))")
            }
        }
    }

    func countNotes() throws -> Int {
        try read { connection in
            let count = try connection.statement(sql: "SELECT count(*) FROM note").first {
                $0.int64(at: 0)
            }
            return Int(count ?? -1)
        }
    }
}
