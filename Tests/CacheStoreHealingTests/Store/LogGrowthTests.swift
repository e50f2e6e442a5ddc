// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStoreHealing

/// The log, and the file, do not stay larger than what is in them.
@Suite struct LogGrowthTests {
    private let store: TemporaryStore
    private var options = StoreOptions()

    init() throws {
        store = try TemporaryStore(syncsForNothing: true)
        options.checkpointThreshold = 1 << 20
    }

    private func size(_ path: String) -> Int64 { FileTree.size(at: path) ?? 0 }

    /// Writes about so many megabytes, in transactions of a tenth of one.
    private func write(_ megabytes: Int, to file: StoreFile) throws {
        let text = String(repeating: "a long note. ", count: 800)
        for _ in 0..<megabytes * 10 {
            try file.write { connection in
                for _ in 0..<10 {
                    try connection.execute("INSERT INTO note (text) VALUES (\(text))")
                }
            }
        }
    }

    @Test func `without readers in the way the log stays at about its threshold`() throws {
        let file = try store.openFile(options: options)
        try write(12, to: file)
        #expect(size(store.paths.log) < 3 << 20)
        try file.close()
    }

    @Test func `a reader of an old snapshot lets the log grow, and it is cut when he has ended`()
        throws
    {
        let file = try store.openFile(options: options)
        try file.addNotes(1)
        try file.read { connection in
            let count = try connection.statement(sql: "SELECT count(*) FROM note")
            #expect(try count.first { $0.int64(at: 0) } == 1)
            try write(12, to: file)
            #expect(try count.first { $0.int64(at: 0) } == 1)
            #expect(size(store.paths.log) > 10 << 20)
        }
        // The next checkpoint that is due finds nobody in its way.
        try write(2, to: file)
        #expect(size(store.paths.log) < 3 << 20)
        #expect(try file.countNotes() == 1_401)
        try file.close()
    }

    @Test func `a file shrinks when most of it was deleted, and keeps what is left`() throws {
        let file = try store.openFile(options: options)
        try file.addNotes(100)
        try write(20, to: file)
        try file.checkpoint(.truncate)
        let before = size(store.path)
        #expect(before > 18 << 20)
        try file.write { try $0.execute(sql: "DELETE FROM note WHERE id > 100") }
        // A little at a time: nobody waits for all of it.
        try write(1, to: file)
        #expect(size(store.path) > before / 2)
        for _ in 0..<12 {
            try write(2, to: file)
            try file.write { try $0.execute(sql: "DELETE FROM note WHERE id > 100") }
        }
        try file.close()
        #expect(size(store.path) < before / 4)
        let again = try store.openFile()
        #expect(try again.countNotes() == 100)
        #expect(try again.read { try $0.integrityCheck(maximumProblems: 1) }.isOK)
        try again.close()
    }

    @Test func `a little free space is left for what comes next`() throws {
        let file = try store.openFile(options: options)
        try write(8, to: file)
        try file.close()
        let before = size(store.path)
        let again = try store.openFile(options: options)
        try again.write { try $0.execute(sql: "DELETE FROM note WHERE id % 6 = 0") }
        try again.close()
        #expect(size(store.path) == before)
    }
}
