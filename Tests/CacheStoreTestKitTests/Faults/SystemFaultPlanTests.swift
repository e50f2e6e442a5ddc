// SPDX-License-Identifier: MIT
import CacheStoreSQLite
import CacheStoreTestKit
import Foundation
import Testing

@Suite(.enabled(if: SystemFaultPlan.isAvailable)) struct SystemFaultPlanTests {
    let folder: TemporaryFolder
    let plan: SystemFaultPlan

    init() throws {
        folder = try TemporaryFolder()
        plan = try SystemFaultPlan(for: folder.url)
    }

    private var path: String { folder.url.appending(path: "file").path }

    @Test func `a call of a program's own code fails, once, with the error that was asked for`() {
        plan.failNext(.open, after: 1, with: EMFILE)
        let first = open(path, O_RDWR | O_CREAT, 0o600)
        #expect(first >= 0)
        #expect(open(path, O_RDWR) < 0)
        #expect(errno == EMFILE)
        #expect(plan.lastFault == "open \(path)")
        let third = open(path, O_RDWR)
        #expect(third >= 0)
        close(first)
        close(third)
        #expect(plan.faultCount == 1)
    }

    @Test func `calls of SQLite fail too`() throws {
        let connection = try Connection(.file(path))
        try connection.execute(sql: "CREATE TABLE t (x)")
        plan.failNext(.write, with: ENOSPC, forEver: true)
        #expect {
            try connection.execute(sql: "INSERT INTO t VALUES (1)")
        } throws: { SQLiteError.ResultCode.SQLITE_FULL ~= $0 }
        plan.failNext(.sync)
        #expect {
            try connection.execute(sql: "INSERT INTO t VALUES (1)")
        } throws: { SQLiteError.ResultCode.SQLITE_IOERR_FSYNC ~= $0 }
        plan.disarm()
        try connection.execute(sql: "INSERT INTO t VALUES (1)")
        #expect(try connection.integrityCheck().isOK)
    }

    @Test func `calls of Foundation fail too`() throws {
        plan.failNext(.open, with: EACCES, forEver: true)
        #expect(throws: (any Error).self) { try Data([1]).write(to: URL(filePath: path)) }
        plan.failNext(.makeDirectory, with: EACCES)
        #expect(throws: (any Error).self) {
            try FileManager.default.createDirectory(
                atPath: path + "-folder", withIntermediateDirectories: false)
        }
        plan.disarm()
        try Data([1]).write(to: URL(filePath: path))
        plan.failNext(.remove)
        #expect(throws: (any Error).self) { try FileManager.default.removeItem(atPath: path) }
        #expect(plan.faultCount >= 3)
    }

    @Test func `a torn write is half done, and a short one says so`() throws {
        let file = open(path, O_RDWR | O_CREAT, 0o600)
        defer { close(file) }
        let bytes = [UInt8](repeating: 7, count: 100)
        plan.failNext(.write, effect: .tears)
        #expect(write(file, bytes, 100) == -1)
        #expect(try Data(contentsOf: URL(filePath: path)).count == 50)
        plan.failNext(.write, effect: .isShort)
        #expect(write(file, bytes, 100) == 50)
        #expect(try Data(contentsOf: URL(filePath: path)).count == 100)
    }

    @Test func `files elsewhere are untouched, and so are all when the plan ends`() throws {
        let other = try TemporaryFolder()
        plan.failNext(forEver: true)
        let place = other.url.appending(path: "file")
        try Data([1]).write(to: place)
        var second: SystemFaultPlan? = try SystemFaultPlan(for: other.url)
        second?.failNext(forEver: true)
        #expect(throws: (any Error).self) { try Data([1]).write(to: place) }
        second = nil
        try Data([1]).write(to: place)
    }
}
