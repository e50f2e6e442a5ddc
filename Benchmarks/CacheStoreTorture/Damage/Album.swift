// SPDX-License-Identifier: MIT

import CacheStore
import Foundation

/// What photographs belong to.
final class Album: ManagedObject {
    @Attribute(.indexed) var number: Int
    @Attribute var title: String
    @Relationship(deleteRule: .cascade, inverse: \Photo.album) var photos: Set<Photo>

    static let model = ManagedObjectModel(Album.self, Photo.self)
}

/// An object with a value of most types, long ones among them.
final class Photo: ManagedObject {
    @Attribute(.indexed) var number: Int
    @Attribute var name: String
    @Attribute var score: Double
    @Attribute var takenAt: Date
    @Attribute var isFavourite: Bool
    @Attribute var thumbnail: Data
    @Relationship var album: Album?
}
