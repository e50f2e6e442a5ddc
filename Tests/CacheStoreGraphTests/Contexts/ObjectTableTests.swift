// SPDX-License-Identifier: MIT

import CacheStoreModel
import Testing

@testable import CacheStoreGraph

@Suite struct ObjectTableTests {
    private func makeObject() throws -> ManagedObject {
        try GraphFixture().makeContext().insert(Tag.self)
    }

    @Test func `what was put in is found, until it is taken out`() throws {
        let object = try makeObject()
        var table = ObjectTable()
        for key in Int64(-500)...500 { table.insert(object, for: key * 3) }
        for key in Int64(-500)...500 where key % 2 == 0 { table.remove(object, key: key * 3) }
        for key in Int64(-1_500)...1_500 {
            #expect((table.object(for: key) != nil) == (key % 3 == 0 && key / 3 % 2 != 0))
        }
        #expect(table.count == 500)
    }

    // New objects have keys below zero, from wherever the process is; saved ones may come from two
    // ends of a large table.
    @Test(arguments: [-30_000, -100_000, -123_457, 1 << 16, 1 << 17, 1 << 18, 1 << 32, 300_007])
    func `two dense runs of keys stay out of each other's way`(start: Int64) throws {
        let object = try makeObject()
        var table = ObjectTable()
        for key in Int64(1)...30_000 { table.insert(object, for: key) }
        for key in start..<start + 30_000 { table.insert(object, for: key) }
        #expect(table.longestSearch < 50)
    }

    // Objects that come and go one by one, as in lookups of rows that nobody holds.
    @Test func `keys that are used once leave nothing behind`() throws {
        let object = try makeObject()
        var table = ObjectTable()
        for key in Int64(0)..<100_000 {
            table.insert(object, for: key * 1_000)
            table.remove(object, key: key * 1_000)
        }
        #expect(table.count == 0)
        #expect(table.capacity <= 64)
    }

    @Test func `reserving room for neighbours is the last growth`() throws {
        let object = try makeObject()
        var table = ObjectTable()
        table.insert(object, for: -1)
        table.reserve(10_000)
        let capacity = table.capacity
        for key in Int64(1)...10_000 { table.insert(object, for: key) }
        #expect(table.capacity == capacity)
        #expect(table.object(for: -1) === object)
    }
}
