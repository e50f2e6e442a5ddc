// SPDX-License-Identifier: MIT

import CacheStoreModel
import Foundation

@testable import CacheStoreQuery

/// Plain classes that Foundation evaluates predicates over, a model that describes them, and the
/// view of them that queries have.
final class Photo {
    var key: Int64 = 0
    var objectID: ManagedObjectID { Gallery.noID }
    var title = ""
    var note: String?
    var stars = 0
    var rating: Int?
    var size = 0.0
    var isFavorite = false
    var isHidden: Bool?
    var takenAt = Date(timeIntervalSince1970: 0)
    var price = Decimal(0)
    var token = UUID()
    var source: URL?
    var kind = Kind.picture
    var bytes = Data()
    var album: Album?
    var tags: [Tag] = []

    enum Kind: String, Codable, Sendable { case picture, drawing }
}

final class Album: Equatable {
    var key: Int64 = 0
    var objectID: ManagedObjectID { Gallery.noID }
    var title = ""
    var owner: Owner?
    var photos: [Photo] = []

    static func == (first: Album, second: Album) -> Bool { first === second }
}

final class Owner {
    var key: Int64 = 0
    var name: String?
    var albums: [Album] = []
}

final class Tag: Equatable {
    var key: Int64 = 0
    var name = ""
    var weight = 0

    static func == (first: Tag, second: Tag) -> Bool { first === second }
}

struct Gallery {
    let model: ManagedObjectModel
    let space: IdentitySpace
    let photo: Entity

    init() throws {
        model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Photo",
                attributes: [
                    AttributeDescription("title", .string),
                    AttributeDescription("note", .string, isOptional: true),
                    AttributeDescription("stars", .integer64),
                    AttributeDescription("rating", .integer64, isOptional: true),
                    AttributeDescription("size", .double),
                    AttributeDescription("isFavorite", .boolean),
                    AttributeDescription("isHidden", .boolean, isOptional: true),
                    AttributeDescription("takenAt", .date),
                    AttributeDescription("price", .decimal),
                    AttributeDescription("token", .uuid),
                    AttributeDescription("source", .url, isOptional: true),
                    AttributeDescription("kind", .string),
                    AttributeDescription("bytes", .binaryData),
                ],
                relationships: [
                    RelationshipDescription("album", toOne: "Album", inverse: "photos"),
                    RelationshipDescription("tags", toMany: "Tag"),
                ]),
            EntityDescription(
                "Album", attributes: [AttributeDescription("title", .string)],
                relationships: [
                    RelationshipDescription("photos", toMany: "Photo"),
                    RelationshipDescription("owner", toOne: "Owner", inverse: "albums"),
                ]),
            EntityDescription(
                "Owner", attributes: [AttributeDescription("name", .string, isOptional: true)],
                relationships: [RelationshipDescription("albums", toMany: "Album")]),
            EntityDescription(
                "Tag",
                attributes: [
                    AttributeDescription("name", .string),
                    AttributeDescription("weight", .integer64),
                ]),
        ])
        space = IdentitySpace.space(storeIdentifier: UUID(), model: model)
        photo = try model.requiredEntity(named: "Photo")
    }

    /// The ID that the plain objects answer with, which is never looked at.
    static let noID: ManagedObjectID = {
        let model = ManagedObjectModel(described: .success([]), classes: [:])
        return .temporary(
            in: IdentitySpace.space(storeIdentifier: nil, model: model), entityIndex: 0)
    }()

    // A literal of key paths is no Sendable constant, so it is made anew where it is needed.
    static var names: [AnyKeyPath: String] {
        [
            \Photo.title: "title", \Photo.note: "note", \Photo.stars: "stars",
            \Photo.rating: "rating", \Photo.size: "size", \Photo.isFavorite: "isFavorite",
            \Photo.isHidden: "isHidden", \Photo.takenAt: "takenAt", \Photo.price: "price",
            \Photo.token: "token", \Photo.source: "source", \Photo.kind: "kind",
            \Photo.bytes: "bytes", \Photo.album: "album", \Photo.tags: "tags",
            \Photo.album?.title: "album.title", \Photo.album?.owner?.name: "album.owner.name",
            \Photo.title.count: "title", \Photo.tags.count: "tags",
            \Album.title: "title", \Album.owner: "owner", \Album.photos: "photos",
            \Owner.name: "name", \Owner.albums: "albums", \Tag.name: "name",
            \Tag.weight: "weight",
        ]
    }

    var hooks: BridgeHooks {
        let names = Self.names
        return BridgeHooks(
            resolve: { keyPath, entity in
                let identities: [AnyKeyPath] = [\Photo.key, \Photo.objectID, \Album.objectID]
                if identities.contains(keyPath) { return [] }
                guard let name = names[keyPath] else {
                    throw ModelError(.unknownProperty, "no such key path")
                }
                return try PropertyPath(name, from: entity, in: model).steps
            },
            captured: { ($0 as? Key).map { .object(id("Photo", $0.value)) } })
    }

    /// What stands for a captured object in the predicates of the tests.
    struct Key: Codable, Hashable, Sendable { var value: Int64 }

    func id(_ entity: String, _ key: Int64) -> ManagedObjectID {
        ManagedObjectID(
            space: space, entityIndex: model.entity(named: entity)?.index ?? 0, key: key)
    }

    func convert(_ predicate: Predicate<Photo>) throws -> QueryExpression {
        try QueryExpression(predicate, entity: photo, model: model, hooks: hooks)
    }

    /// The path that names joined by dots describe.
    func path(_ names: String, of entity: String = "Photo", scope: Int = 0) throws -> PropertyPath {
        try PropertyPath(
            names, from: model.requiredEntity(named: entity), in: model, scope: scope)
    }

    func property(
        _ names: String, of entity: String = "Photo", scope: Int = 0
    ) throws -> QueryExpression { .property(try path(names, of: entity, scope: scope)) }
}

/// A plain object as queries see it.
struct PlainQueryObject: QueryObject {
    let gallery: Gallery
    let entity: Entity
    let key: Int64
    var values: [String: PropertyValue] = [:]
    var toOne: [String: PlainQueryObject] = [:]
    var toMany: [String: [PlainQueryObject]] = [:]

    private init(_ gallery: Gallery, _ entity: String, _ key: Int64) throws {
        self.gallery = gallery
        self.entity = try gallery.model.requiredEntity(named: entity)
        self.key = key
    }

    init(_ photo: Photo, in gallery: Gallery, depth: Int = 3) throws {
        try self.init(gallery, "Photo", photo.key)
        values = [
            "title": .string(photo.title), "note": photo.note.map { .string($0) } ?? .null,
            "stars": .integer(Int64(photo.stars)),
            "rating": photo.rating.map { .integer(Int64($0)) } ?? .null,
            "size": .double(photo.size), "isFavorite": .boolean(photo.isFavorite),
            "isHidden": photo.isHidden.map { .boolean($0) } ?? .null,
            "takenAt": .date(photo.takenAt), "price": .decimal(photo.price),
            "token": .uuid(photo.token), "source": photo.source.map { .url($0) } ?? .null,
            "kind": .string(photo.kind.rawValue), "bytes": .data(photo.bytes),
        ]
        guard depth > 0 else { return }
        if let album = photo.album {
            toOne["album"] = try PlainQueryObject(album, in: gallery, depth: depth - 1)
        }
        toMany["tags"] = try photo.tags.map { tag in
            var object = try PlainQueryObject(gallery, "Tag", tag.key)
            object.values = ["name": .string(tag.name), "weight": .integer(Int64(tag.weight))]
            return object
        }
    }

    init(_ album: Album, in gallery: Gallery, depth: Int) throws {
        try self.init(gallery, "Album", album.key)
        values = ["title": .string(album.title)]
        guard depth > 0 else { return }
        toMany["photos"] = try album.photos.map {
            try PlainQueryObject($0, in: gallery, depth: depth - 1)
        }
        if let owner = album.owner {
            var object = try PlainQueryObject(gallery, "Owner", owner.key)
            object.values = ["name": owner.name.map { .string($0) } ?? .null]
            toOne["owner"] = object
        }
    }

    var queryID: ManagedObjectID { gallery.id(entity.name, key) }

    func queryValue(ofProperty index: Int) -> PropertyValue {
        let name = entity.properties[index].name
        return values[name] ?? toOne[name].map { .object($0.queryID) } ?? .null
    }

    func queryObject(toOne index: Int) -> (any QueryObject)? {
        toOne[entity.properties[index].name]
    }

    func queryObjects(toMany index: Int) -> [any QueryObject] {
        toMany[entity.properties[index].name] ?? []
    }
}
