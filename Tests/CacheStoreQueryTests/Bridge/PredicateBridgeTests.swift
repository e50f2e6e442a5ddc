// SPDX-License-Identifier: MIT

import CacheStoreModel
import Foundation
import Testing

@testable import CacheStoreQuery

@Suite struct PredicateBridgeTests {
    let gallery: Gallery

    init() throws { gallery = try Gallery() }

    @Test func `a comparison with a captured value becomes a comparison with a constant`() throws {
        let title = "Sea"
        let expression = try gallery.convert(#Predicate { $0.title == title })
        #expect(
            try expression
                == .comparison(.equal, gallery.property("title"), .constant(.string("Sea"))))
    }

    @Test func `an optional chain through a to-one relationship becomes a path`() throws {
        let expression = try gallery.convert(#Predicate { $0.album?.title == "Sea" })
        #expect(
            try expression
                == .comparison(.equal, gallery.property("album.title"), .constant(.string("Sea"))))
    }

    @Test func `a chain of two optional relationships becomes one path`() throws {
        let name: String? = "Ada"
        let expression = try gallery.convert(#Predicate { $0.album?.owner?.name == name })
        #expect(
            try expression
                == .comparison(
                    .equal, gallery.property("album.owner.name"), .constant(.string("Ada"))))
    }

    @Test func `a test for nil compares with no value`() throws {
        let expression = try gallery.convert(#Predicate { $0.note == nil })
        #expect(
            try expression == .comparison(.equal, gallery.property("note"), .constant(.null)))
        let album = try gallery.convert(#Predicate { $0.album == nil && $0.note != nil })
        #expect(
            try album
                == .and([
                    .comparison(.equal, gallery.property("album"), .constant(.null)),
                    .comparison(.notEqual, gallery.property("note"), .constant(.null)),
                ]))
    }

    @Test func `a captured collection becomes a list of values`() throws {
        let titles = ["Sea", "Sky"]
        let kinds: Set<Photo.Kind> = [.drawing]
        #expect(
            try gallery.convert(#Predicate { titles.contains($0.title) })
                == .isIn(gallery.property("title"), [.string("Sea"), .string("Sky")]))
        #expect(
            try gallery.convert(#Predicate { kinds.contains($0.kind) })
                == .isIn(gallery.property("kind"), [.string("drawing")]))
    }

    @Test func `captured values of every attribute type become their values`() throws {
        let date = Date(timeIntervalSince1970: 7)
        let uuid = UUID()
        let url = try #require(URL(string: "https://example.org"))
        let decimal = Decimal(3) / 4
        let data = Data([1, 2])
        let kind = Photo.Kind.drawing
        let rating: Int? = 4
        func constant(_ predicate: Predicate<Photo>) throws -> PropertyValue? {
            guard case .comparison(_, _, .constant(let value)) = try gallery.convert(predicate)
            else { return nil }
            return value
        }
        #expect(try constant(#Predicate { $0.takenAt == date }) == .date(date))
        #expect(try constant(#Predicate { $0.token == uuid }) == .uuid(uuid))
        #expect(try constant(#Predicate { $0.source == url }) == .url(url))
        #expect(try constant(#Predicate { $0.price == decimal }) == .decimal(decimal))
        #expect(try constant(#Predicate { $0.bytes == data }) == .data(data))
        #expect(try constant(#Predicate { $0.kind == kind }) == .string("drawing"))
        #expect(try constant(#Predicate { $0.rating == rating }) == .integer(4))
        #expect(try constant(#Predicate { $0.size == 1.5 }) == .double(1.5))
        #expect(try constant(#Predicate { $0.isHidden == true }) == .boolean(true))
    }

    @Test func `an object is compared by its ID`() throws {
        let id = gallery.id("Photo", 5)
        let album = gallery.id("Album", 6)
        let ids = [id]
        let constant = QueryExpression.constant(.object(id))
        #expect(
            try gallery.convert(#Predicate { $0.objectID == id })
                == .comparison(.equal, .object(scope: 0), constant))
        #expect(
            try gallery.convert(#Predicate { ids.contains($0.objectID) })
                == .isIn(.object(scope: 0), [.object(id)]))
        #expect(
            try gallery.convert(#Predicate { $0.album?.objectID == album })
                == .comparison(.equal, gallery.property("album"), .constant(.object(album))))
    }

    @Test func `the hook converts captured objects`() throws {
        struct Wrapper { let value: Gallery.Key }
        let keys = [Gallery.Key(value: 1), Gallery.Key(value: 2)]
        let predicate = Predicate<Photo> { photo in
            PredicateExpressions.build_Equal(
                lhs: PredicateExpressions.build_Arg(keys[0]),
                rhs: PredicateExpressions.build_Arg(keys[1]))
        }
        // Two captured values are compared at once, without the hook.
        #expect(try gallery.convert(predicate) == .constant(.boolean(false)))
        let value = try Conversion(
            model: gallery.model, hooks: gallery.hooks,
            variable: PredicateExpressions.Variable<Photo>().key, entity: gallery.photo
        ).propertyValue(of: keys[1], in: PredicateExpressions.Value(1))
        #expect(value == .object(gallery.id("Photo", 2)))
    }

    @Test func `conditions on a to-many relationship open a scope`() throws {
        let expression = try gallery.convert(
            #Predicate { photo in photo.tags.contains { $0.name == "sea" } })
        #expect(
            try expression
                == .exists(
                    gallery.path("tags"), scope: 1,
                    .comparison(
                        .equal, gallery.property("name", of: "Tag", scope: 1),
                        .constant(.string("sea")))))
    }

    @Test func `counts and emptiness of a to-many relationship use its count`() throws {
        let count = QueryExpression.count(try gallery.path("tags"))
        #expect(
            try gallery.convert(#Predicate { $0.tags.count > 2 })
                == .comparison(.greater, count, .constant(.integer(2))))
        #expect(
            try gallery.convert(#Predicate { $0.tags.isEmpty })
                == .not(.comparison(.greater, count, .constant(.integer(0)))))
    }

    @Test func `a long chain of conditions becomes one list`() throws {
        let expression = try gallery.convert(
            #Predicate { $0.stars > 1 && $0.stars < 5 && $0.isFavorite })
        guard case .and(let parts) = expression else {
            Issue.record("not a conjunction")
            return
        }
        #expect(parts.count == 3)
    }

    @Test func `localizedStandardContains looks past case and diacritics`() throws {
        #expect(
            try gallery.convert(#Predicate { $0.title.localizedStandardContains("sea") })
                == .text(
                    .contains, gallery.property("title"), .constant(.string("sea")),
                    [.caseInsensitive, .diacriticInsensitive]))
    }

    @Test func `caseInsensitiveCompare can be compared with orderedSame`() throws {
        let same = ComparisonResult.orderedSame
        #expect(
            try gallery.convert(#Predicate { $0.title.caseInsensitiveCompare("sea") == same })
                == .text(
                    .equal, gallery.property("title"), .constant(.string("sea")), .caseInsensitive)
        )
    }
}
