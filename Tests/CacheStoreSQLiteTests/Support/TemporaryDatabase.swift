// SPDX-License-Identifier: MIT
import Foundation
import Testing

@testable import CacheStoreSQLite

/// A directory of its own for one test, removed with the last reference to it.
final class TemporaryDatabase: Sendable {
    let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory
            .appending(path: "CacheStoreSQLiteTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    var path: String { directory.appending(path: "store.sqlite").path }

    func connection(
        _ mode: Connection.Mode = .readWriteCreate, busyTimeout: Duration = .seconds(5),
        statementCacheCapacity: Int = 128
    ) throws -> Connection {
        try Connection(
            .file(path), mode: mode, busyTimeout: busyTimeout,
            statementCacheCapacity: statementCacheCapacity)
    }

    /// Overwrites a part of the database file.
    func overwrite(at offset: UInt64, with bytes: [UInt8]) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data(bytes))
        try file.close()
    }
}

/// The error of a closure that must throw a `SQLiteError`.
func sqliteError(
    _ body: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
) throws -> SQLiteError {
    do {
        try body()
    } catch {
        return try #require(error as? SQLiteError, sourceLocation: sourceLocation)
    }
    Issue.record("no error was thrown", sourceLocation: sourceLocation)
    throw CancellationError()
}
