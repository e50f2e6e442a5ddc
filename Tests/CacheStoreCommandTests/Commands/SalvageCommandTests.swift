// SPDX-License-Identifier: MIT

import CacheStore
import CacheStoreSQLite
import CacheStoreTestKit
import Foundation
import Testing

@Suite struct SalvageCommandTests {
    private let directory: Directory

    init() throws { directory = try Directory() }

    private func salvage(_ name: String, to output: String) throws -> (
        code: Int32, json: [String: Any]
    ) {
        let before = try directory.picture()[name]
        let result = try Command.run(
            ["salvage", name, "--output", output, "--json"], in: directory)
        #expect(try directory.picture()[name] == before)
        return (result.code, try result.json())
    }

    @Test(arguments: 1...4)
    func `of a damaged store what is left is in a new one`(seed: Int) throws {
        try directory.makeStore(notes: 500)
        var injector = CorruptionInjector(seed: UInt64(seed))
        try injector.inject(.zeroedSector, into: directory.url("notes.sqlite"))
        let result = try salvage("notes.sqlite", to: "new.sqlite")
        #expect(result.code == 0)
        #expect(result.json["result"] as? String == "salvaged")
        #expect(result.json["permille"] as? Int ?? 0 >= 800)
        #expect(try Command.run("check", "new.sqlite", in: directory).code == 0)
        let tables = try #require(result.json["tables"] as? [String: [String: Int]])
        let kept = try #require(tables["Note"]?["kept"])
        let doubtful = try #require(tables["Note"]?["doubtful"])
        let info = try Command.run("info", "--json", "new.sqlite", in: directory).json()
        #expect((info["entities"] as? [String: Int])?["Note"] == kept + doubtful)
    }

    @Test func `a store without its first page is salvaged, too`() throws {
        try directory.makeStore(notes: 500)
        try directory.overwrite(at: 0, with: [UInt8](repeating: 0x5A, count: 4096))
        let result = try salvage("notes.sqlite", to: "new.sqlite")
        #expect(result.code == 0)
        #expect(result.json["kept"] as? Int ?? 0 >= 450)
    }

    @Test func `rows of another program's database are taken over without proof`() throws {
        try directory.makeDatabase()
        let size = UInt64(try #require(directory.contents("other.db")?.count))
        let page = size / 2 / 4096 * 4096
        try directory.overwrite("other.db", at: page, with: [UInt8](repeating: 0, count: 4096))
        let result = try salvage("other.db", to: "new.db")
        #expect(result.code == 0)
        #expect(result.json["kept"] as? Int == 0)
        #expect(result.json["doubtful"] as? Int ?? 0 >= 1800)
        #expect(try Command.run("check", "--deep", "new.db", in: directory).code == 0)
    }

    @Test func `a file that is there is never overwritten`() throws {
        try directory.makeStore(notes: 3)
        try Data([1]).write(to: directory.url("precious"))
        #expect(try salvage("notes.sqlite", to: "precious").code == 2)
        #expect(directory.contents("precious") == Data([1]))
    }

    @Test func `what has no tables gives nothing`() throws {
        try Data(repeating: 7, count: 50_000).write(to: directory.url("noise"))
        #expect(try salvage("noise", to: "new.db").code == 1)
        #expect(try salvage("nothing", to: "new.db").code == 1)
        #expect(directory.contents("new.db") == nil)
    }

    @Test func `a file that is in use is not salvaged`() throws {
        let container = try directory.open()
        try Directory.fill(container, notes: 3)
        #expect(try Command.run("salvage", "notes.sqlite", "-o", "n", in: directory).code == 3)
        try container.close()
    }

    @Test func `the place of the new file must be said`() throws {
        #expect(try Command.run("salvage", "notes.sqlite", in: directory).code == 2)
    }
}
