// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import CacheStoreHealing

@Suite struct StorePathsTests {
    @Test func `every file of a store is named after it`() {
        let paths = StorePaths(main: "/c/app/notes.sqlite")
        #expect(paths.log == "/c/app/notes.sqlite-wal")
        #expect(paths.journal == "/c/app/notes.sqlite-journal")
        #expect(paths.lock == "/c/app/notes.lock")
        #expect(paths.writerLock == "/c/app/notes.writer.lock")
        #expect(paths.blobs == "/c/app/notes.blobs")
        #expect(paths.quarantine == "/c/app/quarantine")
        #expect(paths.name == "notes")
    }

    @Test func `a name without the extension is taken whole`() {
        #expect(StorePaths(main: "/c/notes.db").name == "notes.db")
        #expect(StorePaths(main: "/c/.sqlite").name == ".sqlite")
        #expect(StorePaths(main: "/notes").directory == "/")
    }
}
