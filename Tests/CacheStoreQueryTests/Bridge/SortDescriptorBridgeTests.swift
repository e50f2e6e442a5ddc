// SPDX-License-Identifier: MIT

import CacheStoreModel
import Foundation
import Testing

@testable import CacheStoreQuery

@Suite struct SortDescriptorBridgeTests {
    let gallery: Gallery

    init() throws { gallery = try Gallery() }

    private func convert(_ descriptor: SortDescriptor<Photo>) throws -> SortKey {
        try SortKey(descriptor, entity: gallery.photo, model: gallery.model, hooks: gallery.hooks)
    }

    @Test func `path, order and comparison are taken over`() throws {
        #expect(
            try convert(SortDescriptor(\.stars, order: .reverse))
                == SortKey(path: gallery.path("stars"), isAscending: false))
        #expect(
            try convert(SortDescriptor(\.album?.title))
                == SortKey(path: gallery.path("album.title")))
        #expect(
            try convert(SortDescriptor(\.note, comparator: .lexical, order: .reverse))
                == SortKey(path: gallery.path("note"), isAscending: false))
    }

    @Test func `a key path that leads to no attribute is refused`() {
        let unknown = #expect(throws: QueryError.self) {
            try convert(SortDescriptor(\.album?.key))
        }
        #expect(unknown?.code == .unknownKeyPath)
        let count = #expect(throws: QueryError.self) { try convert(SortDescriptor(\.tags.count)) }
        #expect(count?.code == .typeMismatch)
        let itself = #expect(throws: QueryError.self) { try convert(SortDescriptor(\.key)) }
        #expect(itself?.code == .typeMismatch)
    }
}
