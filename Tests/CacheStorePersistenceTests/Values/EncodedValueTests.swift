// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStorePersistence

/// Compressed and external values, in a store with a directory.
@Suite struct EncodedValueTests {
    private let directory: TemporaryDirectory
    private let library: Library

    init() throws {
        directory = try TemporaryDirectory()
        let store = try SQLiteStore.open(
            at: directory.url.appendingPathComponent("store.sqlite"), model: Library.model()
        ).store
        library = Library(store)
    }

    private var files: [String] {
        let path = directory.url.appendingPathComponent("store.blobs").path
        return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }

    private func noise(_ count: Int) -> Data {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    private func value(_ name: String, of id: ManagedObjectID) throws -> PropertyValue? {
        let rows = try library.store.rows(of: id.resolvedEntity, keys: [id.key])
        return try library.values(name, of: "Photo", in: rows).first
    }

    private func stored(_ column: String, of id: ManagedObjectID) throws -> String {
        try library.store.read { connection in
            let statement = try connection.prepare(
                sql: "SELECT typeof(\(column)), length(\(column)) FROM Photo WHERE _id = \(id.key)")
            return try statement.first { "\($0.text(at: 0) ?? "") \($0.int64(at: 1))" } ?? ""
        }
    }

    @Test func `text is compressed only when that saves`() throws {
        let long = String(repeating: "abc ", count: 1000)
        let compressed = try library.insert(
            "Photo", ["identifier": .string("1"), "notes": .string(long)])
        let short = try library.insert(
            "Photo", ["identifier": .string("2"), "notes": .string("short")])
        #expect(try value("notes", of: compressed) == .string(long))
        #expect(try stored("notes", of: compressed).hasPrefix("blob "))
        #expect(try value("notes", of: short) == .string("short"))
        #expect(try stored("notes", of: short) == "text 5")
    }

    @Test func `a large value is a file that goes with its row`() throws {
        let data = noise(150 * 1024)
        let id = try library.insert(
            "Photo", ["identifier": .string("1"), "pixels": .data(data)])
        #expect(files.count == 1)
        #expect(try stored("pixels", of: id) == "blob 29")
        #expect(try value("pixels", of: id) == .data(data))
        try library.save { $0.deleted = [ChangeSet.Deletion(id: id, version: 1)] }
        #expect(files.isEmpty)
    }

    @Test func `a replaced file is removed, a small value needs none`() throws {
        let id = try library.insert(
            "Photo", ["identifier": .string("1"), "pixels": .data(noise(150 * 1024))])
        let second = noise(150 * 1024)
        try library.save { $0.updated = [try library.update(id, ["pixels": .data(second)])] }
        #expect(files.count == 1)
        #expect(try value("pixels", of: id) == .data(second))
        try library.save {
            $0.updated = [try library.update(id, version: 2, ["pixels": .data(Data([1]))])]
        }
        #expect(files.isEmpty)
        #expect(try value("pixels", of: id) == .data(Data([1])))
        #expect(try stored("pixels", of: id) == "blob 2")
    }

    @Test func `a save that fails leaves no file and removes none`() throws {
        let data = noise(150 * 1024)
        let id = try library.insert(
            "Photo", ["identifier": .string("1"), "pixels": .data(data)])
        #expect(throws: StoreConflicts.self) {
            try library.save {
                $0.updated = [
                    try library.update(id, version: 9, ["pixels": .data(noise(150 * 1024))])
                ]
            }
        }
        #expect(files.count == 1)
        #expect(try value("pixels", of: id) == .data(data))
    }

    @Test func `a file that is gone or damaged gives no value`() throws {
        let id = try library.insert(
            "Photo", ["identifier": .string("1"), "pixels": .data(noise(150 * 1024))])
        let name = try #require(files.first)
        let url = directory.url.appendingPathComponent("store.blobs").appendingPathComponent(name)
        try Data([1, 2, 3]).write(to: url)
        #expect(try value("pixels", of: id) == .null)
        try FileManager.default.removeItem(at: url)
        #expect(try value("pixels", of: id) == .null)
    }

    @Test func `bytes that are no encoded value are not decoded`() {
        for bytes in [[], [9, 1], [1, 2, 3], [2, 0], Array(repeating: UInt8(2), count: 40)] {
            let encoded = bytes.withUnsafeBytes { EncodedValue($0) }
            #expect(encoded == nil, "\(bytes)")
        }
        #expect(Deflate.decompress(Data([1, 2, 3]), originalLength: .max) == nil)
        #expect(Deflate.decompress(Data([1, 2, 3]), originalLength: 10) == nil)
    }
}
