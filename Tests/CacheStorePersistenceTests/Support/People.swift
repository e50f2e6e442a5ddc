// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import Foundation

@testable import CacheStorePersistence

/// A store with a few people in it, for the tests of queries.
///
/// | name | age | height | active | wealth | born | team | tags | boss |
/// |---|---|---|---|---|---|---|---|---|
/// | Ada | 36 | 1.7 | true | 10 | 0 | Red | x, y | |
/// | bob | | 1.5 | false | 9.5 | 100 | Red | x | |
/// | Éva (employee) | 20 | | | | | Blue | | |
/// | Zoë (employee) | -7 | 2 | true | 9 | 50 | | y | Éva |
struct People {
    let fixture: StoreFixture
    let ids: [ManagedObjectID]
    let teams: [ManagedObjectID]
    let tags: [ManagedObjectID]

    init(_ kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        teams = try fixture.save(
            inserted: ["Red", "Blue"].map {
                try fixture.insertion("Team", ["name": .string($0)])
            })
        tags = try fixture.save(
            inserted: [("x", 1), ("y", 5)].map {
                try fixture.insertion(
                    "Tag", ["name": .string($0), "weight": .integer($1)])
            })
        let (red, blue) = (teams[0], teams[1])
        let ada = try fixture.insertion(
            "Person",
            [
                "name": .string("Ada"), "age": .integer(36), "height": .double(1.7),
                "isActive": .boolean(true), "wealth": .decimal(10),
                "born": .date(Date(timeIntervalSince1970: 0)), "team": .object(red),
                "note": .string("hidden"),
            ])
        let bob = try fixture.insertion(
            "Person",
            [
                "name": .string("bob"), "height": .double(1.5), "isActive": .boolean(false),
                "wealth": .decimal(Decimal(95) / 10),
                "born": .date(Date(timeIntervalSince1970: 100)), "team": .object(red),
            ])
        let eva = try fixture.insertion(
            "Employee", ["name": .string("Éva"), "age": .integer(20), "team": .object(blue)])
        let zoe = try fixture.insertion(
            "Employee",
            [
                "name": .string("Zoë"), "age": .integer(-7), "height": .double(2),
                "isActive": .boolean(true), "wealth": .decimal(9),
                "born": .date(Date(timeIntervalSince1970: 50)), "boss": .object(eva.id),
            ])
        ids = try fixture.save(
            inserted: [ada, bob, eva, zoe],
            toMany: [
                fixture.toMany(ada.id, "tags", added: tags),
                fixture.toMany(bob.id, "tags", added: [tags[0]]),
                fixture.toMany(zoe.id, "tags", added: [tags[1]]),
                fixture.toMany(ada.id, "friends", added: [bob.id, zoe.id]),
                fixture.toMany(bob.id, "likes", added: [tags[1]]),
            ])
        self.fixture = fixture
    }

    func names(_ predicate: QueryExpression) throws -> [String] {
        try fixture.names("Person", predicate)
    }

    func property(_ names: String) throws -> QueryExpression { try fixture.property(names) }
}

extension QueryExpression {
    static func integer(_ value: Int64) -> QueryExpression { .constant(.integer(value)) }
    static func text(_ value: String) -> QueryExpression { .constant(.string(value)) }
    static let null = QueryExpression.constant(.null)
}
