// SPDX-License-Identifier: MIT

import CacheStore
import Foundation

/// A walk through a relationship that is loaded when it is read, as nobody has asked for it before.
@MainActor
final class OurAlbums: AlbumContestant {
    private var stack: OurStack?

    func open(in folder: URL) throws {
        stack = try OurStack(opening: folder, model: SampleAlbum.model)
    }

    func close() throws {
        let coordinator = try openStack().coordinator
        stack = nil
        try coordinator.removePersistentStore()
    }

    func insert(albums: Int, members rows: [SampleRow]) throws {
        let context = try openStack().context
        let perAlbum = rows.count / albums
        var album: SampleAlbum?
        for (index, row) in rows.enumerated() {
            if index.isMultiple(of: perAlbum), index / perAlbum < albums {
                album = context.insert(SampleAlbum.self)
                album?.number = Int64(index / perAlbum)
            }
            let photo = context.insert(AlbumPhoto.self)
            photo.take(row)
            photo.album = album
        }
        try context.save()
    }

    func walk() throws -> UInt64 {
        let albums = try openStack().context.fetch(
            FetchRequest<SampleAlbum>(sortBy: [SortDescriptor(\.number)]))
        var sum: UInt64 = 0
        for album in albums {
            for photo in album.photos { sum &+= UInt64(bitPattern: photo.views) }
        }
        return sum
    }

    private func openStack() throws -> OurStack {
        guard let stack else { throw BenchmarkError("the store is not open") }
        return stack
    }
}
