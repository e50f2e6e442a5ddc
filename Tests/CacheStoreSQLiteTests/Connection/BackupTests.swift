// SPDX-License-Identifier: MIT
import Testing

@testable import CacheStoreSQLite

@Suite struct BackupTests {
    let source: Connection
    let destination: Connection

    init() throws {
        source = try Connection(.memory)
        try source.execute(
            """
            CREATE TABLE t (x);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
                INSERT INTO t SELECT zeroblob(1000) FROM n;
            """)
        destination = try Connection(.memory)
        try destination.execute("CREATE TABLE old (x)")
    }

    private func tables(_ connection: Connection) throws -> [String] {
        var names: [String] = []
        try connection.prepare("SELECT name FROM sqlite_schema").rows {
            names.append($0.text(at: 0) ?? "")
        }
        return names
    }

    @Test func `a copy replaces the destination`() throws {
        var shares: [Double] = []
        try source.copy(to: destination) {
            shares.append($0)
            return false
        }
        #expect(try tables(destination) == ["t"])
        #expect(
            try destination.prepare("SELECT count(*) FROM t").first { $0.int64(at: 0) } == 3000)
        #expect(shares == shares.sorted())
        #expect(!shares.isEmpty)
    }

    @Test func `a copy that was stopped leaves the destination as it was`() throws {
        let error = try sqliteError { try source.copy(to: destination) { _ in true } }
        #expect(error.code == .SQLITE_INTERRUPT)
        #expect(try tables(destination) == ["old"])
    }

    @Test func `steps count down the pages`() throws {
        let backup = try Backup(from: source, to: destination)
        #expect(try backup.step(pages: 1))
        #expect(backup.remainingPages == backup.pageCount - 1)
        #expect(try !backup.step())
        #expect(backup.remainingPages == 0)
        try backup.finish()
    }

    @Test func `a database cannot be copied over itself`() throws {
        let error = try sqliteError { _ = try Backup(from: source, to: source) }
        #expect(error.code == .SQLITE_ERROR)
    }
}
