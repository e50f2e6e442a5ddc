// SPDX-License-Identifier: MIT

import CacheStoreGraph
import CacheStoreModel
import CacheStoreQuery
import Foundation
import Testing

@Suite struct FetchingTests {
    /// Five photos "p0" to "p4", rated 0 to 4 but for the last, tagged by parity, two in an album.
    private func makeLibrary(
        _ kind: GraphFixture.Kind
    ) throws -> (fixture: GraphFixture, context: ManagedObjectContext) {
        let fixture = try GraphFixture(kind)
        let context = try fixture.makeContext()
        let album = context.insert(Album.self)
        album.title = "Ocean"
        let tags = ["even", "odd"].map { name in
            let tag = context.insert(Tag.self)
            tag.name = name
            return tag
        }
        for number in 0..<5 {
            let photo = context.insert(Photo.self)
            photo.identifier = "id \(number)"
            photo.title = "p\(number)"
            photo.rating = number < 4 ? number : nil
            photo.takenAt = Date(timeIntervalSince1970: Double(100 * (5 - number)))
            photo.tags = [tags[number % 2]]
            photo.mood = number == 2 ? .wild : .calm
            if number < 2 { photo.album = album }
        }
        try context.save()
        return (fixture, try fixture.makeContext())
    }

    private func byTitle(batchSize: Int) -> FetchRequest<Photo> {
        var request = FetchRequest<Photo>(sortBy: [SortDescriptor(\.title)])
        request.fetchBatchSize = batchSize
        return request
    }

    private func titles(
        _ predicate: Predicate<Photo>?, _ context: ManagedObjectContext
    ) throws -> [String] {
        try context.fetch(FetchRequest<Photo>(where: predicate, sortBy: [SortDescriptor(\.title)]))
            .map(\.title)
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `predicates over values find what they say`(kind: GraphFixture.Kind) throws {
        let (_, context) = try makeLibrary(kind)
        let wanted = "p3"
        let names = ["p1", "p4", "p9"]
        let date = Date(timeIntervalSince1970: 300)
        #expect(try titles(#Predicate { $0.title == wanted }, context) == ["p3"])
        #expect(try titles(#Predicate { $0.title != wanted }, context) == ["p0", "p1", "p2", "p4"])
        #expect(try titles(#Predicate { $0.takenAt > date }, context) == ["p0", "p1"])
        #expect(try titles(#Predicate { $0.rating == nil }, context) == ["p4"])
        #expect(try titles(#Predicate { ($0.rating ?? 9) >= 3 }, context) == ["p3", "p4"])
        #expect(try titles(#Predicate { names.contains($0.title) }, context) == ["p1", "p4"])
        #expect(
            try titles(#Predicate { $0.title.starts(with: "p") && !($0.title == wanted) }, context)
                == ["p0", "p1", "p2", "p4"])
        #expect(
            try titles(#Predicate { $0.title.contains("2") || $0.rating == 0 }, context) == [
                "p0", "p2",
            ])
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `predicates over relationships find what they say`(kind: GraphFixture.Kind) throws {
        let (_, context) = try makeLibrary(kind)
        #expect(try titles(#Predicate { $0.album?.title == "Ocean" }, context) == ["p0", "p1"])
        #expect(try titles(#Predicate { $0.album == nil }, context) == ["p2", "p3", "p4"])
        #expect(
            try titles(#Predicate { $0.tags.contains { $0.name == "odd" } }, context)
                == ["p1", "p3"])
        #expect(try titles(#Predicate { $0.comments.isEmpty }, context).count == 5)
        #expect(try titles(#Predicate { $0.tags.count == 1 }, context).count == 5)
        #expect(
            try titles(#Predicate { $0.tags.allSatisfy { $0.name == "even" } }, context)
                == ["p0", "p2", "p4"])
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `an object or enumeration that a predicate captures is compared`(
        kind: GraphFixture.Kind
    ) throws {
        let (_, context) = try makeLibrary(kind)
        let mood = Mood.wild
        #expect(try titles(#Predicate { $0.mood == mood }, context) == ["p2"])
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `orders, limits and offsets are those of the request`(kind: GraphFixture.Kind) throws {
        let (_, context) = try makeLibrary(kind)
        var request = FetchRequest<Photo>(
            sortBy: [SortDescriptor(\.rating, order: .reverse), SortDescriptor(\.title)])
        #expect(try context.fetch(request).map(\.title) == ["p3", "p2", "p1", "p0", "p4"])
        request.fetchLimit = 2
        request.fetchOffset = 1
        #expect(try context.fetch(request).map(\.title) == ["p2", "p1"])
        #expect(try context.objectIDs(for: request).count == 2)
        #expect(
            try context.count(for: FetchRequest<Photo>(where: #Predicate { $0.rating != nil })) == 4
        )
        let byAlbum = FetchRequest<Photo>(
            sortBy: [SortDescriptor(\.album?.title, order: .reverse), SortDescriptor(\.takenAt)])
        #expect(try context.fetch(byAlbum).map(\.title) == ["p1", "p0", "p4", "p3", "p2"])
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `unsaved changes count, and the window is cut after them`(kind: GraphFixture.Kind) throws {
        let (_, context) = try makeLibrary(kind)
        let all = try context.fetch(FetchRequest<Photo>(sortBy: [SortDescriptor(\.title)]))
        all[0].title = "p9"
        context.delete(all[1])
        let new = context.insert(Photo.self)
        new.title = "p2b"
        #expect(try titles(nil, context) == ["p2", "p2b", "p3", "p4", "p9"])
        let request = FetchRequest<Photo>(sortBy: [SortDescriptor(\.title)], limit: 2, offset: 1)
        #expect(try context.fetch(request).map(\.title) == ["p2b", "p3"])
        #expect(
            try context.count(for: FetchRequest<Photo>(where: #Predicate { $0.title == "p0" })) == 0
        )
        var stored = FetchRequest<Photo>()
        stored.includesPendingChanges = false
        #expect(try context.fetch(stored).count == 5)
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `objects of subentities come with their superentity, as their own class`(
        kind: GraphFixture.Kind
    ) throws {
        let fixture = try GraphFixture(kind)
        let context = try fixture.makeContext()
        let employee = context.insert(Employee.self)
        employee.name = "Ada"
        employee.salary = Decimal(string: "1234.56789") ?? 0
        let artist = context.insert(Artist.self)
        artist.name = "Bo"
        artist.style = "cubist"
        let person = context.insert(Person.self)
        person.name = "Cy"
        try context.save()
        let other = try fixture.makeContext()
        let found = try other.fetch(FetchRequest<Person>(sortBy: [SortDescriptor(\.name)]))
        #expect(found.map { String(describing: type(of: $0)) } == ["Employee", "Artist", "Person"])
        #expect((found.first as? Employee)?.salary == Decimal(string: "1234.56789"))
        var exact = FetchRequest<Person>()
        exact.includesSubentities = false
        #expect(try other.fetch(exact).map(\.name) == ["Cy"])
        #expect(try other.fetch(FetchRequest<Artist>()).map(\.style) == ["cubist"])
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `a fetched object that another has changed since follows the store`(
        kind: GraphFixture.Kind
    ) throws {
        let (fixture, context) = try makeLibrary(kind)
        let photo = try #require(
            try context.fetch(FetchRequest<Photo>(where: #Predicate { $0.title == "p0" })).first)
        let other = try fixture.makeContext()
        try other.existingObject(Photo.self, with: photo.objectID).title = "p0 changed"
        try other.save()
        #expect(photo.title == "p0")
        _ = try context.fetch(FetchRequest<Photo>())
        #expect(photo.title == "p0 changed")
    }

    @Test func `prefetched relationships are loaded with the objects`() throws {
        let (_, context) = try makeLibrary(.memory)
        var request = FetchRequest<Photo>()
        request.relationshipKeyPathsForPrefetching = [\.tags, \.album]
        let photos = try context.fetch(request)
        #expect(photos.count == 5)
        #expect(context.registeredObjects.contains { $0 is Tag })
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `with a batch size objects are faults that load a batch at a time`(
        kind: GraphFixture.Kind
    ) throws {
        let (_, context) = try makeLibrary(kind)
        let request = byTitle(batchSize: 2)
        let photos = try context.fetch(request)
        #expect(photos.allSatisfy { $0.isFault })
        #expect(photos[3].title == "p3")
        #expect(photos.map { $0.isFault } == [true, true, false, false, true])
        #expect(photos.map(\.title) == ["p0", "p1", "p2", "p3", "p4"])
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `faults of a batch that a child deletes are deleted`(kind: GraphFixture.Kind) throws {
        let (_, context) = try makeLibrary(kind)
        let request = byTitle(batchSize: 5)
        let photos = try context.fetch(request)
        let child = ManagedObjectContext(parent: context)
        context.mergePolicy = .error
        for place in [0, 3] { child.delete(child.object(with: photos[place].objectID)) }
        try child.save()
        try context.save()
        #expect(try context.fetch(request).map(\.title) == ["p1", "p2", "p4"])
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `an object that was refreshed with its changes keeps their version in a batch`(
        kind: GraphFixture.Kind
    ) throws {
        let (_, context) = try makeLibrary(kind)
        var request = byTitle(batchSize: 5)
        context.mergePolicy = .error
        let photo = try context.fetch(request)[3]
        photo.title = "new"
        context.refresh(photo, mergeChanges: true)
        request.includesPendingChanges = false
        #expect(try context.fetch(request)[3] === photo)
        try context.save()
        #expect(try context.fetch(request).map(\.title).contains("new"))
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `a predicate built anew in a loop is asked with its own values each time`(
        kind: GraphFixture.Kind
    ) throws {
        let (_, context) = try makeLibrary(kind)
        // Equal values first, which do not tell one from the other.
        for (first, second) in [("p1", "p1"), ("p1", "p3"), ("p3", "p1"), ("p0", "p9")] {
            let date = Date(timeIntervalSince1970: 450)
            let found = try titles(
                #Predicate { ($0.title == first || $0.title == second) && $0.takenAt < date },
                context)
            #expect(found == Set([first, second]).subtracting(["p0", "p9"]).sorted())
        }
        for limit in [1, 2] {
            for wanted in ["p2", "p4"] {
                let request = FetchRequest<Photo>(
                    where: #Predicate { $0.title >= wanted }, sortBy: [SortDescriptor(\.title)],
                    limit: limit)
                #expect(try context.fetch(request).first?.title == wanted)
                #expect(try context.fetch(request).count == (wanted == "p4" ? 1 : limit))
                let others = FetchRequest<Photo>(where: #Predicate { $0.identifier >= wanted })
                #expect(try context.count(for: others) == 0)
            }
        }
        // Unsaved changes are judged by the same values.
        context.insert(Photo.self).title = "p5"
        for wanted in ["p5", "p1"] {
            #expect(try titles(#Predicate { $0.title == wanted }, context) == [wanted])
        }
    }

    @Test func `an expression that no store can evaluate is an error that names it`() throws {
        let (_, context) = try makeLibrary(.memory)
        let error = try #require(throws: QueryError.self) {
            try context.fetch(
                FetchRequest<Photo>(where: #Predicate { $0.hookCalls.isEmpty }))
        }
        #expect(error.code == .unknownKeyPath)
    }

    @Test func `unknown entities, properties and negative limits are errors`() throws {
        let (_, context) = try makeLibrary(.memory)
        #expect(throws: ModelError.self) {
            try context.fetch(FetchRequest(entityName: "Nonsense"))
        }
        #expect(throws: ModelError.self) {
            try context.fetch(
                FetchRequest(entityName: "Photo", where: .compare("nonsense", .equal, .null)))
        }
        #expect(throws: ContextError.self) { try context.fetch(FetchRequest<Photo>(limit: -1)) }
    }
}
