// SPDX-License-Identifier: MIT

import CacheStoreTestKit
import Foundation
import Testing

@testable import CacheStoreModel

@Suite struct RowBatchTests {
    private static let types: [AttributeType] = AttributeType.Kind.allCases.map {
        AttributeType($0)
    }
    private static let layout = RowLayout(
        columns: types.enumerated().map {
            RowLayout.Column(
                property: "p\($0)", declaringEntityIndex: 0, role: .attribute($1, []))
        })

    private static func column(_ type: AttributeType) throws -> Int {
        try #require(types.firstIndex(of: type)) + RowLayout.firstPropertyColumn
    }

    /// One batch of one row with one value.
    private func batch(_ value: PropertyValue, for type: AttributeType) throws -> RowBatch {
        var builder = RowBatchBuilder(layout: Self.layout)
        builder.beginRow()
        builder.set(try Self.column(type), value: value)
        let finished = builder.finish()
        return try #require(finished)
    }

    private func roundTrip(_ value: PropertyValue, _ type: AttributeType) throws -> PropertyValue {
        try batch(value, for: type).value(row: 0, column: try Self.column(type), type: type)
    }

    private static let samples: [(AttributeType, PropertyValue)] = [
        (.integer8, .integer(-128)), (.integer64, .integer(.min)), (.integer64, .integer(.max)),
        (.unsignedInteger64, .integer(.max)), (.boolean, .boolean(true)),
        (.boolean, .boolean(false)), (.double, .double(-0.1)), (.double, .double(.infinity)),
        (.float, .double(0.5)), (.string, .string("")), (.string, .string("Ä\u{0}🏳️‍🌈")),
        (.date, .date(Date(timeIntervalSince1970: -1.5))), (.binaryData, .data(Data())),
        (.binaryData, .data(Data([0, 255, 0]))), (.transformable, .data(Data("x".utf8))),
        (.uuid, .uuid(UUID())),
        (.decimal, .decimal(Decimal(sign: .minus, exponent: -20, significand: 12345))),
        (.decimal, .decimal(Decimal.greatestFiniteMagnitude)), (.decimal, .decimal(0)),
    ]

    @Test(arguments: samples)
    func `a value comes back as it was`(type: AttributeType, value: PropertyValue) throws {
        #expect(try roundTrip(value, type) == value)
    }

    @Test func `a URL comes back as it was`() throws {
        let url = try #require(URL(string: "https://example.org/a%20b?c=d#e"))
        #expect(try roundTrip(.url(url), .url) == .url(url))
    }

    @Test func `a cell that was not set is null`() throws {
        let batch = try batch(.null, for: .string)
        for type in Self.types {
            #expect(batch.value(row: 0, column: try Self.column(type), type: type) == .null)
        }
    }

    @Test(arguments: [
        (AttributeType.integer32, PropertyValue.string("5")), (.string, .integer(5)),
        (.uuid, .data(Data([1, 2]))), (.uuid, .string("x")), (.date, .string("today")),
        (.boolean, .double(1)), (.decimal, .string("many")), (.url, .integer(1)),
        (.binaryData, .string("x")), (.double, .data(Data([1]))),
    ])
    func `a cell of another storage class reads as null`(
        type: AttributeType, value: PropertyValue
    ) throws {
        #expect(try roundTrip(value, type) == .null)
    }

    @Test func `numbers of the other kind are taken where nothing is lost`() throws {
        #expect(try roundTrip(.integer(3), .double) == .double(3))
        #expect(try roundTrip(.integer(3), .date) == .date(Date(timeIntervalSince1970: 3)))
        #expect(try roundTrip(.integer(3), .decimal) == .decimal(3))
    }

    @Test func `an empty batch has no rows`() throws {
        let builder = RowBatchBuilder(layout: Self.layout, expectedRows: 0)
        let finished = builder.finish()
        let batch = try #require(finished)
        #expect(batch.count == 0)
    }

    @Test func `rows and texts stay right while the memory grows`() throws {
        let seed = TestSeed.make()
        var generator = SeededRandomNumberGenerator(seed: seed)
        var builder = RowBatchBuilder(layout: Self.layout, extraCells: 1, expectedRows: 1)
        let text = try Self.column(.string)
        let number = try Self.column(.integer64)
        let extra = Self.layout.cellCount
        var expected: [(String, Int64?)] = []
        for row in 0..<700 {
            let string = String(
                repeating: "ü", count: Int.random(in: 0..<200, using: &generator))
            let integer = Bool.random(using: &generator) ? Int64(row) : nil
            builder.beginRow()
            builder.set(RowLayout.keyColumn, integer: Int64(row))
            builder.set(RowLayout.entityColumn, integer: 2)
            builder.set(RowLayout.versionColumn, integer: 9)
            builder.set(text, value: .string(string))
            if let integer { builder.set(number, integer: integer) }
            builder.set(extra, integer: Int64(row * 3))
            expected.append((string, integer))
        }
        let finished = builder.finish()
        let batch = try #require(finished)
        #expect(batch.count == 700)
        for (row, (string, integer)) in expected.enumerated() {
            #expect(batch.key(ofRow: row) == Int64(row), "seed \(seed)")
            #expect(batch.entityIndex(ofRow: row) == 2)
            #expect(batch.version(ofRow: row) == 9)
            #expect(batch.value(row: row, column: text, type: .string) == .string(string))
            #expect(
                batch.value(row: row, column: number, type: .integer64)
                    == (integer.map { .integer($0) } ?? .null))
            #expect(batch.integer(row: row, column: extra) == Int64(row * 3))
        }
    }

    @Test func `an encoded cell without a resolver, or with one that fails, is null`() throws {
        struct Refusal: Error {}
        final class Resolver: EncodedValueResolver {
            func value(
                ofEncoded bytes: UnsafeRawBufferPointer, type: AttributeType
            ) throws -> PropertyValue {
                guard bytes.count == 2 else { throw Refusal() }
                return .string("resolved")
            }
        }
        let column = try Self.column(.string)
        for (bytes, resolver, expected) in [
            ([1, 2], nil, .null), ([1, 2], Resolver(), .string("resolved")),
            ([1], Resolver(), .null),
        ] as [([UInt8], Resolver?, PropertyValue)] {
            var builder = RowBatchBuilder(layout: Self.layout)
            builder.beginRow()
            bytes.withUnsafeBytes { builder.set(column, tag: RowBatch.Tag.encoded, bytes: $0) }
            let finished = builder.finish(resolver: resolver)
            let batch = try #require(finished)
            #expect(batch.value(row: 0, column: column, type: .string) == expected)
        }
    }
}
