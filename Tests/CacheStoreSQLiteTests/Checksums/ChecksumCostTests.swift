// SPDX-License-Identifier: MIT
import CacheStoreTestKit
import Foundation
import Testing

@testable import CacheStoreSQLite

/// What checksums cost, with `CACHESTORE_SLOW_TESTS=1`: lines of `work`, time without, time with,
/// and the ratio. Only an optimised build (`swift test -c release -Xswiftc -enable-testing`) tells
/// the truth: in others the sums take several times as long. The best of five runs each, by turns, so that other work on the machine weighs on
/// both.
@Suite(.serialized, .enabled(if: TestSeed.areTestsSlow)) struct ChecksumCostTests {
    private static let rows = 300_000

    private func run(vfs: String?) throws -> [(work: String, time: Duration)] {
        try ChecksumVFS.register()
        let database = try TemporaryDatabase()
        let clock = ContinuousClock()
        var connection = try Connection(.file(database.path), vfs: vfs)
        var settings = ConnectionSettings()
        settings.reservedBytes = vfs == nil ? nil : ChecksumVFS.reservedBytes
        try settings.apply(to: connection)
        try connection.execute(
            sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, k, v, n); CREATE INDEX i ON t (k)")
        let insert = try clock.measure {
            try connection.transaction { () throws in
                let statement = try connection.prepare(
                    sql: """
                        WITH RECURSIVE number(i) AS
                            (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < \(Self.rows))
                        INSERT INTO t SELECT i, 'key-' || (i * 7919 % \(Self.rows)),
                            'some longer payload text that is not in an index, sixty bytes', i
                        FROM number
                        """)
                try statement.run()
            }
        }
        func scan() throws -> Duration {
            try clock.measure {
                let sum = try connection.prepare(sql: "SELECT sum(length(v) + n) FROM t")
                    .first { $0.int64(at: 0) }
                #expect(sum == Int64(61 * Self.rows + Self.rows * (Self.rows + 1) / 2))
            }
        }
        try connection.resetPageCache()
        let log = try scan()
        let checkpoint = try clock.measure { try connection.checkpoint(.truncate) }
        try connection.close()
        connection = try Connection(.file(database.path), vfs: vfs)
        let cold = try scan()
        return [
            ("insert", insert), ("scan of the log", log), ("checkpoint", checkpoint),
            ("cold scan", cold),
        ]
    }

    @Test func `checksums cost little`() throws {
        var plain: [String: Duration] = [:]
        var checked: [String: Duration] = [:]
        var works: [String] = []
        for _ in 1...5 {
            for (work, time) in try run(vfs: nil) {
                plain[work] = min(plain[work] ?? time, time)
            }
            let times = try run(vfs: ChecksumVFS.name)
            for (work, time) in times { checked[work] = min(checked[work] ?? time, time) }
            works = times.map(\.work)
        }
        print("work\twithout\twith\tratio")
        for work in works {
            let without = try #require(plain[work])
            let with = try #require(checked[work])
            let ratio = with / without
            print("\(work)\t\(without)\t\(with)\t\(String(format: "%.2f", ratio))")
            #if !DEBUG
                // Generous: the machine may be busy. What is measured stands in the decision.
                #expect(ratio < 2, "\(work)")
            #endif
        }
    }
}
