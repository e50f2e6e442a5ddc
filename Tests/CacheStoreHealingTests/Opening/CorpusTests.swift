// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import CacheStoreTestKit
import Foundation
import Testing

@testable import CacheStoreHealing

@Suite(
    .enabled(
        if: DamagedDatabases.directory != nil, "the corpus is not there: see CACHESTORE_CORPUS"))
struct CorpusTests {
    static let limit = Duration.seconds(5)

    @Test(arguments: DamagedDatabases.all)
    func `whatever lies at the place, opening gives a store that works`(
        damage: DamagedDatabases.Entry
    ) throws {
        let store = try TemporaryStore(syncsForNothing: true)
        try damage.copy(to: store.path)
        let main = store.contents()
        try expectWorks(store)
        // None of them has our mark, so none is ours to delete.
        if let main, main.count > 1, store.quarantined.count == 1, damage.files.count == 1 {
            let place = "\(store.directory)/quarantine/\(store.quarantined[0])"
            #expect(store.contents(place + "/notes.sqlite") == main)
        }
    }

    /// The same damages, with our mark put into the header where there is one: so that SQLite gets
    /// to read them as a store.
    @Test(arguments: DamagedDatabases.all)
    func `whatever calls itself a store, opening gives one that works`(
        damage: DamagedDatabases.Entry
    ) throws {
        let store = try TemporaryStore(syncsForNothing: true)
        try damage.copy(to: store.path, markedAsOurs: true)
        try expectWorks(store)
    }

    private func expectWorks(_ store: TemporaryStore) throws {
        var options = StoreOptions()
        options.verification.schedule = .always
        let start = ContinuousClock.now
        let opened = try store.open(options: options)
        #expect(ContinuousClock.now - start < Self.limit)
        #expect(opened.report.wasResetOrCreated)
        #expect(!opened.report.description.isEmpty)
        let file = try #require(opened.file)
        #expect(try file.countNotes() == 0)
        try file.addNotes(3)
        try file.close()
        let again = try store.open(options: options)
        #expect(again.report.outcome == .opened)
        #expect(again.report.verification == .passed)
        #expect(try again.file?.countNotes() == 3)
    }
}
