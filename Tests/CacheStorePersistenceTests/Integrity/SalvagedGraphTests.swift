// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStoreHealing
@testable import CacheStorePersistence

/// Objects and relationships of stores that were damaged and salvaged.
@Suite struct SalvagedGraphTests {
    private static func rows(_ count: Int) -> String {
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) "
    }

    private static func number(_ entity: String) -> String {
        "(SELECT number FROM cachestore_entities WHERE name = '\(entity)')"
    }

    /// 400 cages, 1,000 animals, 200 keepers, toys of the animals.
    private func fill(_ zoo: Zoo) throws {
        try zoo.damage(
            Self.rows(400) + "INSERT INTO Cage (_id, _version, name) "
                + "SELECT i, 1, 'cage number ' || i || hex(randomblob(30)) FROM n",
            Self.rows(1_000) + "INSERT INTO Animal (_id, _entity, _version, name, cage, "
                + "cage_position) SELECT i, CASE i % 3 WHEN 0 THEN \(Self.number("Bird")) "
                + "ELSE \(Self.number("Fish")) END, 1, 'animal number ' || i "
                + "|| hex(randomblob(30)), 1 + i % 400, i FROM n",
            Self.rows(200) + "INSERT INTO Keeper (_id, _version, name, house) "
                + "SELECT i, 1, 'keeper number ' || i, 2 * i FROM n",
            Self.rows(200) + "INSERT INTO Toy (_id, _version, name) "
                + "SELECT i, 1, 'toy number ' || i || hex(randomblob(40)) FROM n",
            "INSERT INTO Animal_toys SELECT i._id, 1 + i._id % 200, i._entity, 0, 0 "
                + "FROM Animal AS i",
            "UPDATE cachestore_entities SET last_key = 1500 WHERE name = 'Animal'",
            "UPDATE cachestore_entities SET last_key = 400 WHERE name = 'Cage'")
    }

    /// Overwrites the page that has a text.
    private func destroyPage(with text: String, of zoo: Zoo) throws {
        var data = try Data(contentsOf: zoo.url)
        let place = try #require(data.firstRange(of: Data(text.utf8)))
        let start = place.lowerBound / 4096 * 4096
        data.replaceSubrange(start..<start + 4096, with: Data(count: 4096))
        try data.write(to: zoo.url)
    }

    private func reopen(_ zoo: Zoo) throws -> (store: SQLiteStore, report: StoreOpenReport) {
        var options = StoreOptions()
        options.onDamage = .salvage
        options.verification = VerificationPolicy(.always, deadline: .seconds(60))
        return try SQLiteStore.open(at: zoo.url, model: Zoo.model(), options: options)
    }

    private func count(_ sql: String, in store: SQLiteStore) throws -> Int {
        let value = try store.read { try $0.prepare(sql: sql).first { $0.int64(at: 0) } }
        return Int(value ?? -1)
    }

    @Test func `references to lost rows are emptied, and rows that must have one go with it`()
        throws
    {
        let zoo = try Zoo()
        try fill(zoo)
        try zoo.store.close()
        try destroyPage(with: "cage number 200", of: zoo)
        let (store, report) = try reopen(zoo)
        #expect(report.outcome == .salvaged, "\(report)")
        let lost = 400 - (try count("SELECT count(*) FROM Cage", in: store))
        #expect(lost > 5 && lost < 60)
        #expect(abs((report.rowsLost?["Cage"] ?? 0) - lost) < 10)
        let emptied = try count("SELECT count(*) FROM Animal WHERE cage IS NULL", in: store)
        #expect(emptied >= lost)
        #expect(report.rowsDoubtful?["Animal"] == emptied)
        #expect(report.rowsKept?["Animal"] == 1_000 - emptied)
        let homeless = 200 - (try count("SELECT count(*) FROM Keeper", in: store))
        #expect(homeless > 0)
        #expect(report.rowsLost?["Keeper"] == homeless)
        #expect(try store.verifyGraph(repairing: false).report.isHealthy)
        try store.close()
    }

    @Test func `pairs of lost rows are removed`() throws {
        let zoo = try Zoo()
        try fill(zoo)
        try zoo.store.close()
        try destroyPage(with: "toy number 100", of: zoo)
        let (store, report) = try reopen(zoo)
        #expect(report.outcome == .salvaged, "\(report)")
        let pairs = try count("SELECT count(*) FROM Animal_toys", in: store)
        #expect(pairs < 1_000 && pairs > 700)
        #expect(report.rowsLost?["Animal_toys"] == 1_000 - pairs)
        #expect(try store.verifyGraph(repairing: false).report.isHealthy)
        try store.close()
    }

    @Test func `keys are not given out again`() throws {
        let zoo = try Zoo()
        try fill(zoo)
        try zoo.store.close()
        try destroyPage(with: "animal number 500", of: zoo)
        let (store, report) = try reopen(zoo)
        #expect(report.outcome == .salvaged, "\(report)")
        #expect(
            try count(
                "SELECT last_key FROM cachestore_entities WHERE name = 'Animal'", in: store)
                == 1_500)
        try store.close()
    }

    @Test func `which number stands for which entity is known from the index`() throws {
        let zoo = try Zoo()
        try fill(zoo)
        let sql =
            "SELECT group_concat(number || name || root) FROM "
            + "(SELECT * FROM cachestore_entities ORDER BY name)"
        let before = try zoo.scalar(sql)
        let root = try #require(
            try zoo.scalar("SELECT rootpage FROM sqlite_schema WHERE name = 'cachestore_entities'")?
                .integer)
        try zoo.store.close()
        var data = try Data(contentsOf: zoo.url)
        let start = (Int(root) - 1) * 4096
        data.replaceSubrange(start..<start + 4096, with: Data(count: 4096))
        try data.write(to: zoo.url)
        let (store, report) = try reopen(zoo)
        #expect(report.outcome == .salvaged, "\(report)")
        #expect(try store.read { try $0.prepare(sql: sql).first { $0.value(at: 0) } } == before)
        #expect(try count("SELECT count(*) FROM Animal", in: store) == 1_000)
        #expect(
            try count(
                "SELECT last_key FROM cachestore_entities WHERE name = 'Animal'", in: store)
                == 1_000)
        #expect(try store.verifyGraph(repairing: false).report.isHealthy)
        try store.close()
    }
}

extension Zoo {
    fileprivate var url: URL { fixture.directory.url.appendingPathComponent("store.sqlite") }
}
