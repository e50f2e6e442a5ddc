// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStorePersistence

/// The SQL of the main kinds of expressions, and the rows that it finds.
@Suite struct QueryCompilerTests {
    private let library: Library

    init() throws {
        library = try Library()
        let album = try library.insert("Album", ["name": .string("Summer")])
        let sea = try library.insert(
            "Photo",
            [
                "identifier": .string("1"), "title": .string("Sea"), "rating": .integer(5),
                "price": .decimal(Decimal(10)), "album": .object(album),
            ])
        try library.insert(
            "Photo",
            [
                "identifier": .string("2"), "title": .string("Séance"), "rating": .integer(2),
                "price": .decimal(Decimal(9)),
            ])
        try library.insert("Photo", ["identifier": .string("3")])
        let tag = try library.insert("Tag", ["name": .string("blue")])
        try library.save {
            $0.toMany = [
                ChangeSet.ToManyChange(
                    owner: sea, propertyIndex: try library.property("tags", of: "Photo").index,
                    added: [tag], removed: [])
            ]
        }
    }

    private func check(
        _ predicate: QueryExpression, finds keys: [Int64], sql: String,
        location: SourceLocation = #_sourceLocation
    ) throws {
        let query = try library.query(where: predicate)
        let compiled = try QueryCompiler.compile(
            query, selecting: .identifiers, map: library.store.map, space: library.store.space)
        let head = "SELECT t0.\"_id\", t0.\"_entity\" FROM \"Photo\" AS t0"
        #expect(
            compiled.sql == head + sql + " ORDER BY t0.\"_id\"", sourceLocation: location)
        let found = try library.store.objectIDs(matching: query).map(\.key)
        #expect(found == keys, sourceLocation: location)
    }

    private func property(_ names: String) throws -> QueryExpression {
        .property(try library.path(names, from: "Photo"))
    }

    @Test func `equality with a value is bound`() throws {
        try check(
            .comparison(.equal, property("title"), .constant(.string("Sea"))), finds: [1],
            sql: #" WHERE (t0."title" = ?)"#)
    }

    @Test func `equality with no value is IS NULL`() throws {
        try check(
            .comparison(.equal, property("title"), .constant(.null)), finds: [3],
            sql: #" WHERE (t0."title" IS NULL)"#)
        try check(
            .comparison(.notEqual, property("notes"), .constant(.null)), finds: [],
            sql: #" WHERE (t0."notes" IS NOT NULL)"#)
    }

    @Test func `inequality holds for no value`() throws {
        try check(
            .comparison(.notEqual, property("title"), .constant(.string("Sea"))), finds: [2, 3],
            sql: #" WHERE (t0."title" IS NOT ?)"#)
    }

    @Test func `not is true where there is no value`() throws {
        try check(
            .not(.comparison(.less, property("rating"), .constant(.integer(3)))), finds: [1, 3],
            sql: #" WHERE ((t0."rating" < ?) IS NOT TRUE)"#)
    }

    @Test func `a prefix is a range`() throws {
        try check(
            .text(.hasPrefix, property("title"), .constant(.string("Se")), []), finds: [1],
            sql: #" WHERE (t0."title" >= ? AND t0."title" < ?)"#)
    }

    @Test func `a folded prefix folds the constant once`() throws {
        try check(
            .text(
                .hasPrefix, property("title"), .constant(.string("SÉ")),
                [.caseInsensitive, .diacriticInsensitive]), finds: [1, 2],
            sql: #" WHERE (instr(cachestore_fold(t0."title", 3), ?) = 1)"#)
    }

    @Test func `contains is instr`() throws {
        try check(
            .text(.contains, property("title"), .constant(.string("ea")), []), finds: [1],
            sql: #" WHERE (instr(t0."title", ?) > 0)"#)
    }

    @Test func `decimals compare as numbers`() throws {
        try check(
            .comparison(.less, property("price"), .constant(.decimal(Decimal(10)))), finds: [2],
            sql: #" WHERE (cachestore_order(t0."price", ?) < 0)"#)
        try check(
            .comparison(.equal, property("price"), .constant(.decimal(Decimal(10)))), finds: [1],
            sql: #" WHERE (t0."price" = ?)"#)
    }

    @Test func `integers are calculated without turning into other numbers`() throws {
        try check(
            .comparison(
                .equal, .arithmetic(.add, property("rating"), .constant(.integer(.max))),
                .constant(.null)), finds: [1, 2, 3],
            sql: #" WHERE ((cachestore_arithmetic(0, t0."rating", ?)) IS NULL)"#)
    }

    @Test func `a path through a to-one relationship is one left join`() throws {
        let name = try property("album.name")
        try check(
            .or([
                .comparison(.equal, name, .constant(.string("Summer"))),
                .comparison(.equal, name, .constant(.string("Winter"))),
            ]), finds: [1],
            sql: #" LEFT JOIN "Album" AS t1 ON t1."_id" = t0."album""#
                + #" WHERE ((t1."name" = ?) OR (t1."name" = ?))"#)
    }

    @Test func `exists, all and count are subqueries`() throws {
        let tags = try library.path("tags", from: "Photo")
        let name = QueryExpression.property(try library.path("name", from: "Tag", scope: 1))
        let test = QueryExpression.comparison(.equal, name, .constant(.string("blue")))
        let join =
            #"SELECT 1 FROM "Photo_tags" AS t2 JOIN "Tag" AS t1 ON t1."_id" = t2."tag_id""#
            + #" WHERE t2."photo_id" = t0."_id""#
        try check(
            .exists(tags, scope: 1, test), finds: [1],
            sql: #" WHERE (EXISTS (\#(join) AND (t1."name" = ?)))"#)
        try check(
            .all(tags, scope: 1, test), finds: [1, 2, 3],
            sql: #" WHERE (NOT EXISTS (\#(join) AND (t1."name" = ?) IS NOT TRUE))"#)
        try check(
            .comparison(.equal, .count(tags), .constant(.integer(1))), finds: [1],
            sql: #" WHERE ((SELECT count(*) FROM "Photo_tags" AS t2"#
                + #" WHERE t2."photo_id" = t0."_id") = ?)"#)
    }

    @Test func `lists of all lengths have few texts`() throws {
        let list = [1, 2, 5, 7, 9].map { PropertyValue.integer($0) }
        try check(
            .isIn(property("rating"), list), finds: [1, 2],
            sql: #" WHERE ((t0."rating" IN (?"# + String(repeating: ",?", count: 15) + ")))")
        let long = (0..<1000).map { PropertyValue.string("\"\\\u{1}é\($0)") } + [.string("Sea")]
        try check(
            .isIn(property("title"), long), finds: [1],
            sql: #" WHERE ((t0."title" IN (SELECT value FROM json_each(?))))"#)
    }

    @Test func `a list with no value finds no value`() throws {
        try check(
            .isIn(property("rating"), [.null, .integer(5)]), finds: [1, 3],
            sql: #" WHERE ((t0."rating" IN (?) OR t0."rating" IS NULL))"#)
    }

    @Test func `values of another kind are equal to nothing`() throws {
        try check(
            .comparison(.equal, property("title"), .constant(.integer(1))), finds: [],
            sql: #" WHERE ((t0."title" IS NULL AND (?) IS NULL))"#)
    }

    @Test func `a value never gets into the text`() throws {
        let evil = "'; DROP TABLE \"Photo\"; --"
        try check(
            .comparison(.equal, property("title"), .constant(.string(evil))), finds: [],
            sql: #" WHERE (t0."title" = ?)"#)
        #expect(try library.store.count(matching: library.query()) == 3)
    }

    @Test func `a compressed attribute is refused by name`() throws {
        let query = try library.query(
            where: .comparison(.equal, property("notes"), .constant(.string("x"))))
        let error = #expect(throws: QueryError.self) {
            try library.store.count(matching: query)
        }
        #expect(error?.code == .unsupportedExpression)
        #expect(error?.expression == "notes")
    }

    @Test func `many alternatives stay within SQLite's depth`() throws {
        let name = try property("title")
        let parts = (0..<3000).map {
            QueryExpression.comparison(.equal, name, .constant(.string("\($0)")))
        }
        let query = try library.query(
            where: .or(parts + [.comparison(.equal, name, .constant(.string("Sea")))]))
        #expect(try library.store.count(matching: query) == 1)
    }

    @Test func `the end of a prefix follows all texts that begin with it`() {
        #expect(QueryCompiler.end(ofPrefix: "ab") == "ac")
        #expect(QueryCompiler.end(ofPrefix: "a\u{D7FF}") == "a\u{E000}")
        #expect(QueryCompiler.end(ofPrefix: "a\u{10FFFF}") == "b")
        #expect(QueryCompiler.end(ofPrefix: "\u{10FFFF}") == nil)
        #expect(QueryCompiler.end(ofPrefix: "") == nil)
    }
}
