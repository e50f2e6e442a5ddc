// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import Foundation
import Testing

@testable import CacheStorePersistence

/// Every store gives back the values it was given.
@Suite struct StoreValuesTests {
    private static let url = URL(fileURLWithPath: "/tmp/a b?c")

    private static func samples(_ kind: AttributeType.Kind) -> [PropertyValue] {
        if let range = AttributeType(kind).integerRange {
            return [.integer(range.lowerBound), .integer(0), .integer(range.upperBound)]
        }
        return switch kind {
        case .boolean: [.boolean(true), .boolean(false)]
        case .double:
            [
                .double(0.1), .double(-.infinity), .double(.leastNonzeroMagnitude), .double(3),
                .double(1e300),
            ]
        case .float: [.double(Double(Float(0.1))), .double(2)]
        case .decimal:
            ["0", "-0.1", "12345678901234567890.12345678901234567", "1e100"].compactMap {
                Decimal(string: $0).map { .decimal($0) }
            }
        case .string: [.string(""), .string("é e\u{301} 🇩🇪 '\"\\"), .string("a\u{1}\n")]
        case .date:
            [.date(Date(timeIntervalSince1970: 0)), .date(Date(timeIntervalSince1970: -1.25))]
        case .binaryData, .transformable:
            [.data(Data()), .data(Data([0, 255, 0])), .data(Data(repeating: 7, count: 70_000))]
        case .uuid: [.uuid(UUID())]
        case .url: [.url(url)]
        default: []
        }
    }

    @Test(arguments: StoreKind.allCases, ContractModel.types.map(\.name))
    func `values of every type come back as they were`(
        _ kind: StoreKind, _ attribute: String
    ) throws {
        let fixture = try StoreFixture(kind)
        let type = try #require(ContractModel.types.first { $0.name == attribute }?.type)
        let samples = Self.samples(type.kind) + [.null]
        #expect(samples.count > 1)
        for sample in samples {
            let id = try fixture.insert("Value", [attribute: sample])
            let row = try #require(try fixture.row(id))
            #expect(row.values[attribute] == sample)
            #expect(row.version == 1)
            #expect(row.values.filter { !$0.value.isNull }.count == (sample.isNull ? 0 : 1))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `compressed and external values come back as they were`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        for length in [0, 1, 100, 1_000_000] {
            let text = PropertyValue.string(String(repeating: "ab", count: length / 2))
            let data = PropertyValue.data(Data((0..<length).map { UInt8(truncatingIfNeeded: $0) }))
            let id = try fixture.insert("Value", ["packed": text, "outside": data])
            #expect(try fixture.row(id)?.values["packed"] == text)
            #expect(try fixture.row(id)?.values["outside"] == data)
            try fixture.save(updated: [fixture.update(id, ["packed": .null, "outside": .null])])
            #expect(try fixture.row(id)?.values["packed"] == .null)
            #expect(try fixture.row(id)?.values["outside"] == .null)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `texts of one row come back as they were, however long they are`(
        _ kind: StoreKind
    ) throws {
        let fixture = try StoreFixture(kind)
        // Those that are copied in their own ways, and about what fits behind a row that is alone.
        for length in Array(0...72) + [130, 135, 136, 137, 271, 272, 273, 5_000] {
            let bytes = (0..<length).map { UInt8(97 + ($0 * 7 + length) % 26) }
            let text = PropertyValue.string(String(decoding: bytes, as: UTF8.self))
            let data = PropertyValue.data(Data(bytes))
            let id = try fixture.insert("Value", ["of_string": text, "of_binaryData": data])
            let row = try #require(try fixture.row(id))
            #expect(row.values["of_string"] == text)
            #expect(row.values["of_binaryData"] == data)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a missing value is not that of the row that was read before`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let all = ContractModel.types.compactMap { name, type in
            Self.samples(type.kind).first.map { (name, $0) }
        }
        let full = try fixture.insert("Value", Dictionary(uniqueKeysWithValues: all))
        let empty = try fixture.insert("Value", [:])
        for _ in 0..<3 {
            #expect(try fixture.row(full)?.values.filter { !$0.value.isNull }.count == all.count)
            #expect(try fixture.row(empty)?.values.filter { !$0.value.isNull }.isEmpty == true)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `not a number is kept as no value`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let id = try fixture.insert("Value", ["of_double": .double(.nan)])
        #expect(try fixture.row(id)?.values["of_double"] == .null)
    }

    @Test(arguments: StoreKind.allCases)
    func `an update changes the properties it names and the version`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let id = try fixture.insert("Person", ["name": .string("Ada"), "age": .integer(1)])
        try fixture.save(updated: [fixture.update(id, ["age": .integer(2)])])
        try fixture.save(updated: [fixture.update(id, version: 2, ["age": .null])])
        let row = try #require(try fixture.row(id))
        #expect(row.version == 3)
        #expect(row.values["name"] == .string("Ada"))
        #expect(row.values["age"] == .null)
    }

    @Test(arguments: StoreKind.allCases)
    func `many rows come in batches that are not too large`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        try fixture.save(
            inserted: (0..<1100).map { try fixture.insertion("Tag", ["name": .string("\($0)")]) })
        let batches = try fixture.store.rows(matching: fixture.query("Tag"))
        #expect(batches.allSatisfy { $0.count <= 512 })
        let names = FetchedRow.decode(batches, in: fixture.model).map(\.name)
        #expect(names == (0..<1100).map { "\($0)" })
    }

    @Test(arguments: StoreKind.allCases)
    func `rows of unknown keys are left out`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let id = try fixture.insert("Tag", ["name": .string("a")])
        let batches = try fixture.store.rows(
            of: fixture.entity("Tag"), keys: [id.key + 7, id.key, -1])
        #expect(FetchedRow.decode(batches, in: fixture.model).map(\.key) == [id.key])
    }

    @Test(arguments: StoreKind.allCases)
    func `metadata come back and are replaced as a whole`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        #expect(try fixture.store.metadata().isEmpty)
        let metadata: [String: PropertyValue] = [
            "text": .string("a"), "number": .integer(.max), "real": .double(0.1),
            "date": .date(Date(timeIntervalSince1970: 1.5)), "none": .null,
        ]
        try fixture.store.setMetadata(metadata)
        #expect(try fixture.store.metadata() == metadata)
        try fixture.store.setMetadata(["other": .boolean(true)])
        #expect(try fixture.store.metadata() == ["other": .boolean(true)])
    }

    @Test(arguments: StoreKind.allCases)
    func `a closed store refuses every call`(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let store = fixture.store
        let entity = try fixture.entity("Team")
        try store.close()
        #expect(throws: (any Error).self) { try store.rows(matching: StoreQuery(entity: entity)) }
        #expect(throws: (any Error).self) { try store.count(matching: StoreQuery(entity: entity)) }
        #expect(throws: (any Error).self) { try store.rows(of: entity, keys: [1]) }
        #expect(throws: (any Error).self) {
            try store.members(
                of: entity.requiredProperty(named: "members"), in: entity, owners: [1])
        }
        #expect(throws: (any Error).self) { try fixture.insert("Tag", ["name": .string("a")]) }
        #expect(throws: (any Error).self) { try store.reserveKeys(for: entity, count: 1) }
        #expect(throws: (any Error).self) { try store.metadata() }
        #expect(throws: (any Error).self) { try store.setMetadata([:]) }
    }
}
