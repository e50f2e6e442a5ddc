// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import CacheStoreSQLite
import Testing

@testable import CacheStorePersistence

/// What SQLite's planner makes of compiled queries.
@Suite struct QueryPlanTests {
    private func plan(
        _ library: Library, where predicate: QueryExpression? = nil, sort: [SortKey] = []
    ) throws -> String {
        let compiled = try QueryCompiler.compile(
            library.query(where: predicate, sort: sort), selecting: .rows,
            map: library.store.map, space: library.store.space)
        return try library.store.read { connection in
            var lines: [String] = []
            let statement = try connection.prepare(sql: "EXPLAIN QUERY PLAN " + compiled.sql)
            try statement.bind(compiled.bindings)
            try statement.rows { lines.append($0.text(at: 3) ?? "") }
            return lines.joined(separator: "\n")
        }
    }

    @Test func `equality, prefix and list of an indexed text search its index`() throws {
        let library = try Library()
        let title = QueryExpression.property(try library.path("title", from: "Photo"))
        let value = QueryExpression.constant(.string("Sea"))
        let tests: [QueryExpression] = [
            .comparison(.equal, title, value), .text(.hasPrefix, title, value, []),
            .isIn(title, [.string("a"), .string("b")]),
            .isIn(title, (0..<400).map { .string("\($0)") }),
            .comparison(.equal, title, .constant(.null)),
        ]
        for test in tests {
            let plan = try plan(library, where: test)
            #expect(plan.contains("SEARCH t0 USING INDEX Photo_title "), "\(plan)")
        }
    }

    @Test func `a unique attribute is searched through its constraint`() throws {
        let library = try Library()
        let plan = try plan(
            library,
            where: .comparison(
                .equal, .property(library.path("identifier", from: "Photo")),
                .constant(.string("1"))))
        #expect(plan.contains("USING INDEX Photo_identifier_unique (identifier=?)"), "\(plan)")
    }

    @Test func `a sort by an indexed attribute sorts nothing`() throws {
        let library = try Library()
        let key = SortKey(path: try library.path("takenAt", from: "Photo"))
        let plan = try plan(library, sort: [key])
        #expect(plan.contains("USING INDEX Photo_takenAt"), "\(plan)")
        #expect(!plan.contains("TEMP B-TREE"), "\(plan)")
    }

    @Test func `the members of an object are searched by its key`() throws {
        let library = try Library()
        let path = try library.path("photos", from: "Album")
        let compiled = try QueryCompiler.compile(
            library.query("Album", where: .exists(path, scope: 1, .true)), selecting: .rows,
            map: library.store.map, space: library.store.space)
        let lines = try library.store.read { connection in
            var lines: [String] = []
            let statement = try connection.prepare(sql: "EXPLAIN QUERY PLAN " + compiled.sql)
            try statement.bind(compiled.bindings)
            try statement.rows { lines.append($0.text(at: 3) ?? "") }
            return lines
        }
        #expect(lines.contains { $0.contains("INDEX Photo_album (album=?)") }, "\(lines)")
    }
}
