// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import Testing

@testable import CacheStorePersistence

/// How every store sorts, windows and selects by entity.
@Suite struct StoreOrderTests {
    private func names(_ people: People, by keys: SortKey...) throws -> [String] {
        try people.fixture.fetch(people.fixture.query("Person", sort: keys)).map(\.name)
    }

    @Test(arguments: StoreKind.allCases)
    func `no value sorts first, and last when descending`(_ kind: StoreKind) throws {
        let people = try People(kind)
        let age = try people.fixture.path("age")
        #expect(try names(people, by: SortKey(path: age)) == ["bob", "Zoë", "Éva", "Ada"])
        #expect(
            try names(people, by: SortKey(path: age, isAscending: false))
                == ["Ada", "Éva", "Zoë", "bob"])
    }

    @Test(arguments: StoreKind.allCases)
    func `ties are broken by key, ascending`(_ kind: StoreKind) throws {
        let people = try People(kind)
        let isActive = SortKey(path: try people.fixture.path("isActive"), isAscending: false)
        #expect(try names(people, by: isActive) == ["Ada", "Zoë", "bob", "Éva"])
        #expect(try names(people) == ["Ada", "bob", "Éva", "Zoë"])
        let name = SortKey(path: try people.fixture.path("name"), isAscending: false)
        #expect(try names(people, by: isActive, name) == ["Zoë", "Ada", "bob", "Éva"])
    }

    @Test(arguments: StoreKind.allCases)
    func `text sorts by its bytes or as a person expects`(_ kind: StoreKind) throws {
        let people = try People(kind)
        let name = try people.fixture.path("name")
        #expect(try names(people, by: SortKey(path: name)) == ["Ada", "Zoë", "bob", "Éva"])
        #expect(
            try names(people, by: SortKey(path: name, comparison: .localizedStandard))
                == ["Ada", "bob", "Éva", "Zoë"])
        #expect(
            try names(
                people, by: SortKey(path: name, isAscending: false, comparison: .localized))
                == ["Zoë", "Éva", "bob", "Ada"])
    }

    @Test(arguments: StoreKind.allCases)
    func `decimals and dates sort by value`(_ kind: StoreKind) throws {
        let people = try People(kind)
        #expect(
            try names(people, by: SortKey(path: people.fixture.path("wealth")))
                == ["Éva", "Zoë", "bob", "Ada"])
        #expect(
            try names(people, by: SortKey(path: people.fixture.path("born"), isAscending: false))
                == ["bob", "Zoë", "Ada", "Éva"])
    }

    @Test(arguments: StoreKind.allCases)
    func `a path sorts by another object's property`(_ kind: StoreKind) throws {
        let people = try People(kind)
        #expect(
            try names(people, by: SortKey(path: people.fixture.path("team.name")))
                == ["Zoë", "Éva", "Ada", "bob"])
    }

    @Test(arguments: StoreKind.allCases)
    func `limit and offset cut a window out of the order`(_ kind: StoreKind) throws {
        let people = try People(kind)
        let sort = [SortKey(path: try people.fixture.path("age"))]
        func window(_ limit: Int?, _ offset: Int) throws -> [String] {
            try people.fixture.fetch(
                people.fixture.query("Person", sort: sort, limit: limit, offset: offset)
            ).map(\.name)
        }
        #expect(try window(2, 0) == ["bob", "Zoë"])
        #expect(try window(2, 1) == ["Zoë", "Éva"])
        #expect(try window(nil, 3) == ["Ada"])
        #expect(try window(10, 3) == ["Ada"])
        #expect(try window(0, 0).isEmpty)
        #expect(try window(2, 9).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `a query is for an entity with or without its subentities`(_ kind: StoreKind) throws {
        let people = try People(kind)
        let fixture = people.fixture
        #expect(try fixture.fetch(fixture.query("Person")).map(\.entity).count == 4)
        #expect(
            try fixture.fetch(fixture.query("Person", includesSubentities: false)).map(\.name)
                == ["Ada", "bob"])
        #expect(try fixture.fetch(fixture.query("Employee")).map(\.name) == ["Éva", "Zoë"])
        #expect(
            try fixture.objects(fixture.query("Person")).map(\.entityName)
                == ["Person", "Person", "Employee", "Employee"])
        let salary = try fixture.property("salary", of: "Employee")
        #expect(
            try fixture.names("Employee", .comparison(.equal, salary, .null)) == ["Éva", "Zoë"])
    }
}

extension StoreFixture {
    fileprivate func objects(_ query: StoreQuery) throws -> [ManagedObjectID] {
        try store.objectIDs(matching: query)
    }
}
