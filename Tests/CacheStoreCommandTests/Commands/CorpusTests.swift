// SPDX-License-Identifier: MIT

import CacheStoreTestKit
import Testing

@Suite(
    .enabled(
        if: DamagedDatabases.directory != nil, "the corpus is not there: see CACHESTORE_CORPUS"))
struct CommandCorpusTests {
    /// A few of them, unless slow tests are asked for.
    private static var databases: [DamagedDatabases.Entry] {
        DamagedDatabases.made
            + DamagedDatabases.images.enumerated()
            .filter { TestSeed.areTestsSlow || $0.offset % 10 == 0 }.map(\.element)
    }

    @Test func `every damaged database is judged in time, and left as it is`() throws {
        for database in Self.databases {
            let directory = try Directory()
            try database.copy(to: directory.path + "/store.sqlite")
            let before = try directory.picture()
            for arguments in [["info"], ["check"], ["check", "--deep"], ["heal"]] {
                let result = try Command.run(arguments + ["store.sqlite"], in: directory)
                let place = "\(arguments) \(database): \(result.output)\(result.errors)"
                #expect((0...3).contains(result.code), "\(place)")
                #expect(result.duration < .seconds(1), "\(place)")
                // None of them is a store of ours.
                if arguments == ["heal"] { #expect(result.code != 0, "\(place)") }
                #expect(try directory.picture() == before, "\(place)")
            }
        }
    }

    @Test(arguments: [
        "100-bytes", "all-zero", "child-pointer-self", "half-file", "index-root-zero", "one-byte",
        "page-1-zero", "random", "schema-garbage", "table-root-zero", "text", "zero-length",
        "main-deleted-hot-wal-left", "main-deleted-hot-journal-left",
    ])
    func `what SQLite cannot read is damaged or not found`(name: String) throws {
        let database = try #require(DamagedDatabases.made.first { $0.name == name })
        let directory = try Directory()
        try database.copy(to: directory.path + "/store.sqlite")
        #expect(try Command.run("check", "store.sqlite", in: directory).code == 1)
    }
}
