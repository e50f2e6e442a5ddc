// SPDX-License-Identifier: MIT

import CacheStore
import Foundation

/// An owner of photographs.
final class SampleAlbum: ManagedObject {
    @Attribute var number: Int64
    @Attribute var title: String = "album"
    @Relationship(deleteRule: .cascade, inverse: \AlbumPhoto.album) var photos: Set<AlbumPhoto>

    static let model = ManagedObjectModel(SampleAlbum.self, AlbumPhoto.self)
}

/// The sample row as a member of an album.
final class AlbumPhoto: ManagedObject {
    @Attribute var serial: Int64
    @Attribute var width: Int64
    @Attribute var height: Int64
    @Attribute var rating: Int64
    @Attribute var views: Int64
    @Attribute var name: String
    @Attribute var owner: String
    @Attribute var place: String
    @Attribute var score: Double
    @Attribute var takenAt: Date
    @Relationship var album: SampleAlbum?

    /// Takes every field of a row.
    func take(_ row: SampleRow) {
        serial = row.serial
        width = row.width
        height = row.height
        rating = row.rating
        views = row.views
        name = row.name
        owner = row.owner
        place = row.place
        score = row.score
        takenAt = row.takenAt
    }
}
