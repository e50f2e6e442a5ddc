// SPDX-License-Identifier: MIT

import CacheStoreModel
import Foundation
import Testing

@testable import CacheStoreQuery

/// The converted predicate and Foundation's own evaluation give the same answer for every object.
@Suite struct PredicateAgreementTests {
    let gallery: Gallery
    let photos: [Photo]

    init() throws {
        gallery = try Gallery()
        photos = Self.makePhotos()
    }

    private static func makePhotos() -> [Photo] {
        let owner = Owner()
        owner.name = "Ada"
        let albums = ["Sea", "Sky", ""].map { title in
            let album = Album()
            album.title = title
            return album
        }
        albums[0].owner = owner
        albums[1].owner = Owner()
        let tags = ["sea", "blue", "old"].enumerated().map { index, name in
            let tag = Tag()
            tag.key = Int64(index + 1)
            tag.name = name
            tag.weight = index
            return tag
        }
        return (0..<24).map { index in
            let photo = Photo()
            photo.key = Int64(index + 1)
            photo.title = ["Sea", "sky", "", "Meer und Sea", "Éclair", "abbc"][index % 6]
            photo.note = [nil, "", "seaside", "b"][index % 4]
            photo.stars = index % 7 - 1
            photo.rating = index % 3 == 0 ? nil : index % 5
            photo.size = Double(index) / 4
            photo.isFavorite = index % 2 == 0
            photo.isHidden = [nil, true, false][index % 3]
            photo.takenAt = Date(timeIntervalSince1970: Double(index * 1000))
            photo.price = Decimal(index) / 10
            photo.source = index % 2 == 0 ? URL(string: "https://example.org/\(index)") : nil
            photo.kind = index % 5 == 0 ? .drawing : .picture
            photo.tags = (0..<3).filter { index & (1 << $0) != 0 }.map { tags[$0] }
            if index % 4 < 3 {
                photo.album = albums[index % 4]
                albums[index % 4].photos.append(photo)
            }
            return photo
        }
    }

    private func expectAgreement(
        _ predicate: Predicate<Photo>, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let evaluator = try QueryEvaluator(gallery.convert(predicate))
        var matches = 0
        for photo in photos {
            let expected = try predicate.evaluate(photo)
            let actual = evaluator.matches(try PlainQueryObject(photo, in: gallery))
            #expect(
                actual == expected, "photo \(photo.key)", sourceLocation: sourceLocation)
            matches += expected ? 1 : 0
        }
        // A predicate that holds for all or none would agree too easily.
        #expect(matches > 0 && matches < photos.count, sourceLocation: sourceLocation)
    }

    @Test func `comparisons of numbers, dates and decimals agree`() throws {
        let date = Date(timeIntervalSince1970: 5000)
        let price = Decimal(string: "1.1") ?? 0
        try expectAgreement(#Predicate { $0.stars > 2 })
        try expectAgreement(#Predicate { $0.stars <= 2 })
        try expectAgreement(#Predicate { 3 != $0.stars })
        try expectAgreement(#Predicate { $0.size >= 2.25 })
        try expectAgreement(#Predicate { $0.takenAt < date })
        try expectAgreement(#Predicate { $0.price > price })
        try expectAgreement(#Predicate { $0.title < "a" })
    }

    @Test func `Boolean logic agrees`() throws {
        try expectAgreement(#Predicate { $0.isFavorite })
        try expectAgreement(#Predicate { !$0.isFavorite })
        try expectAgreement(#Predicate { $0.isFavorite && $0.stars > 1 })
        try expectAgreement(#Predicate { $0.isFavorite || $0.stars > 1 && $0.stars < 4 })
        try expectAgreement(#Predicate { $0.isHidden == true })
        try expectAgreement(#Predicate { $0.isHidden != true })
        try expectAgreement(#Predicate { $0.isFavorite ? $0.stars > 1 : $0.stars == 0 })
        try expectAgreement(#Predicate { $0.isFavorite == ($0.stars > 2) })
    }

    @Test func `arithmetic agrees`() throws {
        try expectAgreement(#Predicate { $0.stars + 1 > 3 })
        try expectAgreement(#Predicate { $0.stars - 1 == 0 })
        try expectAgreement(#Predicate { $0.stars * 2 == 4 })
        try expectAgreement(#Predicate { -$0.stars < 0 })
        try expectAgreement(#Predicate { $0.stars / 2 == 0 })
        try expectAgreement(#Predicate { $0.stars % 2 == -1 })
        try expectAgreement(#Predicate { $0.size / 2.0 > 1.5 })
    }

    @Test func `optionals agree`() throws {
        let two: Int? = 2
        try expectAgreement(#Predicate { $0.note == nil })
        try expectAgreement(#Predicate { $0.note != nil })
        try expectAgreement(#Predicate { $0.note == "b" })
        try expectAgreement(#Predicate { $0.note != "b" })
        try expectAgreement(#Predicate { $0.rating == two })
        try expectAgreement(#Predicate { ($0.rating ?? 0) > 1 })
        try expectAgreement(#Predicate { ($0.rating ?? 9) > 1 })
        try expectAgreement(#Predicate { ($0.rating ?? $0.stars) > 1 })
        try expectAgreement(#Predicate { if let rating = $0.rating { rating > 1 } else { false } })
        try expectAgreement(#Predicate { if let rating = $0.rating { rating > 1 } else { true } })
        try expectAgreement(
            #Predicate { if let rating = $0.rating { rating > 1 } else { $0.isFavorite } })
        try expectAgreement(#Predicate { $0.note?.contains("sea") ?? false })
        try expectAgreement(#Predicate { $0.note?.contains("sea") ?? true })
        try expectAgreement(#Predicate { $0.note?.contains("sea") == true })
        try expectAgreement(#Predicate { !($0.note?.contains("sea") ?? false) })
        try expectAgreement(#Predicate { ($0.note?.count ?? 5) > 2 })
        try expectAgreement(#Predicate { $0.note?.isEmpty ?? false })
        try expectAgreement(#Predicate { $0.rating != nil && $0.rating! > 2 })
    }

    @Test func `paths through to-one relationships agree`() throws {
        try expectAgreement(#Predicate { $0.album?.title == "Sea" })
        try expectAgreement(#Predicate { $0.album?.title != "Sea" })
        try expectAgreement(#Predicate { $0.album == nil || $0.stars > 1 } as Predicate<Photo>)
        try expectAgreement(#Predicate { $0.album?.owner?.name == "Ada" })
        try expectAgreement(#Predicate { $0.album?.owner?.name == nil })
        try expectAgreement(#Predicate { $0.album?.title.isEmpty ?? true })
        try expectAgreement(
            #Predicate { if let album = $0.album { album.title == "Sea" } else { true } })
    }

    @Test func `texts agree`() throws {
        try expectAgreement(#Predicate { $0.title.contains("Sea") })
        try expectAgreement(#Predicate { $0.title.starts(with: "Sea") })
        try expectAgreement(#Predicate { $0.title.isEmpty })
        try expectAgreement(#Predicate { $0.title.count > 3 })
        try expectAgreement(#Predicate { "Sea and sky".contains($0.title) })
        try expectAgreement(#Predicate { $0.title.localizedStandardContains("SEA") })
        try expectAgreement(#Predicate { $0.title.localizedStandardContains("eclair") })
        try expectAgreement(#Predicate { $0.title.contains(/b+c/) })
        try expectAgreement(#Predicate { $0.title.contains(/^S/) })
        let same = ComparisonResult.orderedSame
        try expectAgreement(#Predicate { $0.title.caseInsensitiveCompare("SEA") == same })
        try expectAgreement(#Predicate { $0.title.caseInsensitiveCompare("SEA") != same })
    }

    @Test func `captured collections and ranges agree`() throws {
        let titles = ["Sea", "sky"]
        let notes: [String?] = ["b", nil]
        let range = 1..<4
        let lowest = 2
        let limits = ["stars": 2]
        let numbers = [3, 4]
        try expectAgreement(#Predicate { titles.contains($0.title) })
        try expectAgreement(#Predicate { !titles.contains($0.title) })
        try expectAgreement(#Predicate { notes.contains($0.note) })
        try expectAgreement(#Predicate { range.contains($0.stars) })
        try expectAgreement(#Predicate { (lowest...4).contains($0.stars) })
        try expectAgreement(#Predicate { (lowest..<4).contains($0.stars) })
        try expectAgreement(#Predicate { photo in titles.contains { photo.title.contains($0) } })
        try expectAgreement(#Predicate { photo in numbers.allSatisfy { photo.stars < $0 } })
        try expectAgreement(#Predicate { $0.stars > (limits["stars"] ?? 0) })
        try expectAgreement(#Predicate { $0.stars > numbers[0] })
    }

    @Test func `to-many relationships agree`() throws {
        try expectAgreement(#Predicate { $0.tags.isEmpty })
        try expectAgreement(#Predicate { $0.tags.count >= 2 })
        try expectAgreement(#Predicate { photo in photo.tags.contains { $0.name == "sea" } })
        try expectAgreement(#Predicate { photo in photo.tags.contains { $0.weight > photo.stars } })
        try expectAgreement(#Predicate { photo in photo.tags.allSatisfy { $0.weight > 0 } })
        try expectAgreement(#Predicate { photo in photo.tags.filter { $0.weight > 0 }.isEmpty })
        try expectAgreement(#Predicate { photo in photo.tags.filter { $0.weight > 0 }.count > 0 })
        try expectAgreement(#Predicate { photo in photo.tags.filter { $0.weight > 0 }.count == 0 })
        try expectAgreement(
            #Predicate { photo in
                photo.tags.filter { $0.weight > 0 }.contains { $0.name == "old" }
            })
        try expectAgreement(
            #Predicate { photo in
                photo.tags.filter { $0.weight > 0 }.allSatisfy { $0.name == "old" }
            })
        try expectAgreement(
            #Predicate { photo in
                photo.album?.photos.contains { other in
                    other.stars > photo.stars && other.tags.contains { $0.weight == 2 }
                } ?? false
            })
    }
}
