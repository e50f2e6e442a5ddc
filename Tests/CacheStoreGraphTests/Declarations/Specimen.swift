// SPDX-License-Identifier: MIT

import CacheStoreGraph
import CacheStoreModel
import Foundation

// Classes with every kind of attribute.

enum Size: Int, Sendable {
    case small = 1, large = 2
}

enum Shade: String, CaseIterable, Sendable {
    case dark, light
}

final class Specimen: ManagedObject {
    @Attribute var int8: Int8
    @Attribute var int16: Int16
    @Attribute var int32: Int32
    @Attribute var int64: Int64
    @Attribute var int: Int
    @Attribute var uint8: UInt8
    @Attribute var uint16: UInt16
    @Attribute var uint32: UInt32
    @Attribute var uint64: UInt64
    @Attribute var uint: UInt
    @Attribute var flag: Bool
    @Attribute var double: Double
    @Attribute var float: Float
    @Attribute var decimal: Decimal
    @Attribute var string: String
    @Attribute var date: Date
    @Attribute var data: Data
    @Attribute var uuid: UUID
    @Attribute var url: URL
    @Attribute var shade: Shade
    @Attribute var size: Size = .small
    @Attribute var mood: Mood = .calm
    @Attribute var words: [String] = []
    @Attribute var counts: [String: Int] = [:]
    @Attribute var place: Place = Place()
    @Attribute var optionalInt8: Int8?
    @Attribute var optionalUInt64: UInt64?
    @Attribute var optionalFlag: Bool?
    @Attribute var optionalDouble: Double?
    @Attribute var optionalDecimal: Decimal?
    @Attribute var optionalString: String?
    @Attribute var optionalDate: Date?
    @Attribute var optionalData: Data?
    @Attribute var optionalUUID: UUID?
    @Attribute var optionalURL: URL?
    @Attribute var optionalSize: Size?
    @Attribute var optionalMood: Mood?
    @Attribute var optionalWords: [String]?

    /// Gives a value to all that must have one.
    func fill() {
        int8 = 1
        int16 = 1
        int32 = 1
        int64 = 1
        int = 1
        uint8 = 1
        uint16 = 1
        uint32 = 1
        uint64 = 1
        uint = 1
        flag = true
        double = 1
        float = 1
        decimal = 1
        string = "s"
        date = Date(timeIntervalSince1970: 1)
        data = Data([1])
        uuid = UUID()
        url = URL(fileURLWithPath: "/")
        shade = .light
    }
}

final class Stamped: ManagedObject {
    @Attribute var identifier: UUID = UUID()
    @Attribute var name: String = "new"
    @Attribute(.transient) var isSelected: Bool = false
    @Attribute(.transient) var note: String?
}

final class Ruled: ManagedObject {
    @Attribute(validate: [.minimum(0), .maximum(10)]) var number: Int = 5
    @Attribute(validate: [.minimumLength(2), .maximumLength(4)]) var text: String = "abc"
    @Attribute(validate: [.minimumLength(1), .maximumLength(2)]) var bytes: Data = Data([1])
    @Attribute(validate: [.matches("[a-z]+")]) var pattern: String = "a"
    @Attribute(validate: [.matches("[a-")]) var malformed: String?
    @Attribute(
        validate: [
            .earliest(Date(timeIntervalSince1970: 0)), .latest(Date(timeIntervalSince1970: 10)),
        ]) var date: Date = Date(timeIntervalSince1970: 5)
    @Relationship(.required, inverse: \RuledPart.needers) var needed: RuledPart?
    @Relationship(inverse: \RuledPart.owner, minimumCount: 2, maximumCount: 3)
    var parts: Set<RuledPart>
}

final class RuledPart: ManagedObject {
    @Relationship var owner: Ruled?
    @Relationship var needers: Set<Ruled>
}

final class Version: ManagedObject {
    @Attribute var package: String
    @Attribute var number: Int
    override class var uniquenessConstraints: [[AnyKeyPath]] {
        [[\Version.package, \Version.number]]
    }
    override class var indexes: [[AnyKeyPath]] { [[\Version.number, \Version.package]] }
}

class AbstractThing: ManagedObject {
    @Attribute var name: String = "thing"
    override class var isAbstractEntity: Bool { true }
}

final class ConcreteThing: AbstractThing {}

let declarationModel = ManagedObjectModel(
    Specimen.self, Stamped.self, Ruled.self, RuledPart.self, Version.self, ConcreteThing.self)
