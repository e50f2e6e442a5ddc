// SPDX-License-Identifier: MIT

import CacheStoreGraph
import CacheStoreModel
import Foundation
import Testing

@Suite struct RelationshipTests {
    @Test func `setting a to-one adds to the to-many at once, and moves from the previous owner`()
        throws
    {
        let fixture = try GraphFixture()
        let context = try fixture.makeContext()
        let first = context.insert(Photo.self)
        let second = context.insert(Photo.self)
        let comment = context.insert(Comment.self)
        comment.photo = first
        #expect(first.comments == [comment])
        comment.photo = second
        #expect(first.comments.isEmpty)
        #expect(second.comments == [comment])
        comment.photo = nil
        #expect(second.comments.isEmpty)
    }

    @Test func `changing a to-many sets the to-one at once, and steals from another owner`() throws
    {
        let fixture = try GraphFixture()
        let context = try fixture.makeContext()
        let first = context.insert(Photo.self)
        let second = context.insert(Photo.self)
        let comments = (0..<3).map { _ in context.insert(Comment.self) }
        first.comments = Set(comments)
        #expect(comments.allSatisfy { $0.photo === first })
        second.comments = [comments[0]]
        #expect(comments[0].photo === second)
        #expect(first.comments == [comments[1], comments[2]])
        first.comments.remove(comments[1])
        #expect(comments[1].photo == nil)
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `an ordered relationship keeps the order through every mutation of its array`(
        kind: GraphFixture.Kind
    ) throws {
        let fixture = try GraphFixture(kind)
        let context = try fixture.makeContext()
        let photo = context.insert(Photo.self)
        let tags = (0..<6).map { index in
            let tag = context.insert(Tag.self)
            tag.name = "tag \(index)"
            return tag
        }
        photo.tags = [tags[0], tags[1], tags[2]]
        photo.tags.insert(tags[3], at: 0)
        photo.tags.append(tags[4])
        photo.tags.swapAt(0, 4)
        photo.tags.remove(at: 1)
        photo.tags.replaceSubrange(1..<2, with: [tags[5], tags[0]])
        let expected = [tags[4], tags[5], tags[0], tags[2], tags[3]]
        #expect(photo.tags == expected)
        #expect(expected.allSatisfy { $0.photos == [photo] })
        #expect(tags[1].photos.isEmpty)
        try context.save()
        let found = try fixture.makeContext().existingObject(Photo.self, with: photo.objectID)
        #expect(found.tags.map(\.name) == expected.map(\.name))
        photo.tags.reverse()
        try context.save()
        let again = try fixture.makeContext().existingObject(Photo.self, with: photo.objectID)
        #expect(again.tags.map(\.name) == expected.reversed().map(\.name))
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `an ordered one-to-many is saved with its order`(kind: GraphFixture.Kind) throws {
        let fixture = try GraphFixture(kind)
        let context = try fixture.makeContext()
        let company = context.insert(Company.self)
        company.name = "Works"
        let staff = ["Cleo", "Ada", "Bo"].map { name in
            let employee = context.insert(Employee.self)
            employee.name = name
            return employee
        }
        company.staff = staff
        #expect(staff.allSatisfy { $0.company === company })
        try context.save()
        let other = try fixture.makeContext()
        let found = try other.existingObject(Company.self, with: company.objectID)
        #expect(found.staff.map(\.name) == ["Cleo", "Ada", "Bo"])
        let late = other.insert(Employee.self)
        late.name = "Late"
        late.company = found
        found.staff.swapAt(0, 1)
        try other.save()
        let again = try fixture.makeContext().existingObject(Company.self, with: company.objectID)
        #expect(again.staff.map(\.name) == ["Ada", "Cleo", "Bo", "Late"])
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `both sides of an ordered many-to-many keep their own order`(
        kind: GraphFixture.Kind
    ) throws {
        let fixture = try GraphFixture(kind)
        let context = try fixture.makeContext()
        let albums = ["A", "B"].map { title in
            let album = context.insert(Album.self)
            album.title = title
            return album
        }
        let tracks = ["x", "y", "z"].map { name in
            let track = context.insert(Track.self)
            track.name = name
            return track
        }
        albums[0].tracks = [tracks[2], tracks[0], tracks[1]]
        albums[1].tracks = [tracks[0]]
        tracks[0].albums = [albums[1], albums[0]]
        try context.save()
        let other = try fixture.makeContext()
        let album = try other.existingObject(Album.self, with: albums[0].objectID)
        #expect(album.tracks.map(\.name) == ["z", "x", "y"])
        let track = try other.existingObject(Track.self, with: tracks[0].objectID)
        #expect(track.albums.map(\.title) == ["B", "A"])
    }

    @Test func `a one-to-one releases both previous partners`() throws {
        let fixture = try GraphFixture()
        let context = try fixture.makeContext()
        let people = (0..<4).map { _ in context.insert(Person.self) }
        people[0].spouse = people[1]
        people[2].spouse = people[3]
        #expect(people[1].spouseOf === people[0])
        people[0].spouse = people[3]
        #expect(people[3].spouseOf === people[0])
        #expect(people[2].spouse == nil)
        #expect(people[1].spouseOf == nil)
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `a symmetric relationship holds in both directions`(kind: GraphFixture.Kind) throws {
        let fixture = try GraphFixture(kind)
        let context = try fixture.makeContext()
        let artist = context.insert(Artist.self)
        artist.name = "Vera"
        let employee = context.insert(Employee.self)
        employee.name = "Max"
        artist.friends = [employee, artist]
        #expect(employee.friends == [artist])
        try context.save()
        let other = try fixture.makeContext()
        let found = try other.existingObject(Employee.self, with: employee.objectID)
        #expect(found.friends.map(\.name) == ["Vera"])
        let back = try other.existingObject(Artist.self, with: artist.objectID)
        #expect(Set(back.friends.map(\.name)) == ["Vera", "Max"])
        back.friends.remove(found)
        #expect(found.friends.isEmpty)
        try other.save()
        let again = try fixture.makeContext().existingObject(Artist.self, with: artist.objectID)
        #expect(again.friends.map(\.name) == ["Vera"])
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `a relationship without an inverse is one-sided and may share members`(
        kind: GraphFixture.Kind
    ) throws {
        let fixture = try GraphFixture(kind)
        let context = try fixture.makeContext()
        let people = ["A", "B", "C"].map { name in
            let person = context.insert(Person.self)
            person.name = name
            return person
        }
        people[0].heroes = [people[2]]
        people[1].heroes = [people[2]]
        try context.save()
        let other = try fixture.makeContext()
        for person in people.prefix(2) {
            let found = try other.existingObject(Person.self, with: person.objectID)
            #expect(found.heroes.map(\.name) == ["C"])
        }
    }

    @Test func `a member is added to an unloaded relationship without loading it`() throws {
        let fixture = try GraphFixture()
        let context = try fixture.makeContext()
        let photo = context.insert(Photo.self)
        let old = context.insert(Tag.self)
        old.name = "old"
        photo.tags = [old]
        try context.save()
        let other = try fixture.makeContext()
        let found = try other.existingObject(Photo.self, with: photo.objectID)
        let new = other.insert(Tag.self)
        new.name = "new"
        found.insert(new, into: \Photo.tags)
        #expect(new.photos == [found])
        #expect(found.tags.map(\.name) == ["old", "new"])
        try other.save()
        let again = try fixture.makeContext().existingObject(Photo.self, with: photo.objectID)
        #expect(again.tags.map(\.name) == ["old", "new"])
    }

    @Test func `objects of another context are not taken in`() throws {
        let fixture = try GraphFixture()
        let context = try fixture.makeContext()
        let stranger = try fixture.makeContext().insert(Photo.self)
        let comment = context.insert(Comment.self)
        comment.photo = stranger
        #expect(comment.photo == nil)
    }

    // MARK: - Deleting

    @Test(arguments: GraphFixture.Kind.allCases)
    func `cascade deletes along cycles and ends`(kind: GraphFixture.Kind) throws {
        let fixture = try GraphFixture(kind)
        let context = try fixture.makeContext()
        let company = context.insert(Company.self)
        company.name = "Works"
        for name in ["A", "B"] {
            let employee = context.insert(Employee.self)
            employee.name = name
            employee.company = company
        }
        try context.save()
        // Employee → company → all employees → company …
        let employee = try #require(company.staff.first)
        context.delete(employee)
        #expect(context.deletedObjects.count == 3)
        try context.save()
        #expect(try context.count(for: FetchRequest<Person>()) == 0)
        #expect(try context.count(for: FetchRequest<Company>()) == 0)
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `nullify takes the deleted object out of both kinds of relationship`(
        kind: GraphFixture.Kind
    ) throws {
        let fixture = try GraphFixture(kind)
        let context = try fixture.makeContext()
        let photo = context.insert(Photo.self)
        let tag = context.insert(Tag.self)
        tag.name = "sea"
        photo.tags = [tag]
        try context.save()
        context.delete(tag)
        #expect(photo.tags.isEmpty)
        try context.save()
        let found = try fixture.makeContext().existingObject(Photo.self, with: photo.objectID)
        #expect(found.tags.isEmpty)
    }

    @Test func `deny makes the save fail until the members are gone`() throws {
        let fixture = try GraphFixture()
        let context = try fixture.makeContext()
        let album = context.insert(Album.self)
        album.title = "Sea"
        let photo = context.insert(Photo.self)
        photo.album = album
        try context.save()
        context.delete(album)
        #expect(throws: ValidationError.self) { try context.save() }
        photo.album = nil
        try context.save()
        #expect(try context.count(for: FetchRequest<Album>()) == 0)
    }

    @Test func `an object inserted and deleted before a save never reaches the store`() throws {
        let fixture = try GraphFixture()
        let context = try fixture.makeContext()
        let photo = context.insert(Photo.self)
        let comment = context.insert(Comment.self)
        comment.text = "stays"
        comment.photo = photo
        context.delete(photo)
        #expect(comment.isDeleted)
        photo.title = "must not come back"
        #expect(!context.hasChanges)
        try context.save()
        #expect(try context.count(for: FetchRequest<Photo>()) == 0)
    }
}
