// SPDX-License-Identifier: MIT

import CacheStoreGraph
import CacheStoreModel
import Foundation
import Testing

/// Every form of attribute, through a store and back.
@Suite final class AttributeTests {
    /// Kept for as long as the test runs, because objects do not keep their contexts.
    private var fixtures: [GraphFixture] = []

    /// Saves a filled specimen with some changes and gives it as another context loads it.
    private func reload(
        _ kind: GraphFixture.Kind, _ change: (Specimen) -> Void
    ) throws -> Specimen {
        let fixture = try GraphFixture(kind, model: declarationModel)
        fixtures.append(fixture)
        let context = try fixture.makeContext()
        let specimen = context.insert(Specimen.self)
        specimen.fill()
        change(specimen)
        try context.save()
        let other = try fixture.makeContext()
        return try other.existingObject(Specimen.self, with: specimen.objectID)
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `integers of every width keep their limits`(kind: GraphFixture.Kind) throws {
        for isMaximum in [false, true] {
            let found = try reload(kind) {
                $0.int8 = isMaximum ? .max : .min
                $0.int16 = isMaximum ? .max : .min
                $0.int32 = isMaximum ? .max : .min
                $0.int64 = isMaximum ? .max : .min
                $0.int = isMaximum ? .max : .min
                $0.uint8 = isMaximum ? .max : .min
                $0.uint16 = isMaximum ? .max : .min
                $0.uint32 = isMaximum ? .max : .min
                $0.uint64 = isMaximum ? UInt64(Int64.max) : .min
                $0.uint = isMaximum ? UInt(Int64.max) : .min
            }
            #expect(found.int8 == (isMaximum ? .max : .min))
            #expect(found.int16 == (isMaximum ? .max : .min))
            #expect(found.int32 == (isMaximum ? .max : .min))
            #expect(found.int64 == (isMaximum ? .max : .min))
            #expect(found.int == (isMaximum ? .max : .min))
            #expect(found.uint8 == (isMaximum ? .max : .min))
            #expect(found.uint16 == (isMaximum ? .max : .min))
            #expect(found.uint32 == (isMaximum ? .max : .min))
            #expect(found.uint64 == (isMaximum ? UInt64(Int64.max) : .min))
            #expect(found.uint == (isMaximum ? UInt(Int64.max) : .min))
        }
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `an unsigned integer that no store can hold is kept and refused`(
        kind: GraphFixture.Kind
    ) throws {
        let fixture = try GraphFixture(kind, model: declarationModel)
        let context = try fixture.makeContext()
        let specimen = context.insert(Specimen.self)
        specimen.fill()
        for value in [UInt64(Int64.max) + 1, .max] {
            specimen.uint64 = value
            specimen.optionalUInt64 = value
            #expect(specimen.uint64 == value)
            #expect(specimen.optionalUInt64 == value)
            let error = try #require(throws: ValidationError.self) { try context.save() }
            #expect(error.failures.map(\.code) == [.numberTooLarge, .numberTooLarge])
        }
        specimen.uint64 = 1
        specimen.optionalUInt64 = nil
        try context.save()
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `a number out of its type's range, set by name, is refused`(
        kind: GraphFixture.Kind
    ) throws {
        let fixture = try GraphFixture(kind, model: declarationModel)
        let context = try fixture.makeContext()
        let specimen = context.insert(Specimen.self)
        specimen.fill()
        for (name, value, code) in [
            ("int8", 128, .numberTooLarge), ("int8", -129, .numberTooSmall),
            ("uint8", -1, .numberTooSmall), ("uint32", 1 << 32, .numberTooLarge),
            ("uint64", -1, .numberTooSmall),
        ] as [(String, Int64, ValidationError.Code)] {
            specimen[name] = .integer(value)
            let error = try #require(throws: ValidationError.self) { try context.save() }
            #expect(error.failures.map(\.code) == [code])
            #expect(error.failures.map(\.property) == [name])
            specimen[name] = .integer(1)
        }
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `floating-point numbers keep every bit`(kind: GraphFixture.Kind) throws {
        for value in [0.1, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity] {
            let found = try reload(kind) {
                $0.double = value
                $0.float = Float(value)
                $0.optionalDouble = value
            }
            #expect(found.double == value)
            #expect(found.float == Float(value))
            #expect(found.optionalDouble == value)
        }
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `decimals are exact`(kind: GraphFixture.Kind) throws {
        for text in ["0.1", "-12345678901234567890.123456789", "1e-100", "99999999999999999999"] {
            let decimal = try #require(Decimal(string: text))
            let found = try reload(kind) {
                $0.decimal = decimal
                $0.optionalDecimal = decimal
            }
            #expect(found.decimal == decimal)
            #expect(found.optionalDecimal == decimal)
        }
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `texts, dates, data, identifiers and URLs come back`(kind: GraphFixture.Kind) throws {
        let uuid = UUID()
        let url = try #require(URL(string: "https://example.org/%C3%A4?q=1#f"))
        let found = try reload(kind) {
            $0.string = "Ä\u{0}e\u{301}🏳️‍🌈"
            $0.optionalString = ""
            $0.date = Date(timeIntervalSince1970: -0.125)
            $0.optionalDate = .distantFuture
            $0.data = Data()
            $0.optionalData = Data(0...255)
            $0.uuid = uuid
            $0.optionalUUID = uuid
            $0.url = url
            $0.optionalURL = url
            $0.flag = false
            $0.optionalFlag = true
        }
        #expect(found.string == "Ä\u{0}e\u{301}🏳️‍🌈")
        #expect(found.optionalString == "")
        #expect(found.date == Date(timeIntervalSince1970: -0.125))
        #expect(found.optionalDate == .distantFuture)
        #expect(found.data == Data())
        #expect(found.optionalData == Data(0...255))
        #expect(found.uuid == uuid)
        #expect(found.optionalUUID == uuid)
        #expect(found.url == url)
        #expect(found.optionalURL == url)
        #expect(!found.flag)
        #expect(found.optionalFlag == true)
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `enumerations and transformables come back`(kind: GraphFixture.Kind) throws {
        let place = Place(latitude: 0.1, longitude: -7, labels: ["a": 1, "b": 2])
        let found = try reload(kind) {
            $0.shade = .light
            $0.size = .large
            $0.mood = .wild
            $0.words = ["a", "", "ü"]
            $0.counts = ["x": 1, "y": -1]
            $0.place = place
            $0.optionalSize = .large
            $0.optionalMood = .wild
            $0.optionalWords = []
        }
        #expect(found.shade == .light)
        #expect(found.size == .large)
        #expect(found.mood == .wild)
        #expect(found["mood"] == .string("wild"))
        #expect(found["size"] == .integer(2))
        #expect(found.words == ["a", "", "ü"])
        #expect(found.counts == ["x": 1, "y": -1])
        #expect(found.place == place)
        #expect(found.optionalSize == .large)
        #expect(found.optionalMood == .wild)
        #expect(found.optionalWords == [])
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `optional attributes are nil until they are set, and again`(
        kind: GraphFixture.Kind
    ) throws {
        let found = try reload(kind) { _ in }
        #expect(found.optionalInt8 == nil)
        #expect(found.optionalUInt64 == nil)
        #expect(found.optionalFlag == nil)
        #expect(found.optionalDouble == nil)
        #expect(found.optionalDecimal == nil)
        #expect(found.optionalString == nil)
        #expect(found.optionalDate == nil)
        #expect(found.optionalData == nil)
        #expect(found.optionalUUID == nil)
        #expect(found.optionalURL == nil)
        #expect(found.optionalSize == nil)
        #expect(found.optionalMood == nil)
        #expect(found.optionalWords == nil)
        found.optionalWords = ["x"]
        #expect(found.hasChanges)
        found.optionalWords = nil
        #expect(!found.hasChanges)
    }

    @Test func `a required attribute that was never set reads as a stand-in, and is missed`() throws
    {
        let fixture = try GraphFixture(.memory, model: declarationModel)
        let context = try fixture.makeContext()
        let specimen = context.insert(Specimen.self)
        #expect(specimen.int8 == 0)
        #expect(specimen.string == "")
        #expect(specimen.shade == .dark)
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.failures.count == 20)
        #expect(error.failures.allSatisfy { $0.code == .missingValue })
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `a stored value that the enumeration does not know reads as the default`(
        kind: GraphFixture.Kind
    ) throws {
        let found = try reload(kind) {
            $0["mood"] = .string("unheard of")
            $0["size"] = .integer(99)
            $0["optionalSize"] = .integer(99)
        }
        #expect(found.mood == .calm)
        #expect(found.size == .small)
        #expect(found.optionalSize == nil)
    }

    @Test func `setting an equal value is no change, of any type`() throws {
        let found = try reload(.sqlite) {
            $0.counts = ["x": 1, "y": 2, "z": 3]
            $0.words = ["a"]
        }
        found.counts = ["z": 3, "y": 2, "x": 1]
        found.words = ["a"]
        found.int8 = 1
        found.decimal = 1
        found.date = Date(timeIntervalSince1970: 1)
        #expect(!found.hasChanges)
        found.counts = ["z": 4]
        #expect(found.changedValues().keys.sorted() == ["counts"])
    }

    @Test func `default values are made anew for each object`() throws {
        let fixture = try GraphFixture(.memory, model: declarationModel)
        let context = try fixture.makeContext()
        let identifiers = Set((0..<20).map { _ in context.insert(Stamped.self).identifier })
        #expect(identifiers.count == 20)
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `a transient value stays in its object`(kind: GraphFixture.Kind) throws {
        let fixture = try GraphFixture(kind, model: declarationModel)
        let context = try fixture.makeContext()
        let stamped = context.insert(Stamped.self)
        stamped.isSelected = true
        stamped.note = "here"
        try context.save()
        #expect(stamped.isSelected)
        #expect(stamped.note == "here")
        let other = try fixture.makeContext()
        let found = try other.existingObject(Stamped.self, with: stamped.objectID)
        #expect(!found.isSelected)
        #expect(found.note == nil)
        found.note = "there"
        #expect(found.note == "there")
        try other.save()
        #expect(found.note == "there")
        #expect(stamped.note == "here")
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `a constraint over two properties holds for the pair`(kind: GraphFixture.Kind) throws {
        let fixture = try GraphFixture(kind, model: declarationModel)
        let context = try fixture.makeContext()
        context.mergePolicy = .error
        for (package, number) in [("a", 1), ("a", 2), ("b", 1)] {
            let version = context.insert(Version.self)
            version.package = package
            version.number = number
        }
        try context.save()
        let twin = context.insert(Version.self)
        twin.package = "a"
        twin.number = 2
        let error = try #require(throws: ContextError.self) { try context.save() }
        #expect(error.code == .constraintConflict)
        #expect(Set(error.properties) == ["package", "number"])
        #expect(error.objects == [twin.objectID])
    }
}
