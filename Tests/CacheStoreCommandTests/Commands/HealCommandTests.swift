// SPDX-License-Identifier: MIT

import CacheStore
import CacheStoreSQLite
import CacheStoreTestKit
import Foundation
import Testing

@Suite struct HealCommandTests {
    private let directory: Directory

    init() throws { directory = try Directory() }

    private func heal(_ name: String = "notes.sqlite") throws -> (code: Int32, json: [String: Any])
    {
        let result = try Command.run("heal", "--json", name, in: directory)
        return (result.code, try result.json())
    }

    private var quarantined: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory.path + "/quarantine")) ?? []
    }

    /// The numbers of the notes, after the program has opened its store.
    private func open() throws -> (report: StoreOpenReport, notes: Int) {
        let container = try directory.open()
        let count = try container.makeContext().count(for: FetchRequest<Note>())
        try container.close()
        return (container.openReport, count)
    }

    @Test func `a sound store is left as it is`() throws {
        try directory.makeStore(notes: 20)
        let result = try heal()
        #expect(result.code == 0)
        #expect(result.json["result"] as? String == "healthy")
        let opened = try open()
        #expect(opened.notes == 20)
        #expect(opened.report.outcome == .opened && !opened.report.wasUncleanShutdown)
    }

    @Test func `a store that was not closed is closed`() throws {
        try directory.makeStoreWithLog()
        let result = try heal()
        #expect(result.code == 0)
        #expect(result.json["result"] as? String == "healthy")
        let opened = try open()
        #expect(opened.notes == 150)
        #expect(!opened.report.wasUncleanShutdown)
    }

    @Test(arguments: [Damage.zeroedSector, .truncation, .otherPage], 1...2)
    func `a damaged store is emptied, its files are kept, and its program is told`(
        damage: Damage, seed: Int
    ) throws {
        try directory.makeStore()
        var injector = CorruptionInjector(seed: UInt64(seed))
        try injector.inject(damage, into: directory.url("notes.sqlite"))
        let damaged = try #require(directory.contents("notes.sqlite"))
        guard try Command.run("check", "notes.sqlite", in: directory).code == 1 else { return }
        let result = try heal()
        #expect(result.code == 0)
        #expect(result.json["result"] as? String == "healed")
        #expect(result.json["reset"] as? Bool == true)
        #expect(quarantined.count == 1)
        let kept = try #require(quarantined.first)
        #expect(directory.contents("quarantine/\(kept)/notes.sqlite") == damaged)
        let check = try Command.run("check", "--json", "notes.sqlite", in: directory)
        #expect(check.code == 0)
        #expect(try check.json()["kind"] as? String == "empty-store")
        #expect(try heal().json["result"] as? String == "healthy")
        let opened = try open()
        #expect(opened.report.wasResetOrCreated && opened.notes == 0)
        #expect(try Command.run("check", "--deep", "notes.sqlite", in: directory).code == 0)
    }

    @Test func `a store without its first page is emptied`() throws {
        try directory.makeStore()
        try directory.overwrite(at: 0, with: [UInt8](repeating: 0x5A, count: 4096))
        #expect(try heal().json["result"] as? String == "healed")
        #expect(try open().report.wasResetOrCreated)
    }

    @Test func `a store without the description of its model can only be emptied`() throws {
        try directory.makeStore()
        try directory.damage("DELETE FROM cachestore_meta WHERE key = 'model'")
        let result = try heal()
        #expect("\(result.json["repairs"] ?? "")".contains("description of its model is gone"))
        #expect(try open().report.wasResetOrCreated)
    }

    @Test func `the graph is repaired and nothing else is lost`() throws {
        try directory.makeStore(notes: 20)
        try directory.damage("UPDATE Note SET folder = 999 WHERE number = 7")
        let result = try heal()
        #expect(result.json["result"] as? String == "healed")
        #expect(result.json["objectsLost"] as? Bool == false)
        #expect(try Command.run("check", "--deep", "notes.sqlite", in: directory).code == 0)
        #expect(try open().notes == 20)
    }

    @Test func `a store that another program has changed vouches for its pages again`() throws {
        try directory.makeStore(notes: 20)
        let connection = try Connection(.file(directory.url("notes.sqlite").path()))
        try connection.execute(sql: "UPDATE Note SET text = 'by hand' WHERE number = 3")
        try connection.close()
        #expect(try heal().json["result"] as? String == "healed")
        let info = try Command.run("info", "--json", "notes.sqlite", in: directory).json()
        #expect(info["checksums"] as? String == "sealed")
        #expect(try open().notes == 20)
    }

    @Test func `files of others are refused and stay as they are`() throws {
        try directory.makeDatabase()
        try directory.makeDatabaseWithJournal()
        try Data("hello, this is text".utf8).write(to: directory.url("text.db"))
        try Data().write(to: directory.url("empty.db"))
        let before = try directory.picture()
        #expect(try heal("other.db").code == 2)
        #expect(try heal("hot.db").code == 2)
        #expect(try heal("text.db").code == 3)
        #expect(try heal("empty.db").code == 3)
        #expect(try heal("nothing.db").code == 1)
        #expect(try directory.picture() == before)
    }

    @Test func `a damaged database of others is refused`() throws {
        try directory.makeDatabase()
        try directory.overwrite("other.db", at: 4096, with: [UInt8](repeating: 0xFF, count: 500))
        let before = try directory.picture()
        #expect(try heal("other.db").code == 2)
        #expect(try directory.picture() == before)
    }

    @Test func `a damaged store that is in use is left alone`() throws {
        try directory.makeStore()
        let container = try directory.open()
        _ = try container.makeContext().count(for: FetchRequest<Note>())
        // A page of the table, which this process has in no cache that another could see.
        let size = try #require(directory.contents("notes.sqlite")?.count)
        try directory.overwrite(
            at: UInt64(size) - 6000, with: [UInt8](repeating: 0xEE, count: 4096))
        let result = try heal()
        #expect(result.code == 3)
        #expect((result.json["error"] as? [String: String])?["code"] == "busy")
        try? container.close()
        #expect(quarantined.isEmpty)
    }
}
