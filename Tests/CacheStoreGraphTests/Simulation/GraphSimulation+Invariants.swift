// SPDX-License-Identifier: MIT

@testable import CacheStoreGraph
import CacheStoreModel
import Foundation

extension GraphSimulation {
    /// All objects that a context sees, each as a line of text, in the order of their labels.
    func picture(of context: ManagedObjectContext) throws -> [String] {
        var lines: [String] = []
        for object in try everything(in: context) { lines.append(line(of: object)) }
        return lines.sorted()
    }

    func everything(in context: ManagedObjectContext) throws -> [ManagedObject] {
        var objects: [ManagedObject] = []
        for entity in model.entities where entity.parentIndex == nil {
            objects += try context.fetch(FetchRequest<ManagedObject>(entityName: entity.name))
        }
        return objects
    }

    private func line(of object: ManagedObject) -> String {
        var parts: [String] = []
        for property in object.plan.entity.properties where !property.isTransient {
            guard let relationship = property.relationship else {
                parts.append("\(property.name)=\(text(of: object.value(of: property)))")
                continue
            }
            if property.isToMany {
                let members = object.toMany(property).map { label(of: $0) }
                let ordered = relationship.description.isOrdered ? members : members.sorted()
                parts.append("\(property.name)=\(ordered)")
            } else {
                parts.append(
                    "\(property.name)=\(object.toOne(property).map { label(of: $0) } ?? "-")")
            }
        }
        return "\(label(of: object)) (\(object.entityName)): " + parts.joined(separator: " ")
    }

    private func text(of value: PropertyValue) -> String {
        switch value {
        case .data(let data): "\(data.count) bytes, \(data.first ?? 0)…\(data.last ?? 0)"
        case .date(let date): "\(date.timeIntervalSince1970)"
        default: "\(value)"
        }
    }

    /// Everything that holds within one context at any time.
    func check(_ context: ManagedObjectContext) throws {
        let objects = try everything(in: context)
        guard Set(objects).count == objects.count else { throw fail("an object fetched twice") }
        for object in objects {
            guard !object.isDeleted else {
                throw fail("a fetch shows \(label(of: object)), deleted")
            }
            guard context.registeredObject(for: object.objectID) === object else {
                throw fail("another object has the ID of \(label(of: object))")
            }
            try checkEnds(of: object, seen: Set(objects))
        }
        let inserted = context.insertedObjects
        guard inserted.isSubset(of: Set(objects)) else { throw fail("a new object is not fetched") }
        let ids = context.registeredObjects.map(\.objectID)
        guard Set(ids).count == ids.count else { throw fail("two objects have one ID") }
    }

    private func checkEnds(of object: ManagedObject, seen: Set<ManagedObject>) throws {
        for property in object.plan.entity.properties {
            guard let relationship = property.relationship else { continue }
            let targets = object.targets(of: property)
            let place = "\(label(of: object)).\(property.name)"
            guard Set(targets).count == targets.count else { throw fail("\(place) has one twice") }
            for target in targets {
                target.loadIfNeeded()
                // What a deletion that will be denied would leave keeps its reference until then.
                if target.isDeleted, let index = relationship.inverseIndex,
                    target.plan.entity.properties[index].relationship?.description.deleteRule
                        == .deny
                {
                    continue
                }
                guard seen.contains(target) else {
                    throw fail("\(place) has \(label(of: target)), which is not fetched")
                }
                guard let inverseIndex = relationship.inverseIndex else { continue }
                let inverse = target.plan.entity.properties[inverseIndex]
                guard target.targets(of: inverse).contains(object) else {
                    throw fail(
                        "\(place) has \(label(of: target)), whose \(inverse.name) has not")
                }
            }
        }
    }

    /// Compares what a context shows with what a context sees that was made just now.
    func compareWithStore(_ context: ManagedObjectContext, after what: String) throws {
        let fresh = try fixture.makeContext()
        try check(fresh)
        let stored = try picture(of: fresh)
        try compare(stored, "stored", try picture(of: context), "shown", after: what)
        transcript.append(contentsOf: ["after \(what):"] + stored)
    }

    func compare(
        _ first: [String], _ firstName: String, _ second: [String], _ secondName: String,
        after what: String
    ) throws {
        guard first != second else { return }
        let missing = first.filter { !second.contains($0) }.prefix(4)
        let extra = second.filter { !first.contains($0) }.prefix(4)
        throw fail(
            "after \(what), only \(firstName):\n  " + missing.joined(separator: "\n  ")
                + "\nonly \(secondName):\n  " + extra.joined(separator: "\n  "))
    }
}
