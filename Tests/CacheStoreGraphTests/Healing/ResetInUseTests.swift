// SPDX-License-Identifier: MIT

import CacheStoreGraph
import CacheStoreHealing
import CacheStoreModel
import Foundation
import Synchronization
import Testing

/// A library whose file is damaged or removed while contexts work with it.
@Suite struct ResetInUseTests {
    private let library: DamageableLibrary

    init() throws { library = try DamageableLibrary() }

    private var coordinator: PersistentStoreCoordinator { library.coordinator }

    private func photo(_ number: Int, in context: ManagedObjectContext) throws -> Photo {
        let name = "photo \(number)"
        return try #require(
            try context.fetch(FetchRequest<Photo>(where: #Predicate { $0.title == name })).first)
    }

    private func titles(_ context: ManagedObjectContext) throws -> [String] {
        try context.fetch(FetchRequest<Photo>(sortBy: [SortDescriptor(\.title)])).map(\.title)
    }

    /// What a context of its own finds in the store.
    private func stored() throws -> [String] {
        try titles(ManagedObjectContext(coordinator: coordinator))
    }

    // MARK: Reading

    @Test func `a fetch that meets damage finds nothing, and what is then saved is found`() throws {
        let context = try ManagedObjectContext(coordinator: coordinator)
        try library.damage()
        #expect(try context.fetch(FetchRequest<Comment>()).isEmpty)
        #expect(coordinator.resetReport?.cause == .damaged)
        #expect(coordinator.resetReport?.outcome == .reset)
        context.insert(Photo.self).title = "new"
        try context.save()
        #expect(try stored() == ["new"])
    }

    @Test func `counting and asking for IDs meet damage in the same way`() throws {
        let context = try ManagedObjectContext(coordinator: coordinator)
        try library.damage()
        let long = FetchRequest<Comment>(where: #Predicate { $0.text == "x" })
        #expect(try context.count(for: long) == 0)
        #expect(try context.objectIDs(for: long).isEmpty)
        #expect(coordinator.resetReport != nil)
    }

    @Test func `an object that is lost is gone, keeps what it has loaded, and is found by no ID`()
        throws
    {
        let context = try ManagedObjectContext(coordinator: coordinator)
        let photo = try photo(3, in: context)
        let id = photo.objectID
        let uri = id.uriRepresentation
        try library.damage()
        _ = try context.fetch(FetchRequest<Comment>())
        #expect(photo.isDeleted)
        #expect(photo.title == "photo 3")
        #expect(photo.album == nil)
        #expect(photo.comments.isEmpty)
        photo.title = "changed"
        #expect(!context.hasChanges)
        #expect(context.object(with: id).isDeleted)
        #expect(context.registeredObject(for: id) == nil)
        #expect(coordinator.managedObjectID(forURIRepresentation: uri) == nil)
        #expect {
            try context.existingObject(with: id)
        } throws: {
            ($0 as? ContextError)?.code == .objectNotFound
        }
    }

    @Test func `a fault that meets damage is gone and reads as the default`() throws {
        let context = try ManagedObjectContext(coordinator: coordinator)
        let ids = try context.objectIDs(for: FetchRequest<Comment>())
        let errors = Mutex(0)
        coordinator.setErrorHandler { _, _ in errors.withLock { $0 += 1 } }
        try library.damage()
        let comment = try #require(context.object(with: ids[ids.count / 2]) as? Comment)
        #expect(comment.text == "")
        #expect(comment.isDeleted)
        #expect(errors.withLock { $0 } == 0)
    }

    @Test func `the same key in the new store is another object`() throws {
        let context = try ManagedObjectContext(coordinator: coordinator)
        let old = try (0..<5).map { try photo($0, in: context) }
        try library.damage()
        _ = try context.fetch(FetchRequest<Comment>())
        for number in 0..<5 { context.insert(Photo.self).title = "new \(number)" }
        try context.save()
        let found = try context.fetch(FetchRequest<Photo>())
        #expect(Set(found.map(\.objectID.key)) == Set(old.map(\.objectID.key)))
        #expect(Set(found).isDisjoint(with: old))
        #expect(old.allSatisfy { $0.isDeleted && $0.title.hasPrefix("photo") })
        for photo in old {
            #expect(context.object(with: photo.objectID).isDeleted)
        }
        // Another context knows old IDs only, and has never used the old store.
        let other = try ManagedObjectContext(coordinator: coordinator)
        #expect(other.object(with: old[0].objectID).isDeleted)
        #expect(try other.fetch(FetchRequest<Photo>()).count == 5)
    }

    // MARK: Unsaved changes

    @Test func `new objects and their relationships are saved into the new store`() throws {
        let context = try ManagedObjectContext(coordinator: coordinator)
        let lost = try photo(1, in: context)
        let photo = context.insert(Photo.self)
        photo.title = "new"
        photo.album = lost.album
        photo.isSelected = true
        let tag = context.insert(Tag.self)
        tag.name = "a tag"
        photo.tags = [tag]
        let comment = context.insert(Comment.self)
        comment.text = "a comment"
        comment.photo = photo
        let stray = context.insert(Comment.self)
        stray.text = "another"
        stray.photo = lost
        try library.damage()
        _ = try context.fetch(FetchRequest<Comment>())
        #expect(photo.isInserted && photo.isSelected)
        #expect(photo.album == nil)
        #expect(photo.tags == [tag])
        #expect(photo.comments == [comment])
        #expect(stray.photo == nil)
        try context.save()
        let reader = try ManagedObjectContext(coordinator: coordinator)
        let found = try #require(try reader.fetch(FetchRequest<Photo>()).first)
        #expect(found.tags.map(\.name) == ["a tag"])
        #expect(found.comments.map(\.text) == ["a comment"])
        #expect(try reader.count(for: FetchRequest<Comment>()) == 2)
        #expect(try reader.count(for: FetchRequest<Album>()) == 0)
    }

    @Test func `a changed object is inserted anew, with all it had`() throws {
        let context = try ManagedObjectContext(coordinator: coordinator)
        let photo = try photo(3, in: context)
        let old = photo.objectID
        photo.title = "changed"
        let tags = photo.tags
        #expect(tags.count == 2)
        tags[0].name = "kept"
        try library.damage()
        _ = try context.fetch(FetchRequest<Comment>())
        #expect(!photo.isDeleted && photo.isInserted)
        #expect(photo.notes == "notes 3")
        #expect(photo.album == nil)
        #expect(photo.tags == [tags[0]])
        #expect(tags[1].isDeleted)
        try context.save()
        #expect(!photo.hasChanges && !photo.objectID.isTemporaryID)
        #expect(photo.objectID != old)
        #expect(context.object(with: old) === photo)
        let reader = try ManagedObjectContext(coordinator: coordinator)
        #expect(reader.object(with: old).objectID == photo.objectID)
        let found = try #require(try reader.fetch(FetchRequest<Photo>()).first)
        #expect(found.title == "changed")
        #expect(found.notes == "notes 3")
        #expect(found.rating == 3)
        #expect(found.tags.map(\.name) == ["kept"])
        // And it goes on as any other.
        photo.title = "again"
        try context.save()
        #expect(try stored() == ["again"])
    }

    @Test func `an object that was new in this session and changed since is inserted anew`() throws
    {
        let context = try ManagedObjectContext(coordinator: coordinator)
        let photo = context.insert(Photo.self)
        photo.title = "new"
        photo.notes = "some"
        try context.save()
        photo.title = "changed"
        library.remove()
        try context.save()
        #expect(coordinator.resetReport?.cause == .removed)
        let found = try #require(
            try ManagedObjectContext(coordinator: coordinator).fetch(FetchRequest<Photo>()).first)
        #expect(found.title == "changed")
        #expect(found.notes == "some")
    }

    @Test func `deleting what is lost is no error`() throws {
        let context = try ManagedObjectContext(coordinator: coordinator)
        context.delete(try photo(1, in: context))
        context.insert(Photo.self).title = "new"
        library.remove()
        try context.save()
        #expect(!context.hasChanges)
        #expect(try stored() == ["new"])
    }

    @Test func `IDs that were obtained before are followed into the new store`() throws {
        let context = try ManagedObjectContext(coordinator: coordinator)
        let photo = context.insert(Photo.self)
        let temporary = photo.objectID
        try context.obtainPermanentIDs(for: [photo])
        let permanent = photo.objectID
        library.remove()
        try context.save()
        #expect(context.object(with: temporary) === photo)
        #expect(context.object(with: permanent) === photo)
        #expect(try stored().count == 1)
    }

    @Test func `a store that is lost twice loses nothing that is unsaved`() throws {
        let context = try ManagedObjectContext(coordinator: coordinator)
        let photo = try photo(4, in: context)
        let old = photo.objectID
        for round in 1...3 {
            photo.title = "round \(round)"
            library.remove()
            try context.save()
            #expect(try stored() == ["round \(round)"])
            #expect(context.object(with: old) === photo)
        }
    }

    // MARK: Families

    @Test func `what a saving context has collected is saved into the new store`() throws {
        let saving = SavingContext(coordinator: coordinator)
        let context = try ManagedObjectContext(savingContext: saving)
        let photo = try photo(5, in: context)
        photo.title = "collected"
        let fresh = context.insert(Photo.self)
        fresh.title = "fresh"
        try context.save()
        #expect(!context.hasChanges)
        library.remove()
        try saving.save()
        #expect(try titles(context) == ["collected", "fresh"])
        #expect(try Set(context.fetch(FetchRequest<Photo>())) == [photo, fresh])
        #expect(!photo.isDeleted && photo.notes == "notes 5")
        photo.title = "later"
        try context.saveToPersistentStore()
        #expect(try stored() == ["fresh", "later"])
    }

    @Test func `changes of a child come through though its parent went over before`() throws {
        let parent = try ManagedObjectContext(coordinator: coordinator)
        let child = ManagedObjectContext(parent: parent)
        let photo = try photo(6, in: child)
        photo.title = "from the child"
        child.insert(Photo.self).title = "new in the child"
        let changedAbove = try self.photo(7, in: parent)
        changedAbove.title = "from the parent"
        let seenBelow = try #require(child.object(with: changedAbove.objectID) as? Photo)
        #expect(seenBelow.title == "from the parent")
        try library.damage()
        _ = try parent.fetch(FetchRequest<Comment>())
        #expect(
            try titles(child).sorted() == [
                "from the child", "from the parent", "new in the child",
            ])
        #expect(!seenBelow.isDeleted)
        try child.saveToPersistentStore()
        #expect(
            try stored().sorted() == [
                "from the child", "from the parent", "new in the child",
            ])
        #expect(changedAbove.title == "from the parent" && !changedAbove.hasChanges)
    }

    @Test func `changes that wait in an inbox come through`() throws {
        let parent = try ManagedObjectContext(coordinator: coordinator)
        let handle = parent.shareWithOtherThreads()
        let child = try ManagedObjectContext(parent: handle)
        try photo(8, in: child).title = "from the child"
        try child.save()
        try library.damage()
        let other = try ManagedObjectContext(coordinator: coordinator)
        _ = try other.fetch(FetchRequest<Comment>())
        try parent.save()
        #expect(try stored() == ["from the child"])
    }

    // MARK: Several

    @Test func `threads that meet damage at once heal it once and lose no save`() throws {
        let resets = Mutex(0)
        let observation = coordinator.observeResets { _ in resets.withLock { $0 += 1 } }
        let acknowledged = Mutex<Set<String>>([])
        let failures = Mutex<[String]>([])
        try library.damage()
        DispatchQueue.concurrentPerform(iterations: 8) { [coordinator] thread in
            do {
                let context = try ManagedObjectContext(coordinator: coordinator)
                for round in 0..<20 {
                    _ = try context.fetch(FetchRequest<Comment>())
                    let title = "\(thread) \(round)"
                    context.insert(Photo.self).title = title
                    try context.save()
                    _ = acknowledged.withLock { $0.insert(title) }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(resets.withLock { $0 } == 1)
        let found = try stored().filter { !$0.hasPrefix("photo") }
        // A save before the damage was met is lost with the rest, and was acknowledged before.
        let missing = acknowledged.withLock { $0 }.subtracting(found)
        #expect(missing.count <= 8)
        #expect(Set(found).count == found.count)
        withExtendedLifetime(observation) {}
    }

    @Test func `a reset by another process is noticed before the next save is acknowledged`()
        async throws
    {
        let context = try ManagedObjectContext(coordinator: coordinator)
        let photo = try photo(1, in: context)
        photo.title = "changed here"
        #expect(coordinator.resetReport == nil)
        await #expect(processExitsWith: .success) { [path = library.path as String] in
            let store = PersistentStoreDescription(url: URL(filePath: path))
            let container = try PersistentContainer(model: libraryModel, store: store)
            let context = try container.makeContext()
            DamageableLibrary.damage(path)
            #expect(try context.fetch(FetchRequest<Comment>()).isEmpty)
            #expect(container.openReport.cause == .damaged)
            context.insert(Photo.self).title = "of the other process"
            try context.save()
            try container.close()
        }
        try context.save()
        #expect(coordinator.resetReport?.cause == .replaced)
        #expect(try stored() == ["changed here", "of the other process"])
        #expect(try context.fetch(FetchRequest<Comment>()).isEmpty)
    }

    @Test
    func `where there cannot be a store the error is thrown, and healed when there is some again`()
        throws
    {
        let context = try ManagedObjectContext(coordinator: coordinator)
        context.insert(Photo.self).title = "new"
        let place = URL(filePath: library.path)
        library.remove()
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        #expect(throws: PersistentStoreError.self) { try context.save() }
        #expect(throws: PersistentStoreError.self) { try context.fetch(FetchRequest<Tag>()) }
        #expect(context.hasChanges)
        try FileManager.default.removeItem(at: place)
        try context.save()
        #expect(try stored() == ["new"])
    }

    @Test func `a store that turns out to be whole goes on as it was`() throws {
        let context = try ManagedObjectContext(coordinator: coordinator)
        let photo = try photo(2, in: context)
        photo.title = "changed"
        try library.damageForOneRead()
        #expect(try context.fetch(FetchRequest<Comment>()).count == DamageableLibrary.comments)
        #expect(coordinator.resetReport == nil)
        #expect(photo.hasChanges && !photo.isInserted)
        try context.save()
        #expect(try stored().contains("changed"))
        #expect(try stored().count == 10)
    }
}
