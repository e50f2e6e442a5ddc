// SPDX-License-Identifier: MIT

import CacheStore
import CacheStoreSQLite
import CacheStoreTestKit
import Foundation
import Testing

@Suite struct CheckCommandTests {
    private let directory: Directory

    init() throws { directory = try Directory() }

    /// Runs `check`, which must change nothing in the directory.
    private func check(
        _ name: String = "notes.sqlite", _ options: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (code: Int32, json: [String: Any], codes: [String]) {
        let before = try directory.picture()
        let text = try Command.run(["check"] + options + [name], in: directory)
        let result = try Command.run(["check", "--json"] + options + [name], in: directory)
        #expect(try directory.picture() == before, sourceLocation: sourceLocation)
        #expect(text.code == result.code, sourceLocation: sourceLocation)
        #expect(!text.output.contains("\u{1B}"), sourceLocation: sourceLocation)
        let json = try result.json()
        #expect(json["exitCode"] as? Int == Int(result.code), sourceLocation: sourceLocation)
        let findings = json["findings"] as? [[String: String]] ?? []
        return (result.code, json, findings.compactMap { $0["code"] })
    }

    // MARK: Stores

    @Test func `a sound store is healthy, with all its pages compared`() throws {
        try directory.makeStore()
        let result = try check()
        #expect(result.code == 0)
        #expect(result.json["result"] as? String == "healthy")
        #expect(result.json["kind"] as? String == "store")
        let size = try #require(directory.contents("notes.sqlite")?.count)
        #expect(result.json["pagesChecked"] as? Int == size / 4096)
        #expect(result.json["pagesDamaged"] as? Int == 0)
        #expect(try check("notes.sqlite", "--deep").code == 0)
    }

    @Test func `the keys of the JSON are those of the manual`() throws {
        try directory.makeStore(notes: 3)
        #expect(
            Set(try check().json.keys) == [
                "command", "file", "result", "exitCode", "kind", "deep", "pagesChecked",
                "pagesDamaged", "findings", "unknown", "notes",
            ])
    }

    @Test(arguments: [Damage.oneBit, .zeroedSector, .truncation, .otherPage], 1...3)
    func `damage anywhere is seen`(damage: Damage, seed: Int) throws {
        try directory.makeStore()
        var injector = CorruptionInjector(seed: UInt64(seed))
        let injury = try injector.inject(damage, into: directory.url("notes.sqlite"))
        let result = try check()
        let damaged = result.json["pagesDamaged"] as? Int ?? 0
        // A page that nothing uses may be damaged without harm, and is reported all the same.
        #expect(result.code == 1 || result.code == 0 && damaged > 0, "\(injury)")
    }

    @Test func `a store whose log was left is read with it`() throws {
        try directory.makeStoreWithLog()
        let result = try check("notes.sqlite", "--deep")
        #expect(result.code == 0)
        #expect("\(result.json["notes"] ?? "")".contains("not in the database file yet"))
    }

    @Test func `a log that breaks off in the middle is damage when looked at deeply`() throws {
        try directory.makeStoreWithLog()
        try directory.overwrite("notes.sqlite-wal", at: 32 + 24 + 100, with: [0xAA, 0xBB])
        #expect(try check("notes.sqlite", "--deep").codes == ["log"])
    }

    @Test func `a log whose last page was just being written is no damage`() throws {
        try directory.makeStoreWithLog()
        let size = try #require(directory.contents("notes.sqlite-wal")?.count)
        try directory.overwrite("notes.sqlite-wal", at: UInt64(size - 9), with: [0xAA, 0xBB])
        let result = try check("notes.sqlite", "--deep")
        #expect(result.code == 0)
        #expect("\(result.json["notes"] ?? "")".contains("was not finished"))
    }

    @Test func `damage to a page that nothing uses is told, and harmless`() throws {
        try directory.makeStore()
        try directory.damage("DELETE FROM Note")
        let size = try #require(directory.contents("notes.sqlite")?.count)
        try directory.overwrite(at: UInt64(size - 2000), with: [0xAA, 0xBB, 0xCC])
        let result = try check()
        #expect(result.code == 0)
        #expect(result.json["pagesDamaged"] as? Int == 1)
        #expect("\(result.json["notes"] ?? "")".contains("nothing uses them"))
    }

    @Test func `a store that is in use is read like by any other reader`() throws {
        let container = try directory.open()
        try Directory.fill(container, notes: 20)
        let result = try Command.run("check", "--json", "--deep", "notes.sqlite", in: directory)
        #expect(result.code == 0)
        let info = try Command.run("info", "--json", "notes.sqlite", in: directory).json()
        #expect(info["inUse"] as? Bool == true)
        #expect(info["entities"] as? [String: Int] == ["Note": 20, "Folder": 3])
        try Directory.fill(container, notes: 1)
        try container.close()
    }

    @Test func `the first page of a store may be destroyed`() throws {
        try directory.makeStore()
        try directory.overwrite(at: 0, with: [UInt8](repeating: 0x5A, count: 4096))
        let result = try check()
        #expect(result.code == 1)
        #expect(result.json["kind"] as? String == "store")
        #expect(result.codes.contains("header"))
    }

    @Test func `relationships are checked when looked at deeply`() throws {
        try directory.makeStore()
        try directory.damage("UPDATE Note SET folder = 999 WHERE number = 7")
        #expect(try check().code == 0)
        let result = try check("notes.sqlite", "--deep")
        #expect(result.code == 1)
        #expect(result.codes == ["graph"])
    }

    @Test func `a missing table, index or model is damage`() throws {
        try directory.makeStore()
        try directory.damage("DROP INDEX Note_number")
        #expect(try check().codes == ["schema"])
        try directory.damage("DELETE FROM cachestore_meta WHERE key = 'model'")
        #expect(try check().codes == ["model"])
        try directory.damage("DELETE FROM cachestore_meta")
        #expect(try check().codes == ["meta"])
    }

    @Test func `a store that another program has changed is sound, and that is said`() throws {
        try directory.makeStore()
        let connection = try Connection(.file(directory.url("notes.sqlite").path()))
        try connection.execute(sql: "UPDATE Note SET text = 'by hand' WHERE number = 3")
        try connection.close()
        let result = try check()
        #expect(result.code == 0)
        #expect("\(result.json["notes"] ?? "")".contains("Another program"))
    }

    @Test func `a store of a later format cannot be judged`() throws {
        try directory.makeStore()
        try directory.damage("PRAGMA user_version = 99")
        let result = try check()
        #expect(result.code == 3)
        #expect(result.json["kind"] as? String == "newer-store")
    }

    // MARK: Other files

    @Test(arguments: ["delete", "wal"])
    func `another program's database is checked by SQLite`(journalMode: String) throws {
        try directory.makeDatabase(journalMode: journalMode)
        let result = try check("other.db", "--deep")
        #expect(result.code == 0)
        #expect(result.json["kind"] as? String == "database")
        #expect(result.json["pagesChecked"] is NSNull)
        try directory.overwrite("other.db", at: 4096, with: [UInt8](repeating: 0xFF, count: 500))
        #expect(try check("other.db").code == 1)
    }

    @Test func `a journal that waits to be rolled back stays as it is`() throws {
        try directory.makeDatabaseWithJournal()
        let result = try check("hot.db", "--deep")
        #expect(result.code == 0)
        #expect("\(result.json["notes"] ?? "")".contains("copy"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.outside + "/tmp") == [])
    }

    @Test func `what is not there, is empty or is no database is not healthy`() throws {
        #expect(try check("nothing.db").json["result"] as? String == "missing")
        try Data().write(to: directory.url("empty.db"))
        try Data("hello, this is text".utf8).write(to: directory.url("text.db"))
        #expect(try check("nothing.db").code == 1)
        #expect(try check("empty.db").codes == ["empty"])
        #expect(try check("text.db").codes == ["not-a-database"])
        #expect(try Command.run("check", ".", in: directory).code == 2)
    }

    @Test func `a database that is locked cannot be judged`() throws {
        try directory.makeDatabase()
        let connection = try Connection(.file(directory.url("other.db").path()))
        try connection.execute(sql: "BEGIN EXCLUSIVE")
        let result = try Command.run("check", "--json", "other.db", in: directory)
        #expect(result.code == 3)
        #expect(try result.json()["result"] as? String == "unknown")
        #expect((try result.json()["error"] as? [String: String])?["code"] == "busy")
        connection.rollBack()
        try connection.close()
    }

    @Test(.enabled(if: geteuid() != 0, "root may read everything"))
    func `a file that may not be read cannot be judged`() throws {
        try directory.makeDatabase()
        chmod(directory.path + "/other.db", 0)
        #expect(try Command.run("check", "other.db", in: directory).code == 3)
    }

    @Test func `a directory that cannot be written is no hindrance`() throws {
        try directory.makeStoreWithLog()
        chmod(directory.path, 0o500)
        defer { chmod(directory.path, 0o700) }
        #expect(try check("notes.sqlite", "--deep").code == 0)
    }
}
