// SPDX-License-Identifier: MIT
import Testing

@testable import CacheStoreSQLite

@Suite struct StatementCacheTests {
    @Test func `the same text finds the same prepared statement`() throws {
        let connection = try Connection(.memory)
        let first = try connection.statement("SELECT ?").handle
        let second = try connection.statement("SELECT ?").handle
        #expect(first == second)
        #expect(connection.cache.counts == .init(hits: 1, misses: 1))
    }

    @Test func `a key finds its statement without asking for the text`() throws {
        let connection = try Connection(.memory)
        let key = StatementKey()
        let first = try connection.statement(key) { "SELECT 1" }.handle
        let second = try connection.statement(key) {
            Issue.record("the text was built again")
            return "SELECT 1"
        }.handle
        #expect(first == second)
        #expect(key != StatementKey())
    }

    @Test func `a cached statement comes reset and without old values`() throws {
        let connection = try Connection(.memory)
        do {
            let statement = try connection.statement("SELECT ?")
            try statement.bind(5 as Int64, at: 1)
            #expect(try statement.step())
        }
        let statement = try connection.statement("SELECT ?")
        #expect(!statement.isBusy)
        #expect(try statement.first { $0.isNull(at: 0) } == true)
    }

    @Test func `a statement in use is not handed out twice`() throws {
        let connection = try Connection(.memory)
        var pairs = 0
        let sql = "SELECT 1 UNION ALL SELECT 2"
        try connection.statement(sql: sql).rows { _ in
            try connection.statement(sql: sql).rows { _ in pairs += 1 }
        }
        #expect(pairs == 4)
    }

    @Test func `the statement used longest ago is dropped`() throws {
        let connection = try Connection(.memory, statementCacheCapacity: 2)
        _ = try connection.statement("SELECT 1")
        _ = try connection.statement("SELECT 2")
        _ = try connection.statement("SELECT 1")
        _ = try connection.statement("SELECT 3")
        #expect(connection.cache.count == 2)
        _ = try connection.statement("SELECT 1")
        #expect(connection.cache.counts.hits == 2)
        _ = try connection.statement("SELECT 2")
        #expect(connection.cache.counts == .init(hits: 2, misses: 4))
    }

    @Test func `a schema change does not spoil a cached statement`() throws {
        let connection = try Connection(.memory)
        try connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        #expect(try connection.statement("SELECT * FROM t").first { $0.columnCount } == 1)
        try connection.execute("ALTER TABLE t ADD COLUMN y")
        #expect(try connection.statement("SELECT * FROM t").first { $0.columnCount } == 2)
    }
}
