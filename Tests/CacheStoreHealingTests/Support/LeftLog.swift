// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation

@testable import CacheStoreHealing

/// A database of SQLite's and its log, as a killed process leaves them: bytes, to be damaged.
///
/// The table `item` has a row for each commit, which numbers them; what the log has of it, SQLite
/// itself says.
struct LeftLog {
    let pageSize: Int
    var database: [UInt8]
    var log: [UInt8]

    var frameSize: Int { 24 + pageSize }
    var frameCount: Int { (log.count - 32) / frameSize }
    /// The frames that end a commit, from 0.
    var commitFrames: [Int] {
        (0..<frameCount).filter { log.number32(at: place(of: $0) + 4) != 0 }
    }

    /// Where a frame is in the log.
    func place(of frame: Int) -> Int { 32 + frame * frameSize }

    /// Makes a database and does something with it; it must be one that commits with ``commit(_:_:in:)``.
    init(
        pageSize: Int = 4096, going on: LeftLog? = nil, _ body: (Connection) throws -> Void
    ) throws {
        let store = try TemporaryStore(syncsForNothing: true)
        try on?.write(to: store)
        let connection = try Connection(.file(store.path))
        try connection.execute(
            sql: "PRAGMA page_size = \(pageSize); PRAGMA journal_mode = WAL;"
                + "PRAGMA wal_autocheckpoint = 0")
        try connection.configure(.noCheckpointOnClose, true)
        if on == nil {
            try connection.execute(sql: "CREATE TABLE item (number INTEGER, content BLOB)")
            try connection.checkpoint(.truncate)
        }
        try body(connection)
        self.pageSize = pageSize
        database = [UInt8](store.contents() ?? Data())
        log = [UInt8](store.contents(store.paths.log) ?? Data())
        try connection.close()
    }

    /// One with commits of some pages each.
    init(commits: Int, pages: Int = 3, pageSize: Int = 4096) throws {
        try self.init(pageSize: pageSize) { connection in
            for _ in 0..<commits { try Self.commit(pages, in: connection) }
        }
    }

    /// Commits so many pages of content, or little more than one page.
    static func commit(_ pages: Int, in connection: Connection) throws {
        let page = try connection.pragma("page_size")?.integer ?? 0
        try connection.execute(
            """
            INSERT INTO item
            SELECT coalesce(max(number), 0) + 1, zeroblob(\(Int64(pages) * page)) FROM item
            """)
    }

    func write(to store: TemporaryStore) throws {
        try store.write(database)
        try store.write(log, to: store.paths.log)
    }

    /// What is told of the log.
    func survey(pageSize: Int? = nil) throws -> LogSurvey? {
        let store = try TemporaryStore(syncsForNothing: true)
        try write(to: store)
        return try LogSurvey(path: store.paths.log, pageSize: pageSize)
    }

    /// How many commits SQLite finds.
    func replayed() throws -> Int {
        let store = try TemporaryStore(syncsForNothing: true)
        try write(to: store)
        let connection = try Connection(.file(store.path), mode: .readWrite)
        let count = try connection.statement(sql: "SELECT count(*) FROM item").first {
            Int($0.int64(at: 0))
        }
        try connection.close()
        return count ?? -1
    }

    mutating func flipBit(at offset: Int) { log[offset] ^= 8 }

    /// Gives the log the checksums of the other byte order, as another processor writes them.
    mutating func swapByteOrder() {
        log[3] ^= 1
        renewChecksums()
    }

    /// Gives the log the checksums of what it has.
    mutating func renewChecksums() {
        let isBigEndian = log[3] & 1 == 1
        var sum = (first: UInt32(0), second: UInt32(0))
        func add(_ range: Range<Int>) {
            for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                let words = [offset, offset + 4].map { log.number32(at: $0) ?? 0 }
                    .map { isBigEndian ? $0 : $0.byteSwapped }
                sum.first = sum.first &+ words[0] &+ sum.second
                sum.second = sum.second &+ words[1] &+ sum.first
            }
        }
        func store(at offset: Int) {
            for (index, value) in [sum.first, sum.second].enumerated() {
                for byte in 0..<4 {
                    log[offset + index * 4 + byte] = UInt8(
                        truncatingIfNeeded: value >> (24 - byte * 8))
                }
            }
        }
        add(0..<24)
        store(at: 24)
        for start in (0..<frameCount).map({ place(of: $0) }) {
            add(start..<start + 8)
            add(start + 24..<start + frameSize)
            store(at: start + 16)
        }
    }
}
