// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStoreHealing

/// Stores that a program without checksums has written to: the `sqlite3` shell, above all.
@Suite struct StoreChangedByAnotherProgramTests {
    /// A closed store that such a program has changed.
    private func changedStore(_ sql: String) throws -> TemporaryStore {
        let store = try TemporaryStore()
        try store.fill(count: 500)
        try store.changeByAnotherProgram(sql)
        return store
    }

    @Test(arguments: [
        "UPDATE note SET text = 'corrected' WHERE id = 77", "DELETE FROM note WHERE id = 77",
        "VACUUM", "CREATE INDEX byText ON note (text)",
    ])
    func `a change is no damage, is reported, and the store sealed again`(sql: String) throws {
        let store = try changedStore(sql)
        let opened = try store.open()
        #expect(opened.report.outcome == .opened)
        #expect(opened.report.wasChangedByAnotherProgram)
        #expect(opened.report.verification == .passed)
        #expect(opened.report.steps.map(\.name).contains("seal"))
        #expect(opened.report.description.contains("last writer: another program"))
        let file = try #require(opened.file)
        #expect(try file.countNotes() >= 499)
        try file.addNotes(1)
        try file.close()

        let again = try store.open()
        #expect(!again.report.wasChangedByAnotherProgram)
        #expect(again.report.verification == .none)
        try again.file?.close()
        try store.flipBit(at: 4096 * 3 + 900)
        var options = StoreOptions()
        options.verification.schedule = .always
        #expect(try store.open(options: options).report.outcome == .reset)
    }

    @Test func `what it changed is there`() throws {
        let store = try changedStore("UPDATE note SET text = 'corrected' WHERE id = 77")
        let file = try store.openFile()
        let text = try file.read { connection in
            try connection.statement(sql: "SELECT text FROM note WHERE id = 77")
                .first { $0.text(at: 0) }
        }
        #expect(text == "corrected")
    }

    @Test func `without verification it is not vouched for`() throws {
        let store = try changedStore("UPDATE note SET text = 'corrected' WHERE id = 77")
        var options = StoreOptions()
        options.verification.schedule = .never
        let opened = try store.open(options: options)
        #expect(opened.report.wasChangedByAnotherProgram)
        #expect(!opened.report.steps.map(\.name).contains("seal"))
        try opened.file?.addNotes(1)
        try opened.file?.close()
        #expect(try store.open().report.wasChangedByAnotherProgram)
    }

    @Test func `a store it has damaged is not sealed but healed`() throws {
        let store = try changedStore("CREATE INDEX byText ON note (text)")
        try store.changeByAnotherProgram(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET rootpage = 2 WHERE name = 'byText'
            """)
        let opened = try store.open()
        #expect(opened.report.outcome == .reset)
        #expect(opened.report.cause == .damaged)
        #expect(opened.report.wasChangedByAnotherProgram)
    }

    @Test func `one that only reads leaves no trace`() throws {
        let store = try changedStore("SELECT count(*) FROM note")
        let report = try store.open().report
        #expect(!report.wasChangedByAnotherProgram)
        #expect(report.verification == .none)
    }

    @Test func `to read only, it is taken as it is`() throws {
        let store = try changedStore("DELETE FROM note WHERE id = 1")
        let before = try #require(store.contents())
        var options = StoreOptions()
        options.isReadOnly = true
        let opened = try store.open(options: options)
        #expect(opened.report.wasChangedByAnotherProgram)
        #expect(try opened.file?.countNotes() == 499)
        try opened.file?.close()
        #expect(store.contents() == before)
    }
}
