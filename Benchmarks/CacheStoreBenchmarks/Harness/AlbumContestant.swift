// SPDX-License-Identifier: MIT

import Foundation

/// A way to keep albums of photographs: owners with a to-many relationship.
@MainActor
protocol AlbumContestant: AnyObject {
    /// Opens the store in a folder, and makes one where there is none.
    func open(in folder: URL) throws

    /// Closes the store cleanly.
    func close() throws

    /// Inserts albums in one transaction, each with as many of the rows as its members.
    func insert(albums: Int, members rows: [SampleRow]) throws

    /// Walks from every album to all its members, and reads one field of each; the sum of the fields.
    func walk() throws -> UInt64
}

/// Runs `walk-to-many`.
@MainActor
struct AlbumRunner {
    static let membersPerAlbum = 10

    let settings: Settings
    let folder: URL

    func run() throws -> Comparison {
        let (ours, raw) = (OurAlbums(), RawAlbums())
        let rows = SampleRow.make(count: settings.rowCount)
        try fill(ours, with: rows)
        try fill(raw, with: rows)
        return try .inTurns(
            BenchmarkTask.walkToMany.rawValue, rounds: settings.rounds,
            ours: { try walk(ours) }, raw: { try walk(raw) })
    }

    private func store(of contestant: any AlbumContestant) -> URL {
        folder.appendingPathComponent("albums-\(type(of: contestant))", isDirectory: true)
    }

    func fill(_ contestant: any AlbumContestant, with rows: [SampleRow]) throws {
        try contestant.open(in: store(of: contestant))
        try contestant.insert(albums: rows.count / Self.membersPerAlbum, members: rows)
        try contestant.close()
    }

    func walk(_ contestant: any AlbumContestant) throws -> Outcome {
        try contestant.open(in: store(of: contestant))
        var checksum: UInt64 = 0
        let duration = try measure { checksum = try contestant.walk() }
        try contestant.close()
        return Outcome(duration, checksum: checksum)
    }
}
