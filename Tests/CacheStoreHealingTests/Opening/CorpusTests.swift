// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStoreHealing

@Suite(.enabled(if: Corpus.directory != nil, "the corpus is not there: see CACHESTORE_CORPUS"))
struct CorpusTests {
    static let limit = Duration.seconds(5)

    @Test(arguments: Corpus.made + Corpus.images)
    func `whatever lies at the place, opening gives a store that works`(
        damage: Corpus.Damage
    ) throws {
        let store = try TemporaryStore(syncsForNothing: true)
        for (suffix, file) in damage.files {
            try FileManager.default.copyItem(atPath: file, toPath: store.path + suffix)
        }
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
    @Test(arguments: Corpus.made + Corpus.images)
    func `whatever calls itself a store, opening gives one that works`(
        damage: Corpus.Damage
    ) throws {
        let store = try TemporaryStore(syncsForNothing: true)
        for (suffix, file) in damage.files {
            var data = try #require(store.contents(file))
            if suffix.isEmpty, data.count >= 100 {
                data.replaceSubrange(68..<72, with: [0x43, 0x53, 0x74, 0x6F])
                data.replaceSubrange(60..<64, with: [0, 0, 0, 1])
            }
            try data.write(to: URL(filePath: store.path + suffix))
        }
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
