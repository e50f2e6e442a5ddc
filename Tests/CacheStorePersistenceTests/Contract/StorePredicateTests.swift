// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import Foundation
import Testing

@testable import CacheStorePersistence

/// Every store answers predicates as the tree's description says.
@Suite struct StorePredicateTests {
    @Test(arguments: StoreKind.allCases)
    func `equality treats no value as a value`(_ kind: StoreKind) throws {
        let people = try People(kind)
        let age = try people.property("age")
        #expect(try people.names(.comparison(.equal, age, .integer(20))) == ["Éva"])
        #expect(
            try people.names(.comparison(.notEqual, age, .integer(20))) == ["Ada", "bob", "Zoë"])
        #expect(try people.names(.comparison(.equal, age, .null)) == ["bob"])
        #expect(
            try people.names(.comparison(.notEqual, .null, age)) == ["Ada", "Éva", "Zoë"])
        #expect(try people.names(.comparison(.equal, .null, .null)).count == 4)
        let team = try people.property("team")
        #expect(try people.names(.comparison(.equal, team, .null)) == ["Zoë"])
        // Two properties, with and without values: Ada's differ, nobody has neither.
        #expect(
            try people.names(.comparison(.notEqual, age, people.property("height"))).count == 4)
    }

    @Test(arguments: StoreKind.allCases)
    func `order comparisons with no value are false and their negations true`(
        _ kind: StoreKind
    ) throws {
        let people = try People(kind)
        let age = try people.property("age")
        #expect(try people.names(.comparison(.less, age, .integer(20))) == ["Zoë"])
        #expect(try people.names(.comparison(.lessOrEqual, age, .integer(20))) == ["Éva", "Zoë"])
        #expect(try people.names(.comparison(.greater, age, .integer(20))) == ["Ada"])
        #expect(
            try people.names(.comparison(.greaterOrEqual, age, .integer(20))) == ["Ada", "Éva"])
        #expect(
            try people.names(.not(.comparison(.less, age, .integer(20)))) == ["Ada", "bob", "Éva"])
        #expect(try people.names(.comparison(.less, age, .null)).isEmpty)
        #expect(try people.names(.comparison(.lessOrEqual, .null, .null)).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `numbers compare by value, whatever their type`(_ kind: StoreKind) throws {
        let people = try People(kind)
        let height = try people.property("height")
        let age = try people.property("age")
        let wealth = try people.property("wealth")
        #expect(try people.names(.comparison(.equal, height, .integer(2))) == ["Zoë"])
        #expect(
            try people.names(.comparison(.less, age, .constant(.double(20.5)))) == ["Éva", "Zoë"])
        // As text, "10" would come before "9".
        #expect(
            try people.names(.comparison(.greater, wealth, .constant(.decimal(9))))
                == ["Ada", "bob"])
        #expect(try people.names(.comparison(.equal, wealth, .integer(9))) == ["Zoë"])
        #expect(
            try people.names(.comparison(.equal, wealth, .constant(.double(9.5)))) == ["bob"])
        #expect(try people.names(.isIn(wealth, [.decimal(10), .integer(9)])) == ["Ada", "Zoë"])
    }

    @Test(arguments: StoreKind.allCases)
    func `dates, Booleans and text compare`(_ kind: StoreKind) throws {
        let people = try People(kind)
        let date = Date(timeIntervalSince1970: 50)
        #expect(
            try people.names(
                .comparison(.greaterOrEqual, people.property("born"), .constant(.date(date))))
                == ["bob", "Zoë"])
        #expect(try people.names(people.property("isActive")) == ["Ada", "Zoë"])
        #expect(try people.names(.not(people.property("isActive"))) == ["bob", "Éva"])
        #expect(
            try people.names(
                .comparison(.equal, people.property("isActive"), .constant(.boolean(false))))
                == ["bob"])
        #expect(
            try people.names(.comparison(.less, people.property("name"), .text("a")))
                == ["Ada", "Zoë"])
    }

    @Test(arguments: StoreKind.allCases)
    func `conditions are joined, none of them being true or false`(_ kind: StoreKind) throws {
        let people = try People(kind)
        let isAdult = QueryExpression.comparison(
            .greater, try people.property("age"), .integer(18))
        let isActive = try people.property("isActive")
        #expect(try people.names(.and([isAdult, isActive])) == ["Ada"])
        #expect(try people.names(.or([isAdult, isActive])) == ["Ada", "Éva", "Zoë"])
        #expect(try people.names(.not(.or([isAdult, isActive]))) == ["bob"])
        #expect(try people.names(.and([])).count == 4)
        #expect(try people.names(.or([])).isEmpty)
        #expect(try people.names(.true).count == 4)
        #expect(try people.names(.constant(.boolean(false))).isEmpty)
        #expect(try people.names(.null).isEmpty)
        let many = (0..<2000).map {
            QueryExpression.comparison(.equal, .integer(Int64($0)), .integer(-1))
        }
        #expect(try people.names(.or(many + [isAdult])) == ["Ada", "Éva"])
    }

    @Test(arguments: StoreKind.allCases)
    func `a condition can be used as a value`(_ kind: StoreKind) throws {
        let people = try People(kind)
        let isAdult = QueryExpression.comparison(
            .greater, try people.property("age"), .integer(18))
        #expect(
            try people.names(.comparison(.equal, isAdult, .constant(.boolean(false))))
                == ["bob", "Zoë"])
        #expect(
            try people.names(.comparison(.equal, isAdult, people.property("isActive")))
                == ["Ada", "bob"])
        // A text test of nothing has no value; its negation has one.
        let test = QueryExpression.text(.contains, .null, .text("a"), [])
        #expect(try people.names(.comparison(.equal, test, .null)).count == 4)
        #expect(
            try people.names(.comparison(.equal, .not(test), .constant(.boolean(true)))).count == 4)
    }

    @Test(arguments: StoreKind.allCases)
    func `a value is one of a list`(_ kind: StoreKind) throws {
        let people = try People(kind)
        let age = try people.property("age")
        #expect(try people.names(.isIn(age, [.integer(20), .integer(-7)])) == ["Éva", "Zoë"])
        #expect(try people.names(.isIn(age, [.integer(20), .null])) == ["bob", "Éva"])
        #expect(try people.names(.not(.isIn(age, [.integer(20)]))) == ["Ada", "bob", "Zoë"])
        #expect(try people.names(.isIn(age, [])).isEmpty)
        let many = (0..<5000).map { PropertyValue.integer(Int64($0)) }
        #expect(try people.names(.isIn(age, many)) == ["Ada", "Éva"])
        let names = (0..<5000).map { PropertyValue.string("\($0)\"\\\n\u{1F600}") }
        #expect(
            try people.names(.isIn(people.property("name"), names + [.string("bob")])) == ["bob"])
        #expect(
            try people.names(.isIn(people.property("team"), [.object(people.teams[1])]))
                == ["Éva"])
    }

    @Test(arguments: StoreKind.allCases)
    func `texts are tested by their bytes or folded`(_ kind: StoreKind) throws {
        let people = try People(kind)
        let name = try people.property("name")
        func names(
            _ test: TextOperator, _ text: String, _ options: TextOptions = []
        ) throws -> [String] { try people.names(.text(test, name, .text(text), options)) }
        let both: TextOptions = [.caseInsensitive, .diacriticInsensitive]
        #expect(try names(.contains, "o") == ["bob", "Zoë"])
        #expect(try names(.contains, "A", .caseInsensitive) == ["Ada", "Éva"])
        #expect(try names(.contains, "E", both) == ["Éva", "Zoë"])
        #expect(try names(.contains, "e", .diacriticInsensitive) == ["Zoë"])
        #expect(try names(.contains, "").count == 4)
        #expect(try names(.hasPrefix, "b") == ["bob"])
        #expect(try names(.hasPrefix, "B").isEmpty)
        #expect(try names(.hasPrefix, "É") == ["Éva"])
        #expect(try names(.hasPrefix, "e", both) == ["Éva"])
        #expect(try names(.hasPrefix, "").count == 4)
        #expect(try names(.hasSuffix, "a") == ["Ada", "Éva"])
        #expect(try names(.hasSuffix, "ZOE", both) == ["Zoë"])
        #expect(try names(.equal, "zoe", both) == ["Zoë"])
        #expect(try names(.equal, "zoe", .caseInsensitive).isEmpty)
        #expect(try names(.like, "?o?") == ["bob", "Zoë"])
        #expect(try names(.like, "*A*", .caseInsensitive) == ["Ada", "Éva"])
        #expect(try names(.like, "%o_").isEmpty)
        #expect(try names(.matches, "[A-Z].*a") == ["Ada"])
        #expect(try names(.matches, "Ad").isEmpty)
        #expect(try names(.matches, "zo.", .caseInsensitive) == ["Zoë"])
    }

    @Test(arguments: StoreKind.allCases)
    func `a malformed pattern is an error`(_ kind: StoreKind) throws {
        let people = try People(kind)
        #expect(throws: QueryError.self) {
            try people.names(.text(.matches, people.property("name"), .text("("), []))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `arithmetic gives no value where it has no result`(_ kind: StoreKind) throws {
        let people = try People(kind)
        let age = try people.property("age")
        let height = try people.property("height")
        func names(
            _ operation: ArithmeticOperator, _ first: QueryExpression, _ second: QueryExpression,
            _ result: PropertyValue
        ) throws -> [String] {
            try people.names(
                .comparison(.equal, .arithmetic(operation, first, second), .constant(result)))
        }
        #expect(try names(.add, age, .integer(1), .integer(37)) == ["Ada"])
        #expect(try names(.subtract, age, .integer(1), .integer(-8)) == ["Zoë"])
        #expect(try names(.multiply, age, .integer(2), .integer(40)) == ["Éva"])
        #expect(try names(.divide, age, .integer(2), .integer(-3)) == ["Zoë"])
        #expect(try names(.remainder, age, .integer(2), .integer(-1)) == ["Zoë"])
        #expect(try names(.divide, height, .integer(4), .double(0.5)) == ["Zoë"])
        #expect(try names(.add, age, height, .double(-5)) == ["Zoë"])
        #expect(try names(.divide, age, .integer(0), .null).count == 4)
        #expect(try names(.remainder, age, .integer(0), .null).count == 4)
        #expect(try names(.divide, height, .constant(.double(0)), .null).count == 4)
        #expect(try names(.multiply, age, .integer(.max), .null).count == 4)
        #expect(try names(.add, age, .integer(.max), .null) == ["Ada", "bob", "Éva"])
        #expect(try people.names(.comparison(.equal, .negative(age), .integer(7))) == ["Zoë"])
        #expect(
            try people.names(.comparison(.equal, .negative(.integer(.min)), .null)).count == 4)
        #expect(try names(.add, people.property("wealth"), .integer(1), .decimal(11)) == ["Ada"])
    }

    @Test(arguments: StoreKind.allCases)
    func `values have fallbacks and conditions`(_ kind: StoreKind) throws {
        let people = try People(kind)
        let age = try people.property("age")
        #expect(
            try people.names(.comparison(.greater, .coalesce(age, .integer(30)), .integer(25)))
                == ["Ada", "bob"])
        let choice = QueryExpression.conditional(
            try people.property("isActive"), then: age, otherwise: .integer(0))
        #expect(try people.names(.comparison(.equal, choice, .integer(0))) == ["bob", "Éva"])
        #expect(try people.names(.comparison(.less, choice, .integer(0))) == ["Zoë"])
    }

    @Test(arguments: StoreKind.allCases)
    func `length counts Unicode scalars`(_ kind: StoreKind) throws {
        let people = try People(kind)
        let name = try people.property("name")
        #expect(try people.names(.comparison(.equal, .length(name), .integer(3))).count == 4)
        #expect(
            try people.names(.comparison(.equal, .length(people.property("email")), .null)).count
                == 4)
        #expect(
            try people.names(.comparison(.equal, .length(.text("a\u{0}e\u{301}")), .integer(4)))
                .count == 4)
    }

    @Test(arguments: StoreKind.allCases)
    func `paths lead through to-one relationships`(_ kind: StoreKind) throws {
        let people = try People(kind)
        #expect(
            try people.names(
                .comparison(.equal, people.property("team.name"), .text("Red")))
                == ["Ada", "bob"])
        #expect(
            try people.names(.comparison(.equal, people.property("team.name"), .null)) == ["Zoë"])
        let boss = try people.fixture.property("boss.team.name", of: "Employee")
        #expect(
            try people.fixture.names("Employee", .comparison(.equal, boss, .text("Blue")))
                == ["Zoë"])
    }

    @Test(arguments: StoreKind.allCases)
    func `objects compare by identity`(_ kind: StoreKind) throws {
        let people = try People(kind)
        let itself = QueryExpression.object(scope: 0)
        #expect(
            try people.names(.comparison(.equal, itself, .constant(.object(people.ids[1]))))
                == ["bob"])
        #expect(
            try people.names(
                .comparison(.equal, people.property("team"), .constant(.object(people.teams[0]))))
                == ["Ada", "bob"])
        #expect(
            try people.names(.isIn(itself, [.object(people.ids[3]), .object(people.ids[0])]))
                == ["Ada", "Zoë"])
        let unsaved = try people.fixture.temporaryID("Team")
        #expect(
            try people.names(
                .comparison(.equal, people.property("team"), .constant(.object(unsaved)))
            ).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `members are counted`(_ kind: StoreKind) throws {
        let people = try People(kind)
        func names(_ path: String, _ count: Int64) throws -> [String] {
            try people.names(
                .comparison(.equal, .count(people.fixture.path(path)), .integer(count)))
        }
        #expect(try names("tags", 1) == ["bob", "Zoë"])
        #expect(try names("likes", 1) == ["bob"])
        #expect(try names("friends", 0) == ["Éva"])
        #expect(try names("team.members", 2) == ["Ada", "bob"])
        #expect(try names("team.members", 0) == ["Zoë"])
    }

    @Test(arguments: StoreKind.allCases)
    func `conditions hold for some or all members`(_ kind: StoreKind) throws {
        let people = try People(kind)
        let tags = try people.fixture.path("tags")
        let weight = try people.fixture.property("weight", of: "Tag", scope: 1)
        let isHeavy = QueryExpression.comparison(.greater, weight, .integer(2))
        #expect(try people.names(.exists(tags, scope: 1, isHeavy)) == ["Ada", "Zoë"])
        #expect(try people.names(.all(tags, scope: 1, isHeavy)) == ["Éva", "Zoë"])
        #expect(try people.names(.not(.exists(tags, scope: 1, isHeavy))) == ["bob", "Éva"])
        let isAda = QueryExpression.comparison(
            .equal, .object(scope: 2), .constant(.object(people.ids[0])))
        #expect(
            try people.names(.exists(people.fixture.path("friends"), scope: 2, isAda))
                == ["bob", "Zoë"])
        // A condition on an inner object that also names the outer one, and one more inside.
        let mates = try people.fixture.path("team.members")
        let isTaller = QueryExpression.comparison(
            .greater, try people.fixture.property("height", scope: 1),
            try people.property("height"))
        #expect(try people.names(.exists(mates, scope: 1, isTaller)) == ["bob"])
        let innerTags = try people.fixture.path("tags", scope: 1)
        let isOther = QueryExpression.comparison(.notEqual, .object(scope: 1), .object(scope: 0))
        let inner = QueryExpression.exists(
            innerTags, scope: 2,
            .comparison(
                .equal, try people.fixture.property("name", of: "Tag", scope: 2), .text("y")))
        #expect(
            try people.names(.exists(mates, scope: 1, .and([isOther, inner]))) == ["bob"])
    }

    @Test(arguments: StoreKind.allCases)
    func `opaque values can be compared with nil only`(_ kind: StoreKind) throws {
        let people = try People(kind)
        let note = try people.property("note")
        #expect(try people.names(.comparison(.notEqual, note, .null)) == ["Ada"])
        #expect(throws: QueryError.self) {
            try people.names(.comparison(.equal, note, .text("hidden")))
        }
        #expect(throws: QueryError.self) {
            try people.names(.text(.contains, note, .text("hidden"), []))
        }
        #expect(throws: QueryError.self) {
            try people.fixture.fetch(
                people.fixture.query(
                    "Person", sort: [SortKey(path: people.fixture.path("note"))]))
        }
        #expect(throws: QueryError.self) {
            try people.fixture.names(
                "Value",
                .comparison(.equal, people.fixture.property("passing", of: "Value"), .null))
        }
    }
}
