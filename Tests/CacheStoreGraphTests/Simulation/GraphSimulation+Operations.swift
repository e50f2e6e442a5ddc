// SPDX-License-Identifier: MIT

@testable import CacheStoreGraph
import CacheStoreModel
import CacheStoreTestKit
import Foundation

extension GraphSimulation {
    /// One random change of a context's graph, or something else that must not change what is seen.
    func work(in context: ManagedObjectContext) throws {
        switch random(0..<100) {
        case 0..<14: try insertOne(in: context)
        case 14..<26: try setAttributes(in: context)
        case 26..<42: try setToOne(in: context)
        case 42..<76: try changeToMany(in: context)
        case 76..<83: deleteOne(in: context)
        case 83..<89: refreshOne(in: context)
        case 89..<90:
            note("\(context.name): refresh all")
            context.refreshAllObjects()
        case 90..<97: try fetchSome(in: context)
        default: try check(context)
        }
    }

    /// One random change, with nothing looked at that another context may have changed meanwhile.
    func change(_ context: ManagedObjectContext) throws {
        switch random(0..<80) {
        case 0..<20: try insertOne(in: context)
        case 20..<40: try setAttributes(in: context)
        case 40..<56: try setToOne(in: context)
        case 56..<76: try changeToMany(in: context)
        default: deleteOne(in: context)
        }
    }

    private func insertOne(in context: ManagedObjectContext) throws {
        let entity = model.entities[random(0..<model.entities.count)]
        let object = try insert(entity, in: context)
        note("\(context.name): insert \(label(of: object))")
        if generator.oneIn(2) { try setAttributes(of: object) }
    }

    private func setAttributes(in context: ManagedObjectContext) throws {
        guard let object = pickAny(in: context) else { return }
        note("\(context.name): attributes of \(label(of: object))")
        try setAttributes(of: object)
    }

    private func setAttributes(of object: ManagedObject) throws {
        switch object {
        case let photo as Photo:
            photo.title = ["Dunes", "Sea", "Mist", "Ärger"][random(0..<4)]
            photo.rating = generator.oneIn(3) ? nil : random(0..<6)
            photo.takenAt = Date(timeIntervalSince1970: Double(random(0..<1000)) / 8)
            photo.notes =
                generator.oneIn(3) ? nil : String(repeating: "note ", count: random(0..<80))
            photo.pixels = generator.oneIn(3) ? nil : Data(repeating: 7, count: random(0..<300))
            photo.mood = generator.oneIn(2) ? .calm : .wild
            photo.place = generator.oneIn(2) ? nil : Place(latitude: Double(random(0..<9)))
        case let employee as Employee: employee.salary = Decimal(random(0..<1000)) / 8
        case let artist as Artist:
            artist.style = generator.oneIn(2) ? nil : "style \(random(0..<4))"
        default: break
        }
    }

    // MARK: - Relationships

    private func relationship(
        ofManyObjects isToMany: Bool, in context: ManagedObjectContext
    ) -> (ManagedObject, Property, Entity)? {
        guard let object = pickAny(in: context) else { return nil }
        let properties = object.plan.entity.properties.filter {
            $0.relationship != nil && $0.isToMany == isToMany
                && !(isWithoutOneToOne && $0.name.hasPrefix("spouse"))
        }
        guard !properties.isEmpty else { return nil }
        let property = properties[random(0..<properties.count)]
        guard let destination = property.relationship?.destinationIndex else { return nil }
        return (object, property, model.entities[destination])
    }

    private func setToOne(in context: ManagedObjectContext) throws {
        guard let (object, property, entity) = relationship(ofManyObjects: false, in: context)
        else { return }
        let target = generator.oneIn(4) ? nil : pick(entity, in: context)
        note(
            "\(context.name): \(label(of: object)).\(property.name) = "
                + (target.map { label(of: $0) } ?? "-"))
        try object.setObject(target, property.name)
        guard try object.object(property.name) === target else {
            throw fail("the reference was not taken")
        }
    }

    private func changeToMany(in context: ManagedObjectContext) throws {
        guard let (object, property, entity) = relationship(ofManyObjects: true, in: context)
        else { return }
        let place = "\(context.name): \(label(of: object)).\(property.name)"
        switch random(0..<8) {
        case 0..<3:
            guard let member = pick(entity, in: context) else { return }
            note("\(place) insert \(label(of: member))")
            object.addMember(member, to: property)
            if generator.oneIn(2), !object.toMany(property).contains(member) {
                throw fail("the member was not taken")
            }
        case 3..<5:
            guard let member = pick(entity, in: context) else { return }
            note("\(place) remove \(label(of: member))")
            object.removeMember(member, from: property)
            if generator.oneIn(2), object.toMany(property).contains(member) {
                throw fail("the member was not removed")
            }
        case 5:
            var members = Array(object.toMany(property))
            members.sort { label(of: $0) < label(of: $1) }
            members.shuffle(using: &generator)
            try set(members, of: object, property, place)
        case 6:
            try set(
                pickSome(entity, atMost: 4, in: context), of: object, property, place)
        default:
            // A range is replaced, as with the array of an ordered relationship.
            var members = Array(object.toMany(property))
            if property.relationship?.description.isOrdered != true {
                members.sort { label(of: $0) < label(of: $1) }
            }
            let start = random(0..<members.count + 1)
            let end = random(start..<members.count + 1)
            let fresh = pickSome(entity, atMost: 3, in: context).filter { !members.contains($0) }
            members.replaceSubrange(start..<end, with: fresh)
            try set(members, of: object, property, place)
        }
    }

    private func set(
        _ members: [ManagedObject], of object: ManagedObject, _ property: Property, _ place: String
    ) throws {
        note("\(place) = \(members.map { label(of: $0) })")
        try object.setObjects(members, property.name)
        let now = try object.objects(property.name)
        let isOrdered = property.relationship?.description.isOrdered ?? false
        guard isOrdered ? now == members : Set(now) == Set(members) else {
            throw fail("the members are \(now.map { label(of: $0) })")
        }
    }

    // MARK: - The rest

    private func deleteOne(in context: ManagedObjectContext) {
        guard let object = pickAny(in: context) else { return }
        note("\(context.name): delete \(label(of: object))")
        context.delete(object)
    }

    private func refreshOne(in context: ManagedObjectContext) {
        guard let object = pickAny(in: context) else { return }
        let merges = generator.oneIn(2)
        note("\(context.name): refresh \(label(of: object)), merge \(merges)")
        context.refresh(object, mergeChanges: merges)
    }

    private func fetchSome(in context: ManagedObjectContext) throws {
        let rating = random(0..<6)
        let title = ["Dunes", "Sea", "Mist"][random(0..<3)]
        let name = "\(["Album", "Tag"][random(0..<2)])\(random(0..<40))"
        note("\(context.name): fetch, \(rating) \(title) \(name)")
        try compareFetch(
            #Predicate { ($0.rating ?? 0) >= rating && $0.title != title }, in: context
        ) { ($0.rating ?? 0) >= rating && $0.title != title }
        try compareFetch(#Predicate { $0.album != nil }, in: context) { $0.album != nil }
        try compareFetch(
            #Predicate { photo in photo.tags.contains { $0.name == name } }, in: context
        ) { photo in photo.tags.contains { $0.name == name } }
        try compareFetch(#Predicate { $0.comments.count > 1 || $0.tags.isEmpty }, in: context) {
            $0.comments.count > 1 || $0.tags.isEmpty
        }
    }

    /// Compares a fetch with the same condition in Swift over all objects.
    private func compareFetch(
        _ predicate: Predicate<Photo>, in context: ManagedObjectContext,
        _ isWanted: (Photo) -> Bool
    ) throws {
        let order = [SortDescriptor(\Photo.identifier)]
        let found = try context.fetch(FetchRequest(where: predicate, sortBy: order))
        let all = try context.fetch(FetchRequest<Photo>(sortBy: order))
        guard found == all.filter(isWanted) else {
            throw fail(
                "fetched \(found.map { label(of: $0) }), "
                    + "expected \(all.filter(isWanted).map { label(of: $0) })")
        }
        guard try context.count(for: FetchRequest(where: predicate)) == found.count else {
            throw fail("the count is wrong")
        }
        let window = try context.fetch(
            FetchRequest(where: predicate, sortBy: order, limit: 3, offset: 1))
        guard window == Array(found.dropFirst().prefix(3)) else {
            throw fail("the window is wrong: \(window.map { label(of: $0) })")
        }
    }

    /// Saves; objects that break a rule are given up, or everything is.
    func save(_ context: ManagedObjectContext) throws {
        note("\(context.name): save")
        do {
            try context.save()
        } catch let error as ValidationError {
            guard Set(error.failures.map(\.code)) == [.deletionDenied] else { throw error }
            if generator.oneIn(2) {
                note("\(context.name): refused, rollback")
                context.rollback()
            } else {
                note("\(context.name): refused, discard")
                context.discard(error.failures.map(\.objectID))
                try check(context)
                note("\(context.name): save again")
                try context.save()
            }
        }
        guard !context.hasChanges else { throw fail("changes after the save") }
    }
}
