// SPDX-License-Identifier: MIT

import CCacheStoreSQLite
import CacheStoreHealing
import CacheStoreModel
import CacheStoreSQLite
import Foundation

/// Binds values to the parameters of a write statement.
///
/// Text and bytes are copied into a buffer that lives as long as the save, and SQLite reads them
/// there: it would otherwise allocate and free a copy for each value.
final class ValueBinder {
    private static let capacity = 64 * 1024

    // Owned, freed in deinit.
    private let buffer = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    private var used = 0
    private let numbers: EntityNumbers
    var keys: TemporaryKeys

    init(numbers: EntityNumbers, keys: TemporaryKeys) {
        self.numbers = numbers
        self.keys = keys
    }

    deinit { buffer.deallocate() }

    /// Begins a new row: what was bound for the last one is no longer needed.
    func beginRow() { used = 0 }

    /// The key of a row, also for an object inserted by this save.
    func key(of id: ManagedObjectID) throws -> Int64 {
        if id.key >= 0 { return id.key }
        guard let key = keys.key(for: id.key) else {
            throw PersistentStoreError(
                .invalidConfiguration,
                "A saved object refers to an object of the entity \(id.entityName) that is "
                    + "neither saved nor part of the save.")
        }
        return key
    }

    func number(of id: ManagedObjectID) -> Int64 { numbers.numbers[Int(id.entityIndex)] }

    func bind(
        _ values: ContiguousArray<PropertyValue>, to plan: WritePlan, _ statement: Statement
    ) throws {
        for slot in plan.slots {
            try bind(
                values[slot.property], to: statement, at: slot.parameter,
                entityAt: slot.entityParameter)
        }
    }

    func bind(
        _ value: PropertyValue, to statement: Statement, at index: Int32, entityAt: Int32 = 0
    ) throws {
        switch value {
        case .null:
            try statement.bindNull(at: index)
            if entityAt != 0 { try statement.bindNull(at: entityAt) }
        case .integer(let integer): try statement.bind(integer, at: index)
        case .boolean(let boolean): try statement.bind(boolean ? 1 : 0 as Int64, at: index)
        case .double(let double): try statement.bind(double, at: index)
        case .date(let date): try statement.bind(date.timeIntervalSince1970, at: index)
        case .string(let string): try bind(string, to: statement, at: index)
        case .decimal(let decimal): try bind(decimal.description, to: statement, at: index)
        case .url(let url): try bind(url.absoluteString, to: statement, at: index)
        case .data(let data):
            try data.withUnsafeBytes { try bind(blob: $0, to: statement, at: index) }
        case .uuid(let uuid):
            try withUnsafeBytes(of: uuid.uuid) { try bind(blob: $0, to: statement, at: index) }
        case .object(let id):
            try statement.bind(try key(of: id), at: index)
            if entityAt != 0 { try statement.bind(number(of: id), at: entityAt) }
        }
    }

    private func bind(_ string: String, to statement: Statement, at index: Int32) throws {
        var string = string
        try string.withUTF8 { text in
            let bytes = UnsafeRawBufferPointer(text)
            if let copy = copy(bytes) {
                try statement.bindStatic(utf8: copy, at: index)
            } else {
                try statement.bindTransient(utf8: bytes, at: index)
            }
        }
    }

    private func bind(
        blob bytes: UnsafeRawBufferPointer, to statement: Statement, at index: Int32
    ) throws {
        if let copy = copy(bytes) {
            try statement.bindStatic(blob: copy, at: index)
        } else {
            try statement.bind(bytes, at: index)
        }
    }

    private func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard bytes.count <= Self.capacity - used else { return nil }
        let start = buffer + used
        if let source = bytes.baseAddress { start.copyMemory(from: source, byteCount: bytes.count) }
        used += bytes.count
        return UnsafeRawBufferPointer(start: start, count: bytes.count)
    }
}
