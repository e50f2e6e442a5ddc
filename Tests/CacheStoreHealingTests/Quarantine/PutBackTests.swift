// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStoreHealing

/// A store that is given up for a new one, and then there is no new one.
@Suite struct PutBackTests {
    @Test func `a damaged store is back as it was when there is no room for a new one`() throws {
        let store = try TemporaryStore()
        try store.fill(count: 100)
        try store.overwrite(at: 0, with: Array("garbage garbage ".utf8))
        try FileTree.makeDirectory(store.paths.blobs)
        try store.write("value".utf8, to: store.paths.blobs + "/1")
        let bytes = store.contents()
        #expect { try StoreOpener.open(at: store.url, content: FullContent()) } throws: {
            PersistentStoreError.Code.noSpace ~= $0
        }
        #expect(store.contents() == bytes)
        #expect(store.contents(store.paths.blobs + "/1") == Data("value".utf8))
        #expect(store.quarantined.isEmpty)
        // With room for it, it is healed, and its files are kept.
        let opened = try store.open()
        #expect(opened.report.outcome == .reset)
        #expect(store.quarantined.count == 1)
    }

    @Test func `a foreign file is back where it was when there is no room for a new store`() throws
    {
        let store = try TemporaryStore()
        let connection = try Connection(.file(store.path))
        try connection.execute(sql: "PRAGMA application_id = 7; CREATE TABLE theirs (v)")
        try connection.close()
        let bytes = store.contents()
        #expect { try StoreOpener.open(at: store.url, content: FullContent()) } throws: {
            PersistentStoreError.Code.noSpace ~= $0
        }
        #expect(store.contents() == bytes)
        #expect(store.quarantined.isEmpty)
    }

    @Test func `an unmigratable store is back with its log when there is no room for a new one`()
        throws
    {
        let store = try TemporaryStore()
        try store.fill(count: 20)
        #expect {
            try StoreOpener.open(at: store.url, content: UnreachableContent())
        } throws: {
            PersistentStoreError.Code.noSpace ~= $0
        }
        #expect(try store.openFile().countNotes() == 20)
    }

    private struct UnreachableContent: StoreContent {
        var fingerprint: String { "another" }
        var storedDescription: Data { Data() }
        func createSchema(in connection: Connection) throws {
            throw SQLiteError(code: .SQLITE_FULL, message: "database or disk is full")
        }
        func schemaIsIntact(in connection: Connection) throws -> Bool { true }
        func migrate(in connection: Connection, from stored: Data) throws -> MigrationSummary {
            throw Unmigratable(reason: "never")
        }
    }
}
