// SPDX-License-Identifier: MIT

import CacheStoreGraph
import CacheStoreModel
import Foundation
import Testing

@Suite struct ManagedObjectTests {
    @Test(arguments: GraphFixture.Kind.allCases)
    func `every kind of value comes back as it was saved`(kind: GraphFixture.Kind) throws {
        let fixture = try GraphFixture(kind)
        let context = try fixture.makeContext()
        let photo = context.insert(Photo.self)
        photo.title = "Dünen"
        photo.takenAt = Date(timeIntervalSince1970: 1234.5)
        photo.rating = 4
        photo.notes = String(repeating: "long ", count: 500)
        photo.pixels = Data(repeating: 7, count: 300_000)
        photo.mood = .wild
        photo.place = Place(latitude: 1.5, longitude: -2, labels: ["a": 1, "b": 2])
        try context.save()
        let id = photo.objectID

        let other = try fixture.makeContext()
        let found = try other.existingObject(Photo.self, with: id)
        #expect(found !== photo)
        #expect(found.title == "Dünen")
        #expect(found.takenAt == Date(timeIntervalSince1970: 1234.5))
        #expect(found.rating == 4)
        #expect(found.notes == photo.notes)
        #expect(found.pixels == photo.pixels)
        #expect(found.mood == .wild)
        #expect(found.place == photo.place)
    }

    @Test func `a new object has its default values, made anew for each`() throws {
        let fixture = try GraphFixture()
        let context = try fixture.makeContext()
        let first = context.insert(Photo.self)
        let second = context.insert(Photo.self)
        #expect(first.title == "Untitled")
        #expect(first.identifier != second.identifier)
        #expect(first.rating == nil)
    }

    @Test func `an attribute that was never set reads as the zero of its type`() throws {
        let fixture = try GraphFixture()
        let context = try fixture.makeContext()
        #expect(context.insert(Comment.self).text == "")
        #expect(context.insert(Employee.self).salary == 0)
    }

    @Test func `setting an equal value is no change`() throws {
        let fixture = try GraphFixture()
        let context = try fixture.makeContext()
        let photo = context.insert(Photo.self)
        photo.place = Place(labels: ["a": 1, "b": 2, "c": 3, "d": 4])
        try context.save()
        photo.title = "Untitled"
        photo.rating = nil
        photo.place = Place(labels: ["d": 4, "c": 3, "b": 2, "a": 1])
        #expect(!photo.hasChanges)
        #expect(!context.hasChanges)
    }

    @Test func `setting a value back to what was saved takes the change away`() throws {
        let fixture = try GraphFixture()
        let context = try fixture.makeContext()
        let photo = context.insert(Photo.self)
        try context.save()
        photo.title = "Other"
        #expect(photo.isUpdated)
        #expect(photo.changedValues() == ["title": .string("Other")])
        #expect(photo.committedValues(forKeys: ["title"]) == ["title": .string("Untitled")])
        photo.title = "Untitled"
        #expect(!photo.hasChanges)
        #expect(!context.hasChanges)
    }

    @Test func `hooks are called in the order of the object's life`() throws {
        let fixture = try GraphFixture()
        let context = try fixture.makeContext()
        let photo = context.insert(Photo.self)
        photo.title = "fill me in"
        try context.save()
        #expect(photo.title == "filled in")
        #expect(photo.hookCalls == ["awakeFromInsert", "willSave", "willSave", "didSave"])
        let other = try fixture.makeContext()
        let found = try #require(try other.fetch(FetchRequest<Photo>()).first)
        #expect(found.title == "filled in")
        other.delete(found)
        try other.save()
        #expect(found.hookCalls == ["awakeFromFetch", "prepareForDeletion", "willSave"])
    }

    @Test func `one context has one object for an ID`() throws {
        let fixture = try GraphFixture()
        let context = try fixture.makeContext()
        let photo = context.insert(Photo.self)
        try context.save()
        let fetched = try context.fetch(FetchRequest<Photo>())
        #expect(fetched.count == 1)
        #expect(fetched.first === photo)
        #expect(try context.existingObject(with: photo.objectID) === photo)
    }

    @Test func `an object nobody holds leaves the context`() throws {
        let fixture = try GraphFixture()
        let context = try fixture.makeContext()
        do {
            let photo = context.insert(Photo.self)
            try context.save()
            #expect(context.registeredObjects == [photo])
        }
        #expect(context.registeredObjects.isEmpty)
    }

    @Test func `an unsaved object is kept by its context`() throws {
        let fixture = try GraphFixture()
        let context = try fixture.makeContext()
        _ = context.insert(Photo.self)
        #expect(context.registeredObjects.count == 1)
        #expect(context.insertedObjects.count == 1)
    }

    @Test func `an ID becomes permanent with the save, and the temporary one still finds it`()
        throws
    {
        let fixture = try GraphFixture()
        let context = try fixture.makeContext()
        let photo = context.insert(Photo.self)
        let temporary = photo.objectID
        #expect(temporary.isTemporaryID)
        try context.save()
        #expect(!photo.objectID.isTemporaryID)
        #expect(try context.existingObject(with: temporary) === photo)
        let other = try fixture.makeContext()
        #expect(try other.existingObject(with: temporary).objectID == photo.objectID)
    }

    @Test func `an ID survives as a URI`() throws {
        let fixture = try GraphFixture()
        let context = try fixture.makeContext()
        let photo = context.insert(Photo.self)
        try context.save()
        let uri = photo.objectID.uriRepresentation
        #expect(fixture.coordinator.managedObjectID(forURIRepresentation: uri) == photo.objectID)
        let strange = try #require(URL(string: "x-cachestore://nowhere/Photo/p1"))
        #expect(fixture.coordinator.managedObjectID(forURIRepresentation: strange) == nil)
    }

    @Test func `permanent IDs can be had before the save`() throws {
        let fixture = try GraphFixture()
        let context = try fixture.makeContext()
        let photo = context.insert(Photo.self)
        let comment = context.insert(Comment.self)
        comment.text = "hello"
        comment.photo = photo
        try context.obtainPermanentIDs(for: [photo])
        let id = photo.objectID
        #expect(!id.isTemporaryID)
        try context.save()
        #expect(photo.objectID == id)
        let found = try fixture.makeContext().existingObject(Photo.self, with: id)
        #expect(found.comments.count == 1)
    }

    @Test func `a row that is gone reads as defaults and says that it is gone`() throws {
        let fixture = try GraphFixture()
        let context = try fixture.makeContext()
        let photo = context.insert(Photo.self)
        photo.title = "Soon gone"
        try context.save()
        let other = try fixture.makeContext()
        let fault = other.object(with: photo.objectID)
        context.delete(photo)
        try context.save()
        let typed = try #require(fault as? Photo)
        #expect(typed.title == "")
        #expect(typed.isDeleted)
        #expect(throws: ContextError.self) { try other.existingObject(with: fault.objectID) }
    }

    @Test func `objects of an entity without a class are used by name`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Note",
                attributes: [
                    AttributeDescription("text", .string),
                    AttributeDescription("stars", .integer16, default: .integer(3)),
                ],
                relationships: [RelationshipDescription("folder", toOne: "Folder")]),
            EntityDescription(
                "Folder", attributes: [AttributeDescription("name", .string)],
                relationships: [
                    RelationshipDescription("notes", toMany: "Note", inverse: "folder")
                ]),
        ])
        let fixture = try GraphFixture(model: model)
        let context = try fixture.makeContext()
        let folder = try context.insert(entityNamed: "Folder")
        folder["name"] = .string("Inbox")
        let note = try context.insert(entityNamed: "Note")
        note["text"] = .string("hello")
        try note.setObject(folder, "folder")
        #expect(note["stars"] == .integer(3))
        #expect(try folder.objects("notes") == [note])
        try context.save()
        let found = try context.fetch(
            FetchRequest(
                entityName: "Note", where: .compare("folder.name", .equal, .string("Inbox"))))
        #expect(found == [note])
        #expect(throws: ModelError.self) { try note.value(forKey: "nonsense") }
        #expect(throws: ModelError.self) { try note.setValue(.integer(1), forKey: "text") }
        #expect(throws: ModelError.self) { try context.insert(entityNamed: "Nonsense") }
    }
}
