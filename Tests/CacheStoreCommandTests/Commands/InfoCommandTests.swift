// SPDX-License-Identifier: MIT

import CacheStore
import Foundation
import Testing

@Suite struct InfoCommandTests {
    private let directory: Directory

    init() throws { directory = try Directory() }

    private func info(_ name: String = "notes.sqlite") throws -> (code: Int32, json: [String: Any])
    {
        let before = try directory.picture()
        let text = try Command.run("info", name, in: directory)
        let result = try Command.run("info", "--json", name, in: directory)
        #expect(try directory.picture() == before)
        #expect(text.code == result.code)
        return (result.code, try result.json())
    }

    @Test func `a store says what is in it, without its program`() throws {
        try directory.makeStore(notes: 20)
        let result = try info()
        #expect(result.code == 0)
        #expect(result.json["kind"] as? String == "store")
        #expect(result.json["entities"] as? [String: Int] == ["Note": 20, "Folder": 3])
        #expect(result.json["closedCleanly"] as? Bool == true)
        #expect(result.json["checksums"] as? String == "sealed")
        #expect(result.json["model"] as? String == ManagedObjectModel.commandNotes.fingerprint)
        let identifier = try #require(result.json["identifier"] as? String)
        #expect(UUID(uuidString: identifier) != nil)
        let text = try Command.run("info", "notes.sqlite", in: directory).output
        #expect(text.contains("Note") && text.contains("20"))
    }

    @Test func `a log that was left counts`() throws {
        try directory.makeStoreWithLog()
        let result = try info()
        #expect(result.json["entities"] as? [String: Int] == ["Note": 150, "Folder": 6])
        #expect(result.json["closedCleanly"] as? Bool == false)
        #expect(result.json["logSize"] as? Int ?? 0 > 0)
    }

    @Test func `another program's database is told apart`() throws {
        try directory.makeDatabase()
        let result = try info("other.db")
        #expect(result.code == 0)
        #expect(result.json["kind"] as? String == "database")
        #expect(result.json["tables"] as? Int == 1)
    }

    @Test func `of a damaged store is said what can be told`() throws {
        try directory.makeStore()
        try directory.overwrite(at: 0, with: [UInt8](repeating: 0x5A, count: 4096))
        let result = try info()
        #expect(result.code == 1)
        #expect(result.json["kind"] as? String == "store")
        #expect((result.json["unknown"] as? [String])?.isEmpty == false)
    }

    @Test func `a file that is not there is not found`() throws {
        let result = try info("nothing.db")
        #expect(result.code == 1)
        #expect(result.json["kind"] as? String == "missing")
    }
}
