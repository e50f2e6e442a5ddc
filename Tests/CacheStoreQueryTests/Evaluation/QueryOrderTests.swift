// SPDX-License-Identifier: MIT

import CacheStoreModel
import Foundation
import Testing

@testable import CacheStoreQuery

@Suite struct QueryOrderTests {
    let gallery: Gallery

    init() throws { gallery = try Gallery() }

    private func sortedKeys(_ photos: [Photo], by keys: [SortKey]) throws -> [Int64] {
        let order = QueryOrder(keys)
        let objects = try photos.map { try PlainQueryObject($0, in: gallery) }
        let sorted = order.sorted(objects) { $0 }.map(\.key)
        #expect(objects.sorted { order.areInIncreasingOrder($0, $1) }.map(\.key) == sorted)
        return sorted
    }

    private func photo(_ key: Int64, _ change: (Photo) -> Void = { _ in }) -> Photo {
        let photo = Photo()
        photo.key = key
        change(photo)
        return photo
    }

    @Test func `no value sorts first, and last when descending`() throws {
        let photos = [photo(1) { $0.rating = 3 }, photo(2), photo(3) { $0.rating = -1 }]
        let path = try gallery.path("rating")
        #expect(try sortedKeys(photos, by: [SortKey(path: path)]) == [2, 3, 1])
        #expect(
            try sortedKeys(photos, by: [SortKey(path: path, isAscending: false)]) == [1, 3, 2])
    }

    @Test func `ties are broken by key, unsaved objects last in the order of their creation`()
        throws
    {
        let photos = [photo(-2), photo(7), photo(-1), photo(3)]
        #expect(try sortedKeys(photos, by: []) == [3, 7, -1, -2])
        #expect(
            try sortedKeys(
                photos, by: [SortKey(path: gallery.path("stars"), isAscending: false)])
                == [3, 7, -1, -2])
    }

    @Test func `later keys decide where earlier ones are equal`() throws {
        let photos = [
            photo(1) { ($0.stars, $0.title) = (1, "b") },
            photo(2) { ($0.stars, $0.title) = (1, "a") },
            photo(3) { ($0.stars, $0.title) = (0, "c") },
        ]
        let keys = [
            SortKey(path: try gallery.path("stars"), isAscending: false),
            SortKey(path: try gallery.path("title")),
        ]
        #expect(try sortedKeys(photos, by: keys) == [2, 1, 3])
    }

    @Test func `a path leads through to-one relationships`() throws {
        let album = Album()
        album.title = "A"
        let photos = [photo(1) { $0.album = album }, photo(2)]
        #expect(
            try sortedKeys(photos, by: [SortKey(path: gallery.path("album.title"))]) == [2, 1])
    }

    @Test func `the standard order is a person's, the binary one the bytes'`() throws {
        let photos = ["item 10", "Item 9", "éclair", "zebra"].enumerated().map { index, title in
            photo(Int64(index + 1)) { $0.title = title }
        }
        let path = try gallery.path("title")
        #expect(
            try sortedKeys(photos, by: [SortKey(path: path, comparison: .localizedStandard)])
                == [3, 2, 1, 4])
        #expect(try sortedKeys(photos, by: [SortKey(path: path)]) == [2, 1, 4, 3])
    }
}
