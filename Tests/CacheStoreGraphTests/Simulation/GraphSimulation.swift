// SPDX-License-Identifier: MIT

@testable import CacheStoreGraph
import CacheStoreModel
import CacheStoreTestKit
import Foundation

/// Random work on the library's objects in one or more contexts of one store, with everything that
/// must always hold checked on the way.
///
/// Objects are told apart by a label that never changes (see ``label(of:)``), so that two runs with
/// one seed, on two kinds of store, can be compared line by line.
final class GraphSimulation {
    /// What went wrong, with the last steps that led to it.
    struct Failure: Error, CustomStringConvertible {
        var message: String
        var seed: UInt64
        var log: [String]
        var description: String {
            "seed \(seed): \(message)\n" + log.suffix(60).joined(separator: "\n")
        }
    }

    /// An object that some context has inserted.
    private struct Known {
        var label: String
        var entityIndex: Int
        var id: ManagedObjectID
    }

    let seed: UInt64
    let fixture: GraphFixture
    var generator: SeededRandomNumberGenerator
    private var known: [Known] = []
    private var nextLabel = 0
    /// Whether relationships that are to-one at both ends are left alone.
    var isWithoutOneToOne = false
    private(set) var log: [String] = []
    /// What was visible after each save: the same for the same seed.
    var transcript: [String] = []

    init(seed: UInt64, kind: GraphFixture.Kind) throws {
        self.seed = seed
        fixture = try GraphFixture(kind)
        generator = SeededRandomNumberGenerator(seed: seed)
    }

    var model: ManagedObjectModel { fixture.coordinator.managedObjectModel }

    func note(_ step: String) { log.append(step) }

    func fail(_ message: String) -> Failure { Failure(message: message, seed: seed, log: log) }

    func random(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

    // MARK: - Objects

    private static let labelProperties = [
        "Photo": "identifier", "Tag": "name", "Comment": "text", "Album": "title",
        "Track": "name", "Person": "name", "Company": "name",
    ]

    func label(of object: ManagedObject) -> String {
        let name = Self.labelProperties[object.plan.entity.root.name] ?? ""
        guard case .string(let label) = object[name] else { return "unlabelled" }
        return label
    }

    func insert(_ entity: Entity, in context: ManagedObjectContext) throws -> ManagedObject {
        nextLabel += 1
        let label = "\(entity.name)\(nextLabel)"
        let object = try context.insert(entityNamed: entity.name)
        try object.setValue(
            .string(label), forKey: Self.labelProperties[entity.root.name] ?? "")
        known.append(Known(label: label, entityIndex: entity.index, id: object.objectID))
        return object
    }

    /// A random object of an entity or its subentities that the context sees; `nil` if a few tries
    /// find none.
    func pick(_ entity: Entity, in context: ManagedObjectContext) -> ManagedObject? {
        let candidates = known.indices.filter {
            entity.familyIndexes.contains(known[$0].entityIndex)
        }
        guard !candidates.isEmpty else { return nil }
        for _ in 0..<4 {
            let index = candidates[random(0..<candidates.count)]
            if let object = try? context.existingObject(with: known[index].id) { return object }
        }
        return nil
    }

    func pickSome(
        _ entity: Entity, atMost count: Int, in context: ManagedObjectContext
    ) -> [ManagedObject] {
        var picked: [ManagedObject] = []
        for _ in 0..<random(0..<count + 1) {
            if let object = pick(entity, in: context), !picked.contains(object) {
                picked.append(object)
            }
        }
        return picked
    }

    func pickAny(in context: ManagedObjectContext) -> ManagedObject? {
        pick(model.entities[random(0..<model.entities.count)], in: context)
    }
}
