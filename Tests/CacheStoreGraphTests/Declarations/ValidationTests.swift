// SPDX-License-Identifier: MIT

import CacheStoreGraph
import CacheStoreModel
import Foundation
import Testing

@Suite struct ValidationTests {
    /// Saves an object that keeps every rule but for a change; gives what is wrong then.
    private func failures(
        _ change: (Ruled, ManagedObjectContext) -> Void
    ) throws -> [ValidationError.Failure] {
        let fixture = try GraphFixture(.memory, model: declarationModel)
        let context = try fixture.makeContext()
        let ruled = context.insert(Ruled.self)
        ruled.needed = context.insert(RuledPart.self)
        change(ruled, context)
        do {
            try context.save()
            return []
        } catch let error as ValidationError {
            return error.failures
        }
    }

    private func expect(
        _ codes: [ValidationError.Code], _ property: String, _ change: (Ruled) -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let failures = try failures { ruled, _ in change(ruled) }
        #expect(failures.map(\.code) == codes, sourceLocation: sourceLocation)
        #expect(failures.allSatisfy { $0.property == property }, sourceLocation: sourceLocation)
    }

    @Test func `a number keeps within its limits, which count as within`() throws {
        try expect([.numberTooSmall], "number") { $0.number = -1 }
        try expect([], "number") { $0.number = 0 }
        try expect([], "number") { $0.number = 10 }
        try expect([.numberTooLarge], "number") { $0.number = 11 }
    }

    @Test func `a text is measured in characters, data in bytes`() throws {
        try expect([.stringTooShort], "text") { $0.text = "a" }
        try expect([], "text") { $0.text = "🏳️‍🌈ä" }
        try expect([], "text") { $0.text = "abcd" }
        try expect([.stringTooLong], "text") { $0.text = "abcde" }
        try expect([.stringTooShort], "bytes") { $0.bytes = Data() }
        try expect([.stringTooLong], "bytes") { $0.bytes = Data([1, 2, 3]) }
    }

    @Test func `a date keeps within its limits`() throws {
        try expect([.dateTooSoon], "date") { $0.date = Date(timeIntervalSince1970: -1) }
        try expect([.dateTooLate], "date") { $0.date = Date(timeIntervalSince1970: 11) }
        try expect([], "date") { $0.date = Date(timeIntervalSince1970: 10) }
    }

    @Test func `a pattern is matched by the whole text`() throws {
        try expect([], "pattern") { $0.pattern = "abc" }
        for text in ["", "A", "abc1", "1abc", "abc\n"] {
            try expect([.patternMismatch], "pattern") { $0.pattern = text }
        }
    }

    @Test func `a malformed pattern is matched by no text, and does not trap`() throws {
        try expect([], "malformed") { $0.malformed = nil }
        try expect([.patternMismatch], "malformed") { $0.malformed = "a" }
    }

    @Test func `a required object must be there`() throws {
        try expect([.missingValue], "needed") { $0.needed = nil }
    }

    @Test(
        arguments: [
            (0, []), (1, [.tooFewObjects]), (2, []), (3, []), (4, [.tooManyObjects]),
        ] as [(Int, [ValidationError.Code])])
    func `members are counted, unless there are none`(
        count: Int, codes: [ValidationError.Code]
    ) throws {
        let failures = try failures { ruled, context in
            for _ in 0..<count { context.insert(RuledPart.self).owner = ruled }
        }
        #expect(failures.map(\.code) == codes)
    }

    @Test func `what has not changed is not checked again`() throws {
        let fixture = try GraphFixture(.memory, model: declarationModel)
        let context = try fixture.makeContext()
        let ruled = context.insert(Ruled.self)
        ruled.needed = context.insert(RuledPart.self)
        try context.save()
        ruled.number = 11
        ruled.text = "ab"
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.failures.map(\.property) == ["number"])
    }
}
