// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreSQLite

/// The numbers under which a store file knows the entities.
///
/// A model's indexes follow the alphabet, and so change when an entity is added; a number in a file
/// never does.
package struct EntityNumbers: Sendable {
    /// By the entity's index in the model.
    let numbers: [Int64]
    private let byName: [String: Int64]
    /// The entities' indexes by their number; -1 for numbers that the model does not explain.
    let indexesByNumber: [Int32]
    /// Numbers are given out one by one. Larger ones are not the work of a store.
    private static let largestNumber: Int64 = 1 << 16

    init(byName: [String: Int64], model: ManagedObjectModel) {
        self.byName = byName
        numbers = model.entities.map { byName[$0.name] ?? -1 }
        let known = numbers.filter { (0...Self.largestNumber).contains($0) }
        var indexes = [Int32](repeating: -1, count: Int(known.max() ?? -1) + 1)
        for (index, number) in numbers.enumerated() where known.contains(number) {
            indexes[Int(number)] = Int32(index)
        }
        indexesByNumber = indexes
    }

    /// The entity's index in the model; `nil` for a number that the model does not explain.
    func index(ofNumber number: Int64) -> Int? {
        guard number >= 0, number < Int64(indexesByNumber.count) else { return nil }
        let index = indexesByNumber[Int(number)]
        return index < 0 ? nil : Int(index)
    }

    func number(ofEntityNamed name: String) -> Int64? { byName[name] }

    /// Numbers as a list in SQL. They come from the store's own table, never from a program.
    static func list(_ numbers: [Int64]) -> String {
        numbers.sorted().map(String.init).joined(separator: ",")
    }

    /// The numbers of a family as a list in SQL.
    func list(family entity: Entity, includesSubentities: Bool) -> String {
        Self.list(
            (includesSubentities ? entity.familyIndexes : [entity.index]).map { numbers[$0] })
    }
}

extension EntityNumbers {
    static let createTable = """
        CREATE TABLE "cachestore_entities" ("number" INTEGER PRIMARY KEY, \
        "name" TEXT NOT NULL UNIQUE, "root" TEXT NOT NULL, "last_key" INTEGER NOT NULL DEFAULT 0)
        """

    /// Reads the numbers of a store.
    static func load(
        from connection: Connection, model: ManagedObjectModel
    ) throws -> EntityNumbers {
        var byName: [String: Int64] = [:]
        try connection.statement(sql: "SELECT \"name\", \"number\" FROM \"cachestore_entities\"")
            .rows {
                if let name = $0.text(at: 0) { byName[name] = $0.int64(at: 1) }
            }
        return EntityNumbers(byName: byName, model: model)
    }

    /// Gives numbers to the entities that have none yet, in the order of their names.
    static func assign(in connection: Connection, model: ManagedObjectModel) throws {
        for entity in model.entities {
            try connection.execute(
                """
                INSERT OR IGNORE INTO "cachestore_entities" ("name", "root")
                VALUES (\(entity.name), \(entity.root.name))
                """)
        }
    }
}
