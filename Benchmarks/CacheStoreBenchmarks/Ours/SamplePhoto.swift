// SPDX-License-Identifier: MIT

import CacheStore
import Foundation

/// The sample row as an object.
final class SamplePhoto: ManagedObject {
    @Attribute var serial: Int64
    @Attribute var width: Int64
    @Attribute var height: Int64
    @Attribute var rating: Int64
    @Attribute var views: Int64
    @Attribute(.indexed) var name: String
    @Attribute var owner: String
    @Attribute var place: String
    @Attribute var score: Double
    @Attribute var takenAt: Date

    static let model = ManagedObjectModel(SamplePhoto.self)

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

    /// Reads every field: the same number as that of the row.
    var checksum: UInt64 {
        SampleRow(
            serial: serial, width: width, height: height, rating: rating, views: views,
            name: name, owner: owner, place: place, score: score, takenAt: takenAt
        ).checksum
    }
}
