// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation

/// Runs `checksums`: what the checksum of each page costs. "Ours" is SQLite with the settings of a
/// store, "raw" the same without checksums; objects have no part in it.
@MainActor
struct ChecksumRunner {
    private static let works = ["insert", "cold-read", "checkpoint"]

    private struct Times {
        var values: [Double]
        var checksum: UInt64
    }

    let settings: Settings
    let folder: URL

    func run(_ report: (Comparison) -> Void) throws {
        try ChecksumVFS.register()
        let rows = SampleRow.make(count: settings.rowCount)
        var (with, without): ([Times], [Times]) = ([], [])
        for round in 0..<settings.rounds {
            // Who begins changes, as in the other tasks.
            for isWith in round.isMultiple(of: 2) ? [true, false] : [false, true] {
                let times = try times(hasChecksums: isWith, rows: rows)
                if isWith { with.append(times) } else { without.append(times) }
            }
        }
        guard with.map(\.checksum) == without.map(\.checksum) else {
            throw BenchmarkError("checksums: different rows were read")
        }
        for (index, work) in Self.works.enumerated() {
            report(
                Comparison(
                    name: "\(BenchmarkTask.checksums.rawValue)-\(work)",
                    ours: with.map { $0.values[index] }.median,
                    raw: without.map { $0.values[index] }.median))
        }
    }

    private func times(hasChecksums: Bool, rows: [SampleRow]) throws -> Times {
        let store = folder.appendingPathComponent("checksums", isDirectory: true)
        try? FileManager.default.removeItem(at: store)
        try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
        let file = Connection.Location.file(store.appendingPathComponent("store.sqlite").path)
        let vfs = hasChecksums ? ChecksumVFS.name : nil
        var settings = ConnectionSettings()
        settings.reservedBytes = hasChecksums ? ChecksumVFS.reservedBytes : nil

        let connection = try Connection(file, vfs: vfs)
        try settings.apply(to: connection)
        try connection.execute(sql: RawPhotos.tables)
        let insert = try measure { try Self.insert(rows, on: connection) }
        let checkpoint = try measure { _ = try connection.checkpoint(.truncate) }
        try connection.close()

        let reader = try Connection(file, vfs: vfs)
        try settings.apply(to: reader)
        var checksum: UInt64 = 0
        let read = try measure { checksum = try Self.readAll(reader) }
        try reader.close()
        return Times(
            values: [insert, read, checkpoint].map { $0 / .milliseconds(1) }, checksum: checksum)
    }

    private static func insert(_ rows: [SampleRow], on connection: Connection) throws {
        try connection.transaction {
            let statement = try connection.prepare(
                sql: "INSERT INTO photo (\(RawPhotos.columns)) "
                    + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            for row in rows {
                try statement.run([
                    .integer(row.serial), .integer(row.width), .integer(row.height),
                    .integer(row.rating), .integer(row.views), .text(row.name), .text(row.owner),
                    .text(row.place), .real(row.score), .real(row.takenAt.timeIntervalSince1970),
                ])
            }
        }
    }

    /// Reads every page of the table, none of which SQLite has in memory.
    private static func readAll(_ connection: Connection) throws -> UInt64 {
        let sum = try connection.prepare(
            sql: """
                SELECT sum(serial + width + height + rating + views + length(name) \
                + length(owner) + length(place) + score + takenAt) FROM photo
                """
        ).first { $0.double(at: 0).bitPattern }
        return sum ?? 0
    }
}
