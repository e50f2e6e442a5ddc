// SPDX-License-Identifier: MIT

import CacheStoreGraph
import CacheStoreModel
import Foundation
import Synchronization
import Testing

@Suite struct SavingTests {
    /// A saved photo in two contexts of one coordinator.
    private func makePair(
        _ kind: GraphFixture.Kind
    ) throws -> (fixture: GraphFixture, first: Photo, second: Photo) {
        let fixture = try GraphFixture(kind)
        let context = try fixture.makeContext()
        let photo = context.insert(Photo.self)
        photo.title = "old"
        photo.rating = 1
        try context.save()
        let other = try fixture.makeContext()
        let twin = try other.existingObject(Photo.self, with: photo.objectID)
        return (fixture, photo, twin)
    }

    private func stored(_ photo: Photo, in fixture: GraphFixture) throws -> Photo {
        try fixture.makeContext().existingObject(Photo.self, with: photo.objectID)
    }

    @Test func `saving without changes does nothing`() throws {
        let fixture = try GraphFixture()
        let saves = Mutex(0)
        let observation = fixture.coordinator.observeSaves { _ in saves.withLock { $0 += 1 } }
        let context = try fixture.makeContext()
        try context.save()
        _ = context.insert(Photo.self)
        try context.save()
        try context.save()
        #expect(saves.withLock { $0 } == 1)
        observation.cancel()
    }

    @Test func `all broken rules of all objects are in one error, and the context can be mended`()
        throws
    {
        let fixture = try GraphFixture()
        let context = try fixture.makeContext()
        let photo = context.insert(Photo.self)
        photo.rating = 9
        let tag = context.insert(Tag.self)
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.failures.count == 2)
        #expect(Set(error.failures.map(\.code)) == [.numberTooLarge, .missingValue])
        #expect(Set(error.failures.map(\.objectID)) == [photo.objectID, tag.objectID])
        photo.rating = 5
        tag.name = "sea"
        try context.save()
        #expect(try context.count(for: FetchRequest<Photo>()) == 1)
    }

    @Test func `objects that cannot be saved can be discarded, and the rest is saved`() throws {
        let fixture = try GraphFixture()
        let context = try fixture.makeContext()
        let good = context.insert(Photo.self)
        let bad = context.insert(Tag.self)
        good.tags = [bad]
        let error = try #require(throws: ValidationError.self) { try context.save() }
        context.discard(error.failures.map(\.objectID))
        #expect(good.tags.isEmpty)
        try context.save()
        #expect(try context.count(for: FetchRequest<Photo>()) == 1)
        #expect(try context.count(for: FetchRequest<Tag>()) == 0)
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `changes of different properties are merged by default`(kind: GraphFixture.Kind) throws {
        let (fixture, first, second) = try makePair(kind)
        first.title = "first"
        try first.managedObjectContext?.save()
        second.rating = 4
        try second.managedObjectContext?.save()
        #expect(second.title == "first")
        let found = try stored(first, in: fixture)
        #expect(found.title == "first")
        #expect(found.rating == 4)
    }

    @Test(
        arguments: GraphFixture.Kind.allCases,
        [
            (MergePolicy.mergeByPropertyObjectTrump, "second", 2),
            (.mergeByPropertyStoreTrump, "first", 2), (.overwrite, "second", 1),
            (.rollback, "first", 2),
        ] as [(MergePolicy, String, Int)])
    func `a conflict is resolved as the merge policy says`(
        kind: GraphFixture.Kind, expectation: (policy: MergePolicy, title: String, rating: Int)
    ) throws {
        let (fixture, first, second) = try makePair(kind)
        first.title = "first"
        first.rating = 2
        try first.managedObjectContext?.save()
        let context = try #require(second.managedObjectContext)
        context.mergePolicy = expectation.policy
        second.title = "second"
        try context.save()
        #expect(!context.hasChanges)
        #expect(second.title == expectation.title)
        #expect(second.rating == expectation.rating)
        let found = try stored(first, in: fixture)
        #expect(found.title == expectation.title)
        #expect(found.rating == expectation.rating)
        // Whatever the policy did, the next save has nothing to quarrel with.
        context.mergePolicy = .error
        second.title = "third"
        try context.save()
        #expect(try stored(first, in: fixture).title == "third")
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `the policy error fails, names the object, and leaves both sides as they were`(
        kind: GraphFixture.Kind
    ) throws {
        let (fixture, first, second) = try makePair(kind)
        first.title = "first"
        try first.managedObjectContext?.save()
        let context = try #require(second.managedObjectContext)
        context.mergePolicy = .error
        second.title = "second"
        let error = try #require(throws: ContextError.self) { try context.save() }
        #expect(error.code == .mergeConflict)
        #expect(error.objects == [second.objectID])
        #expect(second.title == "second")
        #expect(context.hasChanges)
        #expect(try stored(first, in: fixture).title == "first")
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `a change of an object that another deleted is dropped`(kind: GraphFixture.Kind) throws {
        let (fixture, first, second) = try makePair(kind)
        first.managedObjectContext?.delete(first)
        try first.managedObjectContext?.save()
        second.title = "second"
        try second.managedObjectContext?.save()
        #expect(second.isDeleted)
        #expect(try fixture.makeContext().count(for: FetchRequest<Photo>()) == 0)
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `a reference to an object that another deleted is taken out, and the rest is saved`(
        kind: GraphFixture.Kind
    ) throws {
        let (fixture, first, second) = try makePair(kind)
        let context = try #require(second.managedObjectContext)
        let new = context.insert(Comment.self)
        new.text = "new"
        let old = context.insert(Comment.self)
        old.text = "old"
        try context.save()
        first.managedObjectContext?.delete(first)
        try first.managedObjectContext?.save()
        new.photo = second
        old.text = "changed"
        old.photo = second
        let inserted = context.insert(Comment.self)
        inserted.text = "inserted"
        inserted.photo = second
        try context.save()
        #expect(!context.hasChanges)
        #expect(inserted.photo == nil && old.photo == nil)
        let other = try fixture.makeContext()
        let found = try other.fetch(FetchRequest<Comment>(sortBy: [SortDescriptor(\.text)]))
        #expect(found.map(\.text) == ["changed", "inserted", "new"])
        #expect(found.allSatisfy { $0["photo"] == .null })
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `with the policy error a reference to a deleted object fails the save`(
        kind: GraphFixture.Kind
    ) throws {
        let (fixture, first, second) = try makePair(kind)
        defer { withExtendedLifetime(fixture) {} }
        let context = try #require(second.managedObjectContext)
        context.mergePolicy = .error
        first.managedObjectContext?.delete(first)
        try first.managedObjectContext?.save()
        let comment = context.insert(Comment.self)
        comment.text = "left alone"
        comment.photo = second
        let error = try #require(throws: ContextError.self) { try context.save() }
        #expect(error.code == .mergeConflict)
        #expect(error.objects == [comment.objectID])
        comment.photo = nil
        try context.save()
    }

    // MARK: - Uniqueness

    @Test(arguments: GraphFixture.Kind.allCases)
    func `a new object with a taken unique value updates the one in the store`(
        kind: GraphFixture.Kind
    ) throws {
        let fixture = try GraphFixture(kind)
        let context = try fixture.makeContext()
        let old = context.insert(Photo.self)
        old.identifier = "a"
        old.title = "old"
        old.rating = 3
        try context.save()
        let other = try fixture.makeContext()
        let new = other.insert(Photo.self)
        new.identifier = "a"
        new.title = "new"
        let comment = other.insert(Comment.self)
        comment.text = "hello"
        comment.photo = new
        try other.save()
        #expect(new.objectID == old.objectID)
        let last = try fixture.makeContext()
        let found = try #require(try last.fetch(FetchRequest<Photo>()).first)
        #expect(try last.count(for: FetchRequest<Photo>()) == 1)
        #expect(found.title == "new")
        #expect(found.rating == 3)
        #expect(found.comments.map(\.text) == ["hello"])
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `with the policy error a taken unique value fails, and the context survives it`(
        kind: GraphFixture.Kind
    ) throws {
        let fixture = try GraphFixture(kind)
        let context = try fixture.makeContext()
        context.mergePolicy = .error
        let tags = (0..<2).map { _ in context.insert(Tag.self) }
        for tag in tags { tag.name = "sea" }
        let error = try #require(throws: ContextError.self) { try context.save() }
        #expect(error.code == .constraintConflict)
        #expect(error.properties == ["name"])
        context.discard([tags[1].objectID])
        try context.save()
        #expect(try context.count(for: FetchRequest<Tag>()) == 1)
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `two objects can swap their unique values in one save`(kind: GraphFixture.Kind) throws {
        let fixture = try GraphFixture(kind)
        let context = try fixture.makeContext()
        let tags = ["a", "b"].map { name in
            let tag = context.insert(Tag.self)
            tag.name = name
            return tag
        }
        try context.save()
        tags[0].name = "b"
        tags[1].name = "a"
        try context.save()
        let other = try fixture.makeContext()
        #expect(try other.existingObject(Tag.self, with: tags[0].objectID).name == "b")
    }

    // MARK: - Undoing

    @Test func `rollback undoes inserts, changes and deletions`() throws {
        let fixture = try GraphFixture()
        let context = try fixture.makeContext()
        let photo = context.insert(Photo.self)
        photo.title = "kept"
        let comment = context.insert(Comment.self)
        comment.text = "kept"
        comment.photo = photo
        try context.save()
        photo.title = "changed"
        comment.photo = nil
        context.delete(comment)
        let new = context.insert(Photo.self)
        context.rollback()
        #expect(!context.hasChanges)
        #expect(photo.title == "kept")
        #expect(!comment.isDeleted)
        #expect(comment.photo === photo)
        #expect(photo.comments == [comment])
        #expect(new.isDeleted)
        try context.save()
        #expect(try context.count(for: FetchRequest<Photo>()) == 1)
    }

    @Test func `refreshing drops changes or keeps them on top of the store's values`() throws {
        let (fixture, first, second) = try makePair(.memory)
        defer { withExtendedLifetime(fixture) {} }
        let context = try #require(second.managedObjectContext)
        first.title = "first"
        first.rating = 5
        try first.managedObjectContext?.save()
        second.title = "second"
        context.refresh(second, mergeChanges: true)
        #expect(second.title == "second")
        #expect(second.rating == 5)
        context.refresh(second, mergeChanges: false)
        #expect(second.title == "first")
        #expect(!context.hasChanges)
    }

    @Test func `a reset context forgets everything, and its objects are harmless`() throws {
        let fixture = try GraphFixture()
        let context = try fixture.makeContext()
        let photo = context.insert(Photo.self)
        context.reset()
        #expect(!context.hasChanges)
        #expect(photo.managedObjectContext == nil)
        photo.title = "no one listens"
        #expect(photo.comments.isEmpty)
        #expect(context.registeredObjects.isEmpty)
    }

    @Test func `a willSave that never comes to rest is an error`() throws {
        let model = ManagedObjectModel(Restless.self)
        let fixture = try GraphFixture(model: model)
        let context = try fixture.makeContext()
        _ = context.insert(Restless.self)
        let error = try #require(throws: ContextError.self) { try context.save() }
        #expect(error.code == .willSaveNeverEnds)
    }

    final class Restless: ManagedObject {
        @Attribute var count: Int
        override func willSave() { count += 1 }
    }
}
