// SPDX-License-Identifier: MIT

import CacheStoreGraph
import CacheStoreModel
import Foundation

// The classes that most tests of the graph use.

enum Mood: String, CaseIterable, Codable, Sendable {
    case calm, wild
}

struct Place: Codable, Hashable, Sendable {
    var latitude = 0.0
    var longitude = 0.0
    var labels: [String: Int] = [:]
}

final class Photo: ManagedObject {
    @Attribute(.unique) var identifier: String = UUID().uuidString
    @Attribute var title: String = "Untitled"
    @Attribute(.indexed) var takenAt: Date = Date(timeIntervalSince1970: 0)
    @Attribute(validate: [.minimum(0), .maximum(5)]) var rating: Int?
    @Attribute(.compressed) var notes: String?
    @Attribute(.externalStorage) var pixels: Data?
    @Attribute var mood: Mood = .calm
    @Attribute var place: Place?
    @Attribute(.transient) var isSelected: Bool = false
    @Relationship(.ordered, inverse: \Tag.photos) var tags: [Tag]
    @Relationship(deleteRule: .cascade, inverse: \Comment.photo) var comments: Set<Comment>
    @Relationship var album: Album?
    var hookCalls: [String] = []

    override func awakeFromInsert() { hookCalls.append("awakeFromInsert") }
    override func awakeFromFetch() { hookCalls.append("awakeFromFetch") }
    override func willSave() {
        hookCalls.append("willSave")
        if title == "fill me in" { title = "filled in" }
    }
    override func didSave() { hookCalls.append("didSave") }
    override func prepareForDeletion() { hookCalls.append("prepareForDeletion") }
}

final class Tag: ManagedObject {
    @Attribute(.unique) var name: String
    @Relationship var photos: Set<Photo>
    @Relationship(inverse: \Tag.parent) var children: Set<Tag>
    @Relationship var parent: Tag?
}

final class Comment: ManagedObject {
    @Attribute var text: String
    @Relationship var photo: Photo?
}

final class Album: ManagedObject {
    @Attribute var title: String
    @Relationship(deleteRule: .deny, inverse: \Photo.album) var photos: Set<Photo>
    @Relationship(inverse: \Track.albums) var tracks: [Track]
}

final class Track: ManagedObject {
    @Attribute var name: String
    @Relationship var albums: [Album]
}

class Person: ManagedObject {
    @Attribute var name: String
    @Relationship(.symmetric) var friends: Set<Person>
    @Relationship(inverse: \Person.spouseOf) var spouse: Person?
    @Relationship var spouseOf: Person?
    /// Without an inverse.
    @Relationship var heroes: Set<Person>
}

final class Employee: Person {
    @Attribute var salary: Decimal = 0
    @Relationship(deleteRule: .cascade, inverse: \Company.staff) var company: Company?
}

final class Artist: Person {
    @Attribute var style: String?
}

final class Company: ManagedObject {
    @Attribute var name: String
    @Relationship(deleteRule: .cascade) var staff: [Employee]
}

let libraryModel = ManagedObjectModel(
    Photo.self, Tag.self, Comment.self, Album.self, Track.self, Person.self, Employee.self,
    Artist.self, Company.self)
