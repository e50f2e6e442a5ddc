// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStorePersistence
import Testing

@Suite struct SQLiteStoreToManyTests {
    private func members(
        _ library: Library, _ name: String, of entity: String, owners: [ManagedObjectID]
    ) throws -> [[Int64]] {
        let property = try library.property(name, of: entity)
        let batches = try library.store.members(
            of: property, in: library.entity(entity), owners: owners.map(\.key))
        return batches.flatMap { batch in
            (0..<batch.count).map { row in
                [
                    batch.integer(row: row, column: batch.cellCount - 1),
                    batch.key(ofRow: row),
                ]
            }
        }
    }

    private func change(
        _ library: Library, _ owner: ManagedObjectID, _ name: String,
        added: [ManagedObjectID] = [], removed: [ManagedObjectID] = [],
        order: [ManagedObjectID]? = nil
    ) throws -> ChangeSet.ToManyChange {
        ChangeSet.ToManyChange(
            owner: owner,
            propertyIndex: try #require(owner.resolvedEntity.property(named: name)).index,
            added: added, removed: removed, order: order)
    }

    @Test func `many-to-many members are added, ordered and removed`() throws {
        let library = try Library()
        let photo = try library.insert("Photo", ["identifier": .string("1")])
        let tags = try ["a", "b", "c"].map { try library.insert("Tag", ["name": .string($0)]) }
        try library.save {
            $0.toMany = [
                try change(library, photo, "tags", added: tags, order: tags.reversed()),
                try change(library, tags[0], "photos", added: [photo]),
            ]
        }
        #expect(
            try members(library, "tags", of: "Photo", owners: [photo]).map { $0[1] }
                == tags.reversed().map(\.key))
        #expect(
            try members(library, "photos", of: "Tag", owners: tags)
                == tags.map { [$0.key, photo.key] })
        try library.save {
            $0.toMany = [try change(library, photo, "tags", removed: [tags[1]])]
        }
        #expect(
            try members(library, "tags", of: "Photo", owners: [photo]).map { $0[1] }
                == [tags[2].key, tags[0].key])
    }

    @Test func `members of one owner come with their texts`() throws {
        let library = try Library()
        let album = try library.insert("Album", ["name": .string("A")])
        // More than one row, and more text, than there is room for at first.
        let names = (0..<700).map { String(repeating: "\($0) ", count: $0 % 90) + "\($0)" }
        for name in names {
            _ = try library.insert(
                "Photo", ["identifier": .string(name), "album": .object(album)])
        }
        let batches = try library.store.members(
            of: try library.property("photos", of: "Album"), in: library.entity("Album"),
            owners: [album.key])
        let column = try #require(library.property("identifier", of: "Photo").column)
        let found = batches.flatMap { batch in
            (0..<batch.count).map { batch.value(row: $0, column: column, type: .string) }
        }
        #expect(Set(found) == Set(names.map { .string($0) }))
        #expect(found.count == names.count)
    }

    @Test func `an ordered one-to-many keeps the order that was saved`() throws {
        let library = try Library()
        let album = try library.insert("Album", ["name": .string("A")])
        let photos = try ["1", "2", "3"].map {
            try library.insert("Photo", ["identifier": .string($0), "album": .object(album)])
        }
        let order = [photos[2], photos[0], photos[1]]
        try library.save {
            $0.toMany = [try change(library, album, "photos", order: order)]
        }
        #expect(
            try members(library, "photos", of: "Album", owners: [album]).map { $0[1] }
                == order.map(\.key))
        let added = try library.insert(
            "Photo", ["identifier": .string("0"), "album": .object(album)])
        try library.save {
            $0.toMany = [try change(library, album, "photos", added: [added])]
        }
        #expect(
            try members(library, "photos", of: "Album", owners: [album]).last?[1] == added.key)
    }

    @Test func `deleting an object deletes its pairs`() throws {
        let library = try Library()
        let photo = try library.insert("Photo", ["identifier": .string("1")])
        let tag = try library.insert("Tag", ["name": .string("t")])
        try library.save { $0.toMany = [try change(library, photo, "tags", added: [tag])] }
        try library.save { $0.deleted = [ChangeSet.Deletion(id: tag, version: 1)] }
        #expect(try members(library, "tags", of: "Photo", owners: [photo]).isEmpty)
    }

    @Test func `members of many owners come sorted by owner`() throws {
        let library = try Library()
        var owners: [ManagedObjectID] = []
        for number in 0..<300 {
            let album = try library.insert("Album", ["name": .string("\(number)")])
            try library.insert(
                "Photo", ["identifier": .string("\(number)"), "album": .object(album)])
            owners.append(album)
        }
        let found = try members(library, "photos", of: "Album", owners: owners.shuffled())
        #expect(found.map { $0[0] } == owners.map(\.key))
    }
}
