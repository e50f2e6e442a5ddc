// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation

/// Runs `checksums`: what the checksum of each page costs. "Ours" is SQLite with the settings of a
/// store, "raw" the same without checksums; objects have no part in it.
@MainActor
struct ChecksumRunner {
    private static let works = ["insert", "cold-read", "checkpoint"]

    let settings: Settings
    let folder: URL

    func run(_ report: (Comparison) -> Void) throws {
        try ChecksumVFS.register()
        let rows = SampleRow.make(count: settings.rowCount)
        let comparisons = try Comparison.inTurns(
            Self.works.map { "\(BenchmarkTask.checksums.rawValue)-\($0)" },
            rounds: settings.rounds, ours: { try times(hasChecksums: true, rows: rows) },
            raw: { try times(hasChecksums: false, rows: rows) })
        for comparison in comparisons { report(comparison) }
    }

    private func times(hasChecksums: Bool, rows: [SampleRow]) throws -> Outcome {
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
        return Outcome(
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
