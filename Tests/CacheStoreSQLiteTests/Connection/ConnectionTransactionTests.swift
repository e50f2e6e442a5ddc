// SPDX-License-Identifier: MIT
import Testing

@testable import CacheStoreSQLite

@Suite struct ConnectionTransactionTests {
    let connection: Connection

    init() throws {
        connection = try Connection(.memory)
        try connection.execute("CREATE TABLE t (x UNIQUE)")
    }

    private func values() throws -> [Int64] {
        var values: [Int64] = []
        try connection.statement("SELECT x FROM t ORDER BY x").rows {
            values.append($0.int64(at: 0))
        }
        return values
    }

    @Test func `a transaction that returns is committed`() throws {
        let result = try connection.transaction {
            try connection.execute("INSERT INTO t VALUES (1)")
            return "done"
        }
        #expect(result == "done")
        #expect(!connection.isInTransaction)
        #expect(try values() == [1])
    }

    @Test func `a transaction that throws is rolled back`() throws {
        #expect(throws: CancellationError.self) {
            try connection.transaction {
                try connection.execute("INSERT INTO t VALUES (1)")
                throw CancellationError()
            }
        }
        #expect(!connection.isInTransaction)
        #expect(try values() == [])
    }

    @Test func `a nested transaction fails and leaves the outer one alone`() throws {
        try connection.transaction {
            try connection.execute("INSERT INTO t VALUES (1)")
            let error = try sqliteError { try connection.transaction {} }
            #expect(error.code == .SQLITE_ERROR)
        }
        #expect(try values() == [1])
    }

    @Test func `a savepoint that throws undoes its own changes only`() throws {
        try connection.transaction {
            try connection.execute("INSERT INTO t VALUES (1)")
            try? connection.savepoint {
                try connection.execute("INSERT INTO t VALUES (2)")
                try connection.savepoint { try connection.execute("INSERT INTO t VALUES (3)") }
                throw CancellationError()
            }
            try connection.savepoint { try connection.execute("INSERT INTO t VALUES (4)") }
        }
        #expect(try values() == [1, 4])
    }

    @Test func `a rollback by SQLite itself is an error, even when the closure hides its cause`()
        throws
    {
        try connection.execute("INSERT INTO t VALUES (1)")
        let error = try sqliteError {
            try connection.transaction {
                try connection.execute("INSERT INTO t VALUES (2)")
                try? connection.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
            }
        }
        #expect(error.code == .SQLITE_ABORT_ROLLBACK)
        #expect(connection.lastRollbackError == nil)
        #expect(try values() == [1])
    }

    @Test func `a rollback by SQLite itself keeps the first error`() throws {
        try connection.execute("INSERT INTO t VALUES (1)")
        let error = try sqliteError {
            try connection.transaction {
                try connection.savepoint {
                    try connection.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
                }
            }
        }
        #expect(error.code == .SQLITE_CONSTRAINT_UNIQUE)
        #expect(connection.lastRollbackError == nil)
    }
}
