// SPDX-License-Identifier: MIT

import CacheStoreGraph
import CacheStoreModel
import Foundation
import Synchronization
import Testing

@Suite struct FamilyTests {
    @Test(arguments: GraphFixture.Kind.allCases)
    func `a child sees its parent's unsaved changes and saves into them`(
        kind: GraphFixture.Kind
    ) throws {
        let fixture = try GraphFixture(kind)
        let parent = try fixture.makeContext()
        let saved = parent.insert(Photo.self)
        saved.title = "saved"
        let doomed = parent.insert(Photo.self)
        try parent.save()
        saved.title = "changed"
        let unsaved = parent.insert(Photo.self)
        unsaved.title = "unsaved"
        unsaved.tags = [parent.insert(Tag.self)]
        unsaved.tags.first?.name = "sea"
        parent.delete(doomed)

        let child = ManagedObjectContext(parent: parent)
        let titles = try child.fetch(FetchRequest<Photo>()).map(\.title)
        #expect(Set(titles) == ["changed", "unsaved"])
        let twin = try child.existingObject(Photo.self, with: unsaved.objectID)
        #expect(twin !== unsaved)
        #expect(twin.tags.map(\.name) == ["sea"])
        twin.title = "by the child"
        let comment = child.insert(Comment.self)
        comment.text = "new"
        comment.photo = twin
        #expect(unsaved.title == "unsaved")
        try child.save()
        #expect(unsaved.title == "by the child")
        #expect(unsaved.comments.map(\.text) == ["new"])
        #expect(try fixture.makeContext().count(for: FetchRequest<Comment>()) == 0)
        try parent.save()
        let other = try fixture.makeContext()
        let found = try other.existingObject(Photo.self, with: unsaved.objectID)
        #expect(found.title == "by the child")
        #expect(found.comments.count == 1)
        #expect(found.tags.map(\.name) == ["sea"])
    }

    @Test func `a grandchild's changes reach the store when all are saved`() throws {
        let fixture = try GraphFixture()
        let top = try fixture.makeContext()
        let middle = ManagedObjectContext(parent: top)
        let bottom = ManagedObjectContext(parent: middle)
        let photo = bottom.insert(Photo.self)
        photo.title = "from below"
        try bottom.saveToPersistentStore()
        let other = try fixture.makeContext()
        #expect(try other.fetch(FetchRequest<Photo>()).map(\.title) == ["from below"])
    }

    @Test func `an object deleted in a child is deleted in the parent`() throws {
        let fixture = try GraphFixture()
        let parent = try fixture.makeContext()
        let photo = parent.insert(Photo.self)
        let comment = parent.insert(Comment.self)
        comment.text = "goes too"
        comment.photo = photo
        try parent.save()
        let child = ManagedObjectContext(parent: parent)
        child.delete(try child.existingObject(with: photo.objectID))
        try child.save()
        #expect(photo.isDeleted)
        #expect(comment.isDeleted)
        try parent.save()
        #expect(try fixture.makeContext().count(for: FetchRequest<Comment>()) == 0)
    }

    @Test(arguments: GraphFixture.Kind.allCases)
    func `a saving context shows what it has collected and writes it`(
        kind: GraphFixture.Kind
    ) throws {
        let fixture = try GraphFixture(kind)
        let root = SavingContext(coordinator: fixture.coordinator)
        let context = try ManagedObjectContext(savingContext: root)
        let photo = context.insert(Photo.self)
        photo.title = "first"
        try context.save()
        #expect(root.hasChanges)
        #expect(try fixture.makeContext().count(for: FetchRequest<Photo>()) == 0)
        #expect(try context.fetch(FetchRequest<Photo>()) == [photo])
        photo.title = "second"
        try context.save()
        try root.save()
        #expect(!root.hasChanges)
        // The context learns the permanent ID at its next use.
        #expect(try context.fetch(FetchRequest<Photo>()) == [photo])
        #expect(!photo.objectID.isTemporaryID)
        photo.title = "third"
        try context.saveToPersistentStore()
        let other = try fixture.makeContext()
        #expect(try other.fetch(FetchRequest<Photo>()).map(\.title) == ["third"])
    }

    @Test func `changes made while a saving context writes are based on what it wrote`() throws {
        let fixture = try GraphFixture()
        let root = SavingContext(coordinator: fixture.coordinator)
        root.mergePolicy = .error
        let context = try ManagedObjectContext(savingContext: root)
        let photo = context.insert(Photo.self)
        try context.save()
        for round in 0..<10 {
            photo.title = "round \(round)"
            try context.save()
            try root.save()
        }
        #expect(
            try fixture.makeContext().fetch(FetchRequest<Photo>()).map(\.title) == ["round 9"])
    }

    @Test func `siblings merge each other's saves when they want to, and local changes win`() throws
    {
        let fixture = try GraphFixture()
        let first = try fixture.makeContext()
        let second = try fixture.makeContext()
        second.automaticallyMergesChangesFromParent = true
        let photo = first.insert(Photo.self)
        photo.title = "old"
        let tag = first.insert(Tag.self)
        tag.name = "sea"
        try first.save()
        let twin = try second.existingObject(Photo.self, with: photo.objectID)
        #expect(twin.tags.isEmpty)
        #expect(twin.title == "old")
        twin.rating = 2
        photo.title = "new"
        photo.rating = 5
        photo.tags = [tag]
        let comment = first.insert(Comment.self)
        comment.text = "hello"
        comment.photo = photo
        try first.save()
        second.processPendingChanges()
        #expect(twin.title == "new")
        #expect(twin.rating == 2)
        #expect(twin.tags.map(\.name) == ["sea"])
        #expect(twin.comments.map(\.text) == ["hello"])
        first.delete(photo)
        try first.save()
        second.processPendingChanges()
        #expect(twin.isDeleted)
        #expect(try second.fetch(FetchRequest<Photo>()).isEmpty)
    }

    @Test func `a background context works away from the caller and returns values`() async throws {
        let fixture = try GraphFixture()
        let background = try BackgroundContext(coordinator: fixture.coordinator)
        let id = try await background.perform { context in
            let photo = context.insert(Photo.self)
            photo.title = "from the background"
            try context.save()
            return photo.objectID
        }
        let context = try fixture.makeContext()
        #expect(try context.existingObject(Photo.self, with: id).title == "from the background")
    }

    @Test func `many threads save children of one context while its owner works`() async throws {
        let fixture = try GraphFixture()
        let root = SavingContext(coordinator: fixture.coordinator)
        let owner = try ManagedObjectContext(savingContext: root)
        let kept = owner.insert(Photo.self)
        kept.title = "kept"
        let handle = owner.shareWithOtherThreads()
        let count = 8
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    do {
                        let child = try ManagedObjectContext(parent: handle)
                        // Reads the owner's unsaved changes from here.
                        _ = try child.fetch(FetchRequest<Photo>())
                        let photo = child.insert(Photo.self)
                        photo.title = "child \(number)"
                        try child.save()
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            for round in 0..<200 {
                kept.title = "kept \(round)"
                kept.rating = round % 5
            }
        }
        try owner.saveToPersistentStore()
        let titles = try fixture.makeContext().fetch(FetchRequest<Photo>()).map(\.title)
        #expect(
            Set(titles) == Set((0..<count).map { "child \($0)" } + ["kept 199"]))
    }
}
