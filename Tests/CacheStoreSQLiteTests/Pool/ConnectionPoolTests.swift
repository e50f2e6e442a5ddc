// SPDX-License-Identifier: MIT
import Foundation
import Synchronization
import Testing

@testable import CacheStoreSQLite

@Suite struct ConnectionPoolTests {
    let database: TemporaryDatabase

    init() throws {
        database = try TemporaryDatabase()
    }

    private func makePool(
        readers: Int = 4, timeout: Duration = .seconds(10),
        prepare: @escaping @Sendable (Connection, ConnectionPool.Role) throws -> Void = { _, _ in }
    ) throws -> ConnectionPool {
        var configuration = ConnectionPool.Configuration(path: database.path)
        configuration.maximumReaders = readers
        configuration.timeout = timeout
        configuration.prepare = prepare
        let pool = ConnectionPool(configuration)
        try pool.write { try $0.execute("CREATE TABLE IF NOT EXISTS t (x)") }
        return pool
    }

    private static func count(_ connection: Connection) throws -> Int64? {
        try connection.statement("SELECT count(*) FROM t").first { $0.int64(at: 0) }
    }

    /// Runs a closure on a thread of its own while `during` runs here, inside what it holds.
    private func onAnotherThread(
        _ hold: @escaping @Sendable (_ holding: () -> Void) throws -> Void,
        during body: () throws -> Void
    ) throws {
        let held = DispatchSemaphore(value: 0)
        let done = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        Thread {
            do {
                try hold {
                    held.signal()
                    done.wait()
                }
            } catch {
                Issue.record(error)
            }
            ended.signal()
        }.start()
        held.wait()
        defer {
            done.signal()
            ended.wait()
        }
        try body()
    }

    @Test func `what is written is read`() throws {
        let pool = try makePool()
        try pool.write { try $0.execute("INSERT INTO t VALUES (1)") }
        #expect(try pool.read(Self.count) == 1)
        #expect(pool.openReaderCount == 1)
    }

    @Test func `a read sees one snapshot while others write`() throws {
        let pool = try makePool()
        try pool.read { reader in
            #expect(try Self.count(reader) == 0)
            try pool.write { try $0.execute("INSERT INTO t VALUES (1)") }
            #expect(try Self.count(reader) == 0)
        }
        #expect(try pool.read(Self.count) == 1)
    }

    @Test func `a reader cannot write`() throws {
        let pool = try makePool()
        let error = try sqliteError { try pool.read { try $0.execute("DELETE FROM t") } }
        #expect(error.code == .SQLITE_READONLY)
    }

    @Test func `readers are reused, also after an error`() throws {
        let pool = try makePool()
        for _ in 0..<10 {
            _ = try pool.read(Self.count)
            #expect(throws: CancellationError.self) {
                try pool.read { _ in throw CancellationError() }
            }
        }
        #expect(pool.openReaderCount == 1)
    }

    @Test func `a read inside a read does not wait for itself`() throws {
        let pool = try makePool(readers: 1)
        let count = try pool.read { outer in
            try pool.read { inner in
                #expect(outer !== inner)
                return try pool.read(Self.count)
            }
        }
        #expect(count == 0)
        #expect(pool.openReaderCount == 1)
    }

    @Test func `a read inside a write does not wait for readers of other threads`() throws {
        let pool = try makePool(readers: 1, timeout: .milliseconds(50))
        try onAnotherThread { holding in
            try pool.read { _ in holding() }
        } during: {
            let count = try pool.write { _ in try pool.read(Self.count) }
            #expect(count == 0)
        }
    }

    @Test func `a write inside a write is refused`() throws {
        let pool = try makePool()
        try pool.write { _ in
            let error = try sqliteError { try pool.write { _ in } }
            #expect(error.code == .SQLITE_MISUSE)
        }
        try pool.write { _ in }
    }

    @Test func `waiting for the writer ends with BUSY`() throws {
        let pool = try makePool()
        try onAnotherThread { holding in
            try pool.write { _ in holding() }
        } during: {
            let error = try sqliteError { try pool.write(timeout: .milliseconds(30)) { _ in } }
            #expect(error.code == .SQLITE_BUSY)
        }
        try pool.write { _ in }
    }

    @Test func `waiting for a reader ends with BUSY`() throws {
        let pool = try makePool(readers: 1)
        try onAnotherThread { holding in
            try pool.read { _ in holding() }
        } during: {
            let error = try sqliteError { try pool.read(timeout: .milliseconds(30)) { _ in } }
            #expect(error.code == .SQLITE_BUSY)
        }
        #expect(try pool.read(Self.count) == 0)
    }

    @Test func `a transaction that is left open is rolled back`() throws {
        let pool = try makePool()
        try pool.write { try $0.execute("BEGIN; INSERT INTO t VALUES (1)") }
        #expect(try pool.write(\.isInTransaction) == false)
        #expect(try pool.read(Self.count) == 0)
    }

    @Test func `a statement that is left in the middle does not keep its snapshot`() throws {
        let pool = try makePool()
        try pool.write { try $0.execute("INSERT INTO t VALUES (1), (2)") }
        var left: Statement?
        try pool.read { reader in
            let statement = try reader.statement("SELECT x FROM t")
            _ = try statement.step()
            left = statement
        }
        #expect(left?.isBusy == false)
        let result = try pool.write { try $0.checkpoint(.truncate) }
        #expect(result.isComplete)
    }

    @Test func `each connection is prepared once, with its role`() throws {
        let roles = Mutex<[ConnectionPool.Role]>([])
        let pool = try makePool { _, role in roles.withLock { $0.append(role) } }
        for _ in 0..<3 {
            try pool.write { _ in }
            try pool.read { _ in }
        }
        #expect(roles.withLock(\.self) == [.writer, .reader])
    }

    @Test func `a connection that cannot be prepared does not block the pool`() throws {
        let fails = Atomic(false)
        let pool = try makePool(readers: 1) { _, role in
            if role == .reader, fails.load(ordering: .relaxed) { throw CancellationError() }
        }
        fails.store(true, ordering: .relaxed)
        #expect(throws: CancellationError.self) { try pool.read(timeout: .zero) { _ in } }
        fails.store(false, ordering: .relaxed)
        #expect(try pool.read(timeout: .zero, Self.count) == 0)
    }

    @Test func `a connection that is open already becomes the writer`() throws {
        let connection = try database.connection()
        try connection.execute("CREATE TABLE mine (x)")
        let id = ObjectIdentifier(connection)
        let pool = ConnectionPool(.init(path: database.path), writer: connection)
        #expect(try pool.write { ObjectIdentifier($0) } == id)
    }

    @Test func `an invalid pool fails every call, also those that are under way`() throws {
        let pool = try makePool()
        try pool.read { _ in }
        let error = try sqliteError {
            try pool.write { writer in
                pool.invalidate()
                try writer.execute("INSERT INTO t VALUES (1)")
            }
        }
        #expect(error.code == .connectionPoisoned)
        #expect(try sqliteError { try pool.read { _ in } }.code == .connectionPoisoned)
        #expect(try sqliteError { try pool.write { _ in } }.code == .connectionPoisoned)
        #expect(
            try database.connection().prepare("SELECT count(*) FROM t").first {
                $0.int64(at: 0)
            } == 0)
    }

    @Test func `whoever waits for an invalid pool is told at once`() throws {
        let pool = try makePool(timeout: .seconds(600))
        try onAnotherThread { holding in
            try pool.write { _ in holding() }
        } during: {
            let invalidator = Thread { pool.invalidate() }
            invalidator.start()
            let error = try sqliteError { try pool.write { _ in } }
            #expect(error.code == .connectionPoisoned)
        }
    }

    @Test func `a closed pool has emptied and removed its log`() throws {
        let pool = try makePool()
        try pool.write { try $0.execute("INSERT INTO t VALUES (1)") }
        try pool.read { _ in }
        try pool.close()
        #expect(try sqliteError { try pool.read { _ in } }.code == .connectionClosed)
        #expect(!FileManager.default.fileExists(atPath: database.path + "-wal"))
    }

    @Test func `closing with a connection in use is BUSY, and that one is closed later`() throws {
        let pool = try makePool()
        var held: Connection?
        try pool.write { writer in
            held = writer
            let error = try sqliteError { try pool.close(timeout: .milliseconds(10)) }
            #expect(error.code == .SQLITE_BUSY)
        }
        let connection = try #require(held)
        #expect(try sqliteError { try connection.checkUsable() }.code == .connectionClosed)
    }

    @Test func `threads that read, write and nest all at once get through`() throws {
        let pool = try makePool(readers: 2, timeout: .seconds(120))
        let threads = 8
        let rounds: Int64 = 25
        DispatchQueue.concurrentPerform(iterations: threads) { number in
            do {
                for _ in 0..<rounds {
                    try pool.write { writer in
                        try writer.transaction {
                            try writer.execute("INSERT INTO t VALUES (\(number))")
                        }
                    }
                    try pool.read { reader in
                        let before = try Self.count(reader)
                        if number % 2 == 0 { _ = try pool.read(Self.count) }
                        #expect(try Self.count(reader) == before)
                    }
                }
            } catch {
                Issue.record(error)
            }
        }
        #expect(try pool.read(Self.count) == Int64(threads) * rounds)
        #expect(pool.openReaderCount <= 2)
        try pool.close()
    }

    @Test func `who waits for a reader is woken when it comes back`() throws {
        let pool = try makePool(readers: 1, timeout: .seconds(60))
        for _ in 0..<20 {
            let isHeld = DispatchSemaphore(value: 0)
            Thread {
                try? pool.read { _ in
                    isHeld.signal()
                    let deadline = ContinuousClock.now + .seconds(30)
                    while pool.needsAttention.load(ordering: .relaxed) == 0 {
                        if ContinuousClock.now > deadline { break }
                        usleep(500)
                    }
                    // Until it sleeps, or nearly.
                    usleep(500)
                }
            }.start()
            isHeld.wait()
            let start = ContinuousClock.now
            #expect(try pool.read(Self.count) == 0)
            try #require(ContinuousClock.now - start < .seconds(25))
        }
    }

    @Test func `who takes a reader finds nothing that the one before has left`() throws {
        let pool = try makePool(readers: 1, timeout: .seconds(60))
        let found = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            do {
                for _ in 0..<2_000 {
                    try pool.readWithoutTransaction { reader in
                        if reader.isInTransaction { found.add(1, ordering: .relaxed) }
                        try reader.execute(sql: "BEGIN")
                        _ = try Self.count(reader)
                        if !reader.isInTransaction { found.add(1, ordering: .relaxed) }
                    }
                }
            } catch {
                Issue.record(error)
            }
        }
        let count = found.load(ordering: .relaxed)
        #expect(count == 0)
    }

    @Test func `interrupting the pool ends what its connections are doing`() throws {
        let isRunning = Atomic(false)
        let pool = try makePool { connection, _ in
            try connection.registerFunction("started", argumentCount: 0) { _ in
                isRunning.store(true, ordering: .releasing)
                return 1
            }
        }
        let thread = Thread {
            while !isRunning.load(ordering: .acquiring) {}
            while isRunning.load(ordering: .acquiring) { pool.interrupt() }
        }
        thread.start()
        let error = try sqliteError {
            defer { isRunning.store(false, ordering: .releasing) }
            try pool.read {
                try $0.execute("SELECT started(); \(ConnectionInterruptTests.endless)")
            }
        }
        #expect(error.code == .SQLITE_INTERRUPT)
    }

    @Test func `closing waits for a connection in use and closes it`() throws {
        let pool = try makePool(timeout: .seconds(600))
        let isHeld = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        let closing = Atomic(false)
        Thread {
            // A call that fails shows that the pool has begun to close.
            while (try? pool.read(timeout: .zero) { _ in }) != nil {}
            closing.store(true, ordering: .releasing)
            mayEnd.signal()
        }.start()
        let holder = Thread {
            try? pool.write { writer in
                try writer.execute("INSERT INTO t VALUES (1)")
                isHeld.signal()
                mayEnd.wait()
            }
        }
        holder.start()
        isHeld.wait()
        try pool.close()
        let hadBegun = closing.load(ordering: .acquiring)
        #expect(hadBegun)
        #expect(!FileManager.default.fileExists(atPath: database.path + "-wal"))
        #expect(
            try database.connection().prepare("SELECT count(*) FROM t").first {
                $0.int64(at: 0)
            } == 1)
    }

    @Test func `closing waits for a reader in use, and leaves no log`() throws {
        for _ in 0..<10 {
            let pool = try makePool(timeout: .seconds(600))
            try pool.write { try $0.execute("INSERT INTO t VALUES (1)") }
            let isHeld = DispatchSemaphore(value: 0)
            let mayEnd = DispatchSemaphore(value: 0)
            Thread {
                try? pool.read { reader in
                    _ = try Self.count(reader)
                    isHeld.signal()
                    mayEnd.wait()
                }
            }.start()
            isHeld.wait()
            Thread {
                while (try? pool.read(timeout: .zero) { _ in }) != nil {}
                mayEnd.signal()
            }.start()
            try pool.close()
            #expect(!FileManager.default.fileExists(atPath: database.path + "-wal"))
        }
    }

    @Test func `a reader that comes back to an invalid pool is closed`() throws {
        let pool = try makePool()
        try pool.readWithoutTransaction { _ in
            pool.invalidate()
            #expect(pool.openReaderCount == 1)
        }
        #expect(pool.openReaderCount == 0)
    }

    @Test func `a closed pool stays closed`() throws {
        let pool = try makePool()
        try pool.close()
        pool.invalidate()
        #expect(try sqliteError { try pool.read { _ in } }.code == .connectionClosed)
    }

    @Test func `another thread invalidates a pool that is at work`() throws {
        let pool = try makePool()
        let isWorking = DispatchSemaphore(value: 0)
        Thread {
            isWorking.wait()
            pool.invalidate()
        }.start()
        let error = try sqliteError {
            try pool.write { writer in
                isWorking.signal()
                while true { try writer.execute("INSERT INTO t VALUES (1)") }
            }
        }
        #expect(error.code == .connectionPoisoned)
    }
}
