// SPDX-License-Identifier: MIT
import Foundation
import Synchronization
import Testing

@testable import CacheStoreSQLite

@Suite struct ConnectionInterruptTests {
    /// A query that never ends by itself.
    static let endless: SQLFragment =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

    @Test func `another thread interrupts a running statement`() throws {
        let connection = try Connection(.memory)
        let handle = connection.interruptHandle
        let isRunning = Atomic(false)
        let thread = Thread {
            // The statement may not have begun when the flag is seen, so this goes on until it ends.
            while !isRunning.load(ordering: .acquiring) {}
            while isRunning.load(ordering: .acquiring) { handle.interrupt() }
        }
        try connection.registerFunction("started", argumentCount: 0) { _ in
            isRunning.store(true, ordering: .releasing)
            return 1
        }
        thread.start()
        let error = try sqliteError {
            defer { isRunning.store(false, ordering: .releasing) }
            try connection.execute("SELECT started(); \(Self.endless)")
        }
        #expect(error.code == .SQLITE_INTERRUPT)
        #expect(error.classification == .interrupted)
    }

    @Test func `interrupting a closed connection does nothing`() throws {
        let connection = try Connection(.memory)
        let handle = connection.interruptHandle
        try connection.close()
        handle.interrupt()
    }

    @Test func `a failed close leaves the handle able to interrupt`() throws {
        let connection = try Connection(.memory)
        let statement = try connection.prepare(Self.endless)
        #expect(throws: SQLiteError.self) { try connection.close() }
        let handle = connection.interruptHandle
        try connection.registerFunction("interrupt_me") { _ in
            handle.interrupt()
            return 1
        }
        let error = try sqliteError {
            try connection.execute("SELECT interrupt_me(); \(Self.endless)")
        }
        #expect(error.code == .SQLITE_INTERRUPT)
        statement.reset()
    }

    @Test func `a deadline ends a statement`() throws {
        let connection = try Connection(.memory)
        let error = try sqliteError {
            try connection.withDeadline(.now + .milliseconds(20)) {
                try connection.execute(Self.endless)
            }
        }
        #expect(error.code == .SQLITE_INTERRUPT)
        // The handler is gone afterwards.
        try connection.execute("SELECT 1")
    }

    @Test func `an inner progress closure does not switch off the outer one`() throws {
        let connection = try Connection(.memory)
        let error = try sqliteError {
            try connection.withProgress(shouldStop: { true }) {
                try connection.withProgress(shouldStop: { false }) {
                    try connection.execute(Self.endless)
                }
            }
        }
        #expect(error.code == .SQLITE_INTERRUPT)
    }

    @Test func `a wait for a lock ends when the progress closure says so`() throws {
        let database = try TemporaryDatabase()
        let holder = try database.connection()
        try holder.execute("CREATE TABLE t (x); BEGIN IMMEDIATE")
        let connection = try database.connection(busyTimeout: .seconds(600))
        let error = try sqliteError {
            try connection.withDeadline(.now + .milliseconds(30)) {
                try connection.execute("INSERT INTO t VALUES (1)")
            }
        }
        #expect([.SQLITE_BUSY, .SQLITE_INTERRUPT].contains(error.code))
    }

    @Test func `a check of a large file can be stopped`() throws {
        let connection = try Connection(.memory)
        try connection.execute(
            """
            CREATE TABLE t (x);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                INSERT INTO t SELECT i FROM n;
            """)
        let error = try sqliteError {
            try connection.withProgress(every: 10, shouldStop: { true }) {
                _ = try connection.integrityCheck()
            }
        }
        #expect(error.code == .SQLITE_INTERRUPT)
    }
}
