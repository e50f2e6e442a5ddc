// SPDX-License-Identifier: MIT

import CacheStoreModel
import Foundation
import Testing

@testable import CacheStoreQuery

@Suite struct PredicateOutlineTests {
    private func outline(_ title: String, _ stars: Int) -> PredicateOutline? {
        PredicateOutline(#Predicate<Photo> { $0.title == title && !($0.stars < stars) })
    }

    @Test func `predicates of one place in the source have one key and their own values`() throws {
        // The first of a type makes known what the next ones are taken apart by.
        let outlines = try [("Sea", 1), ("Dunes", 2), ("Sky", 3)].map {
            try #require(outline($0.0, $0.1))
        }
        #expect(Set(outlines.map(\.key)).count == 1)
        #expect(
            outlines.map(\.values) == [
                [.string("Sea"), .integer(1)], [.string("Dunes"), .integer(2)],
                [.string("Sky"), .integer(3)],
            ])
    }

    @Test func `another operator of the same type is another key`() throws {
        for _ in 0..<2 {
            let less = try #require(PredicateOutline(#Predicate<Photo> { $0.stars < 3 }))
            let more = try #require(PredicateOutline(#Predicate<Photo> { $0.stars > 3 }))
            #expect(less.key != more.key)
            #expect(less.values == more.values)
        }
    }

    @Test func `another property of the same type is another key`() throws {
        for _ in 0..<2 {
            let title = "Sea"
            let first = try #require(PredicateOutline(#Predicate<Album> { $0.title == title }))
            let second = try #require(PredicateOutline(#Predicate<Tag> { $0.name == title }))
            let third = try #require(PredicateOutline(#Predicate<Photo> { $0.title == title }))
            #expect(Set([first.key, second.key, third.key]).count == 3)
        }
    }

    @Test func `what outlines do not cover has none, however often it is asked for`() {
        for _ in 0..<3 {
            let predicate = #Predicate<Photo> { photo in photo.tags.contains { $0.weight > 1 } }
            #expect(PredicateOutline(predicate) == nil)
        }
    }

    @Test func `a value that is no number has no outline, before and after one that is`() {
        for number in [Double.nan, 1, .nan, 2] {
            let outline = PredicateOutline(#Predicate<Photo> { $0.size > number })
            #expect((outline == nil) == number.isNaN)
        }
    }
}
