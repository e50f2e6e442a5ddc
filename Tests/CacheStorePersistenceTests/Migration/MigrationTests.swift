// SPDX-License-Identifier: MIT

import CacheStoreHealing
import CacheStoreModel
import CacheStoreQuery
import Foundation
import Testing

@testable import CacheStorePersistence

@Suite struct MigrationTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ model: ManagedObjectModel) throws -> (Library, StoreOpenReport) {
        let (store, report) = try SQLiteStore.open(
            at: directory.url.appendingPathComponent("store.sqlite"), model: model)
        return (Library(store), report)
    }

    /// Fills a store of the first model, and opens it with the second.
    private func migrate(
        _ change: (inout [EntityDescription]) -> Void, from: ManagedObjectModel? = nil,
        filling fill: (Library) throws -> Void
    ) throws -> (Library, StoreOpenReport) {
        let (before, created) = try open(try from ?? Library.model())
        #expect(created.outcome == .created)
        try fill(before)
        try before.store.close()
        return try open(Library.model(change))
    }

    private func plan(
        _ change: (inout [EntityDescription]) -> Void
    ) throws -> MigrationPlan {
        try SQLiteSchema(model: Library.model(change))
            .migrationPlan(from: SQLiteSchema(model: Library.model()))
    }

    private func reason(_ change: (inout [EntityDescription]) -> Void) throws -> String? {
        do {
            _ = try plan(change)
            return nil
        } catch let error as Unmigratable {
            return error.reason
        }
    }

    @Test func `the same model needs no steps`() throws {
        #expect(try plan { _ in }.isEmpty)
    }

    @Test func `a new attribute with a default is filled in, in its entity's rows only`() throws {
        let (library, report) = try migrate { entities in
            entities[0].attributes.append(AttributeDescription("note", .string, isOptional: true))
            entities[1].attributes.append(
                AttributeDescription("height", .integer32, default: .integer(7)))
        } filling: {
            try $0.insert("Photo", ["identifier": .string("1"), "title": .string("kept")])
            try $0.insert("Panorama", ["identifier": .string("2"), "width": .integer(9)])
        }
        #expect(report.outcome == .migrated)
        let rows = try library.store.rows(matching: library.query("Panorama"))
        #expect(try library.values("height", of: "Panorama", in: rows) == [.integer(7)])
        #expect(try library.values("width", of: "Panorama", in: rows) == [.integer(9)])
        let all = try library.store.rows(matching: library.query())
        #expect(try library.values("title", of: "Photo", in: all) == [.string("kept"), .null])
        #expect(try library.values("height", of: "Panorama", in: all) == [.null, .integer(7)])
        #expect(report.migrationChanges.contains("Panorama.height is new."))
    }

    @Test func `a new entity and relationships to it are usable`() throws {
        let (library, report) = try migrate { entities in
            entities.append(EntityDescription("Camera"))
            entities[0].relationships.append(RelationshipDescription("camera", toOne: "Camera"))
            entities[3].relationships.append(
                RelationshipDescription("cameras", toMany: "Camera", isOrdered: true))
        } filling: {
            try $0.insert("Photo", ["identifier": .string("1")])
        }
        #expect(report.outcome == .migrated)
        let camera = try library.insert("Camera")
        try library.insert("Photo", ["identifier": .string("2"), "camera": .object(camera)])
        #expect(try library.store.count(matching: library.query()) == 2)
    }

    @Test func `removed entities and attributes are dropped, and the loss is counted`() throws {
        let (library, report) = try migrate { entities in
            entities[0].attributes.removeAll { $0.name == "rating" || $0.name == "title" }
            entities[0].relationships.removeAll { $0.name == "tags" }
            entities.removeAll { $0.name == "Tag" || $0.name == "Panorama" }
        } filling: {
            try $0.insert("Tag", ["name": .string("t")])
            let panorama = try $0.insert("Panorama", ["identifier": .string("p")])
            try $0.insert("Photo", ["identifier": .string("1"), "rating": .integer(1)])
            try $0.insert("Album", ["name": .string("a"), "cover": .object(panorama)])
        }
        #expect(report.outcome == .migrated)
        #expect(report.rowsLost == ["Tag": 1, "Panorama": 1])
        let rows = try library.store.rows(matching: library.query())
        #expect(try library.values("identifier", of: "Photo", in: rows) == [.string("1")])
        let cover = QueryExpression.property(try library.path("cover", from: "Album"))
        let dangling = try library.query(
            "Album", where: .comparison(.notEqual, cover, .constant(.null)))
        #expect(try library.store.count(matching: dangling) == 0)
    }

    @Test func `keys of a removed entity are not used again when it comes back`() throws {
        let without: (inout [EntityDescription]) -> Void = { entities in
            entities[0].relationships.removeAll { $0.name == "tags" }
            entities.removeAll { $0.name == "Tag" }
        }
        var last: Int64 = 0
        let (library, _) = try migrate(without) {
            last = try $0.insert("Tag", ["name": .string("t")]).key
        }
        try library.store.close()
        let (again, report) = try open(Library.model())
        #expect(report.outcome == .migrated)
        #expect(try again.insert("Tag", ["name": .string("t")]).key > last)
    }

    @Test func `the first subentity gives existing rows and references their entity`() throws {
        let (library, report) = try migrate { entities in
            entities.append(EntityDescription("SharedAlbum", superentity: "Album"))
        } filling: {
            let album = try $0.insert("Album", ["name": .string("a")])
            try $0.insert("Photo", ["identifier": .string("1"), "album": .object(album)])
        }
        #expect(report.outcome == .migrated)
        #expect(
            try library.store.objectIDs(matching: library.query("Album")).map(\.entityName)
                == ["Album"])
        try library.insert("SharedAlbum", ["name": .string("s")])
        #expect(try library.store.count(matching: library.query("SharedAlbum")) == 1)
        let batch = try #require(library.store.rows(matching: library.query()).first)
        let cell = try #require(library.property("album", of: "Photo").entityColumn)
        #expect(Int(batch.integer(row: 0, column: cell)) == (try library.entity("Album").index))
    }

    @Test func `a new unique constraint over equal rows resets the store with a reason`() throws {
        let change: (inout [EntityDescription]) -> Void = {
            $0[3].uniquenessConstraints = [["name"]]
        }
        let (library, report) = try migrate(change) {
            try $0.insert("Tag", ["name": .string("same")])
            try $0.insert("Tag", ["name": .string("same")])
        }
        #expect(report.outcome == .reset)
        #expect(report.wasResetOrCreated)
        #expect(try library.store.count(matching: library.query("Tag")) == 0)
    }

    @Test func `new indexes and constraints over different rows are made in place`() throws {
        let (library, report) = try migrate { entities in
            entities[3].uniquenessConstraints = [["name"]]
            entities[0].indexes = [IndexDescription("both", on: ["title", "rating"])]
        } filling: {
            try $0.insert("Tag", ["name": .string("t")])
        }
        #expect(report.outcome == .migrated)
        #expect(throws: StoreConflicts.self) {
            try library.insert("Tag", ["name": .string("t")])
        }
    }

    @Test func `what changes the meaning of values is refused with a reason`() throws {
        #expect(
            try reason { $0[0].attributes[2].type = .string }
                == "The type of Photo.rating changed from integer16 to string.")
        #expect(
            try reason { $0[0].attributes[1].isOptional = false }
                == "Photo.title was optional and is required.")
        #expect(
            try reason { $0[3].attributes.append(AttributeDescription("size", .integer64)) }
                == "Tag.size is new and required, and has no default value.")
        #expect(
            try reason {
                $0[1].superentity = nil; $0[1].attributes = []
            }
                == "The superentity of Panorama changed from Photo to none.")
        #expect(
            try reason {
                $0[3].attributes = [
                    AttributeDescription(
                        "label", .string, isOptional: true, renamingIdentifier: "name")
                ]
            } == "Tag.label has another name than before.")
    }

    @Test func `siblings keep their values when a name has to be told apart`() throws {
        let from = try Library.model { entities in
            entities.append(
                EntityDescription(
                    "Zoom", superentity: "Photo",
                    attributes: [AttributeDescription("scale", .integer32, isOptional: true)]))
        }
        let (before, _) = try open(from)
        try before.insert("Zoom", ["identifier": .string("z"), "scale": .integer(4)])
        try before.store.close()
        let (library, report) = try open(
            Library.model { entities in
                entities[1].attributes.append(
                    AttributeDescription("Scale", .integer32, isOptional: true))
                entities.append(
                    EntityDescription(
                        "Zoom", superentity: "Photo",
                        attributes: [AttributeDescription("scale", .integer32, isOptional: true)]))
            })
        #expect(report.outcome == .migrated)
        let rows = try library.store.rows(matching: library.query("Zoom"))
        #expect(try library.values("scale", of: "Zoom", in: rows) == [.integer(4)])
    }

    @Test func `a plan can be read before it runs`() throws {
        let plan = try plan {
            $0[3].attributes.append(AttributeDescription("n", .integer64, default: .integer(3)))
        }
        #expect(
            plan.description == """
                Tag.n is new.
                  add column Tag.n INTEGER
                  fill Tag.n with the default
                """)
    }
}
