// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreSQLite
import Testing

@testable import CacheStorePersistence

@Suite struct SQLiteSchemaTests {
    private func statements(_ model: ManagedObjectModel) throws -> [String] {
        let connection = try Connection(.memory)
        try SQLiteSchema(model: model).createSchema(in: connection)
        var statements: [String] = []
        try connection.prepare(
            sql: "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC, name"
        ).rows { statements.append($0.text(at: 0) ?? "") }
        return statements
    }

    @Test func `tables and columns are named as in the model`() throws {
        let statements = try statements(Library.model())
        #expect(
            statements.contains(
                #"CREATE TABLE "Album" ("_id" INTEGER PRIMARY KEY, "_version" INTEGER NOT NULL, "#
                    + #""name" TEXT, "cover" INTEGER, "cover_entity" INTEGER)"#))
        #expect(
            statements.contains(
                #"CREATE TABLE "Photo_tags" ("photo_id" INTEGER NOT NULL, "#
                    + #""tag_id" INTEGER NOT NULL, "photo_entity" INTEGER NOT NULL, "#
                    + #""tags_position" INTEGER, PRIMARY KEY ("photo_id", "tag_id")) WITHOUT ROWID"#
            ))
        #expect(
            statements.contains(
                #"CREATE UNIQUE INDEX "Photo_identifier_unique" ON "Photo" ("identifier")"#))
        #expect(statements.contains { $0.contains(#""album_position" INTEGER"#) })
    }

    @Test func `names that SQLite takes for the same or for its own get a suffix`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "sqlite_things",
                attributes: [
                    AttributeDescription("_id", .string), AttributeDescription("name", .string),
                    AttributeDescription("NAME", .string), AttributeDescription("rowid", .string),
                ]),
            EntityDescription("Note"), EntityDescription("note"),
            EntityDescription("cachestore_entities"),
        ])
        let schema = SQLiteSchema(model: model)
        let things = try #require(model.entity(named: "sqlite_things"))
        #expect(schema.table(of: things).name == "entity_sqlite_things")
        #expect(
            schema.table(of: things).columns.map(\.name) == ["_id_2", "name", "NAME_2", "rowid_2"])
        _ = try statements(model)
        let library = Library(try SQLiteStore.inMemory(model: model))
        try library.insert("sqlite_things", ["_id": .string("a"), "NAME": .string("b")])
        let rows = try library.store.rows(matching: library.query("sqlite_things"))
        #expect(try library.values("NAME", of: "sqlite_things", in: rows) == [.string("b")])
        #expect(try library.values("_id", of: "sqlite_things", in: rows) == [.string("a")])
    }

    @Test func `a constraint of a subentity holds for its rows only`() throws {
        let model = try Library.model { entities in
            entities[1].uniquenessConstraints = [["title"]]
        }
        let library = Library(try SQLiteStore.inMemory(model: model))
        func insert(_ entity: String, _ identifier: String) throws {
            try library.insert(
                entity, ["identifier": .string(identifier), "title": .string("same")])
        }
        try insert("Photo", "1")
        try insert("Photo", "2")
        try insert("Panorama", "3")
        #expect(throws: StoreConflicts.self) { try insert("Panorama", "4") }
    }

    @Test func `a missing column or index is noticed`() throws {
        let connection = try Connection(.memory)
        let schema = SQLiteSchema(model: try Library.model())
        try schema.createSchema(in: connection)
        #expect(try schema.schemaIsIntact(in: connection))
        connection.clearStatementCache()
        try connection.execute(sql: "ALTER TABLE \"Photo\" DROP COLUMN \"weight\"")
        #expect(try !schema.schemaIsIntact(in: connection))
    }
}
