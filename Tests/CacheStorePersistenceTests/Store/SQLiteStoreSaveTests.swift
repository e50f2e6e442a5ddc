// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStorePersistence
import CacheStoreQuery
import Foundation
import Testing

@Suite struct SQLiteStoreSaveTests {
    @Test func `a saved object comes back with the values of every type`() throws {
        let library = try Library()
        let date = Date(timeIntervalSince1970: 1234.5)
        let decimal = try #require(Decimal(string: "1.50"))
        let id = try library.insert(
            "Photo",
            [
                "identifier": .string("a\u{0}ü"), "title": .string(""), "rating": .integer(-7),
                "price": .decimal(decimal), "weight": .double(0.1), "takenAt": .date(date),
            ])
        let batches = try library.store.rows(of: library.entity("Photo"), keys: [id.key])
        let batch = try #require(batches.first)
        #expect(batch.count == 1)
        #expect(batch.version(ofRow: 0) == 1)
        #expect(batch.entityIndex(ofRow: 0) == (try library.entity("Photo").index))
        func value(_ name: String) throws -> PropertyValue? {
            try library.values(name, of: "Photo", in: batches).first
        }
        #expect(try value("identifier") == .string("a\u{0}ü"))
        #expect(try value("title") == .string(""))
        #expect(try value("rating") == .integer(-7))
        #expect(try value("price") == .decimal(decimal))
        #expect(try value("weight") == .double(0.1))
        #expect(try value("takenAt") == .date(date))
        #expect(try value("notes") == .null)
    }

    @Test func `references to objects of the same save get their permanent keys`() throws {
        let library = try Library()
        try library.save { changes in
            let album = try library.insertion("Album", ["name": .string("Summer")])
            let photo = try library.insertion(
                "Photo", ["identifier": .string("1"), "album": .object(album.id)])
            changes.inserted = [photo, album]
        }
        let albums = try library.store.objectIDs(matching: library.query("Album"))
        let photos = try library.store.rows(matching: library.query("Photo"))
        let column = try #require(try library.property("album", of: "Photo").column)
        #expect(photos.first?.integer(row: 0, column: column) == albums.first?.key)
    }

    @Test func `the entity of a subentity's object is kept, also in references to it`() throws {
        let library = try Library()
        let panorama = try library.insert(
            "Panorama", ["identifier": .string("p"), "width": .integer(9000)])
        try library.insert("Photo", ["identifier": .string("q")])
        try library.insert("Album", ["name": .string("A"), "cover": .object(panorama)])
        let ids = try library.store.objectIDs(matching: library.query("Photo"))
        #expect(ids.map(\.entityName) == ["Panorama", "Photo"])
        let only = StoreQuery(entity: try library.entity("Photo"), includesSubentities: false)
        #expect(try library.store.count(matching: only) == 1)
        #expect(try library.store.count(matching: library.query("Panorama")) == 1)
        let albums = try library.store.rows(matching: library.query("Album"))
        let cell = try #require(try library.property("cover", of: "Album").entityColumn)
        let batch = try #require(albums.first)
        #expect(Int(batch.integer(row: 0, column: cell)) == (try library.entity("Panorama").index))
    }

    @Test func `keys are not used again after a deletion`() throws {
        let library = try Library()
        let first = try library.insert("Tag", ["name": .string("a")])
        try library.save { $0.deleted = [ChangeSet.Deletion(id: first, version: 1)] }
        let second = try library.insert("Tag", ["name": .string("b")])
        #expect(second.key > first.key)
        let reserved = try library.store.reserveKeys(for: library.entity("Tag"), count: 3)
        #expect(reserved.count == 3)
        let third = try library.insert("Tag", ["name": .string("c")])
        #expect(third.key == reserved.upperBound)
    }

    @Test func `an update raises the version and keeps the other values`() throws {
        let library = try Library()
        let id = try library.insert(
            "Photo", ["identifier": .string("1"), "title": .string("old"), "rating": .integer(3)])
        try library.save { $0.updated = [try library.update(id, ["title": .string("new")])] }
        let rows = try library.store.rows(of: id.resolvedEntity, keys: [id.key])
        #expect(rows.first?.version(ofRow: 0) == 2)
        #expect(try library.values("title", of: "Photo", in: rows) == [.string("new")])
        #expect(try library.values("rating", of: "Photo", in: rows) == [.integer(3)])
    }

    @Test func `all conflicts are reported and nothing is saved`() throws {
        let library = try Library()
        let changed = try library.insert("Tag", ["name": .string("changed")])
        let gone = try library.insert("Tag", ["name": .string("gone")])
        try library.save {
            $0.updated = [try library.update(changed, ["name": .string("theirs")])]
            $0.deleted = [ChangeSet.Deletion(id: gone, version: 1)]
        }
        let error = #expect(throws: StoreConflicts.self) {
            try library.save {
                $0.updated = [
                    try library.update(changed, ["name": .string("ours")]),
                    try library.update(gone, ["name": .string("ours")]),
                ]
                $0.inserted = [try library.insertion("Tag", ["name": .string("new")])]
            }
        }
        let conflicts = try #require(error).conflicts
        #expect(conflicts.map(\.id) == [changed, gone])
        guard case .changed(let current) = conflicts.first?.kind else {
            Issue.record("the first conflict is not a changed row")
            return
        }
        #expect(try library.values("name", of: "Tag", in: [current]) == [.string("theirs")])
        guard case .deleted = conflicts.last?.kind else {
            Issue.record("the second conflict is not a deleted row")
            return
        }
        #expect(try library.store.count(matching: library.query("Tag")) == 1)
    }

    @Test func `a value that is not unique is reported with the row that has it`() throws {
        let library = try Library()
        let existing = try library.insert("Photo", ["identifier": .string("same")])
        let error = #expect(throws: StoreConflicts.self) {
            try library.insert("Panorama", ["identifier": .string("same")])
        }
        guard case .notUnique(let properties, let row) = error?.conflicts.first?.kind else {
            Issue.record("no uniqueness conflict")
            return
        }
        #expect(properties == ["identifier"])
        #expect(row.key(ofRow: 0) == existing.key)
    }

    @Test func `two objects of one save with the same unique value name each other`() throws {
        let library = try Library()
        let first = try library.insertion("Photo", ["identifier": .string("x")])
        let second = try library.insertion("Photo", ["identifier": .string("x")])
        let error = #expect(throws: StoreConflicts.self) {
            try library.save { $0.inserted = [first, second] }
        }
        guard case .notUniqueInSave(_, let other) = error?.conflicts.first?.kind else {
            Issue.record("no conflict within the save")
            return
        }
        #expect(error?.conflicts.first?.id == second.id)
        #expect(other == first.id)
    }

    @Test func `two objects may swap their unique values`() throws {
        let library = try Library()
        let first = try library.insert("Photo", ["identifier": .string("a")])
        let second = try library.insert("Photo", ["identifier": .string("b")])
        try library.save {
            $0.updated = [
                try library.update(first, ["identifier": .string("b")]),
                try library.update(second, ["identifier": .string("a")]),
            ]
        }
        let rows = try library.store.rows(matching: library.query())
        #expect(
            try library.values("identifier", of: "Photo", in: rows) == [.string("b"), .string("a")])
        #expect(rows.first?.version(ofRow: 0) == 2)
    }

    @Test func `a reference to an object outside the save is refused`() throws {
        let library = try Library()
        let album = try library.insertion("Album", ["name": .string("unsaved")])
        #expect(throws: (any Error).self) {
            try library.insert(
                "Photo", ["identifier": .string("1"), "album": .object(album.id)])
        }
        #expect(try library.store.count(matching: library.query()) == 0)
    }

    @Test func `metadata come back with their types`() throws {
        let library = try Library()
        let metadata: [String: PropertyValue] = [
            "a": .integer(1), "b": .string("x"), "c": .data(Data([1, 2])), "d": .double(.infinity),
        ]
        try library.store.setMetadata(metadata)
        #expect(try library.store.metadata() == metadata)
        try library.store.setMetadata(["z": .boolean(true)])
        #expect(try library.store.metadata() == ["z": .boolean(true)])
    }
}
