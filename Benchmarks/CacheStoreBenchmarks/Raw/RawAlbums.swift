// SPDX-License-Identifier: MIT

import Foundation

/// The rival of a walk through relationships: one join in the order of the owners.
@MainActor
final class RawAlbums: AlbumContestant {
    private struct Album {
        var number: Int64
        var title: String
        var photos: [SampleRow] = []
    }

    private var connection: RawConnection?

    func open(in folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let opened = try RawConnection(path: RawConnection.path(in: folder))
        try opened.create(
            """
            CREATE TABLE album (id INTEGER PRIMARY KEY, number INTEGER, title TEXT);
            CREATE TABLE photo (
                id INTEGER PRIMARY KEY, serial INTEGER, width INTEGER, height INTEGER,
                rating INTEGER, views INTEGER, name TEXT, owner TEXT, place TEXT,
                score REAL, takenAt REAL, album INTEGER REFERENCES album);
            CREATE INDEX photo_album ON photo (album);
            """)
        connection = opened
    }

    func close() throws {
        try openConnection().checkpoint()
        connection = nil
    }

    func insert(albums: Int, members rows: [SampleRow]) throws {
        let connection = try openConnection()
        let perAlbum = rows.count / albums
        try connection.transaction {
            let album = try connection.prepare("INSERT INTO album VALUES (?, ?, 'album')")
            for number in 0..<Int64(albums) {
                album.bind(number + 1, at: 1)
                album.bind(number, at: 2)
                _ = try album.step()
                album.reset()
            }
            let photo = try connection.prepare(
                """
                INSERT INTO photo (\(RawPhotos.columns), album)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
            for (index, row) in rows.enumerated() {
                photo.bind(Int64(min(index / perAlbum, albums - 1) + 1), at: 11)
                try RawPhotos.insert(row, with: photo)
            }
        }
    }

    func walk() throws -> UInt64 {
        let columns = RawPhotos.columns.split(separator: ",").map {
            "photo." + $0.drop { $0 == " " }
        }
        let statement = try openConnection().prepare(
            """
            SELECT album.number, album.title, \(columns.joined(separator: ", "))
            FROM album JOIN photo ON photo.album = album.id ORDER BY album.id
            """)
        var albums: [Album] = []
        while try statement.step() {
            let number = statement.integer(0)
            if albums.last?.number != number {
                albums.append(Album(number: number, title: statement.text(1)))
            }
            albums[albums.count - 1].photos.append(RawPhotos.row(of: statement, from: 2))
        }
        var sum: UInt64 = 0
        for album in albums {
            for photo in album.photos { sum &+= UInt64(bitPattern: photo.views) }
        }
        return sum
    }

    private func openConnection() throws -> RawConnection {
        guard let connection else { throw BenchmarkError("the store is not open") }
        return connection
    }
}
