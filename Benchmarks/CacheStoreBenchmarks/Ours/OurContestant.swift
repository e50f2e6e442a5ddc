// SPDX-License-Identifier: MIT

import CacheStore
import Foundation

/// This package: objects in a context over a coordinator, as a program has them that builds its
/// stack by hand.
@MainActor
final class OurContestant: Contestant {
    private struct Stack {
        let coordinator: PersistentStoreCoordinator
        let context: ManagedObjectContext
        let report: StoreOpenReport
    }

    private var stack: Stack?
    private var selection: [SamplePhoto] = []

    func open(in folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: SamplePhoto.model)
        let report = try coordinator.addPersistentStore(
            PersistentStoreDescription(url: folder.appendingPathComponent("ours.sqlite")))
        stack = Stack(
            coordinator: coordinator,
            context: try ManagedObjectContext(coordinator: coordinator), report: report)
    }

    func close() throws {
        selection = []
        let coordinator = try openStack().coordinator
        stack = nil
        try coordinator.removePersistentStore()
    }

    func readMetadata() throws -> UInt64 {
        // Opening has read it: the identity of the store is in the same row as its version.
        guard let identifier = try openStack().report.storeIdentifier else {
            throw BenchmarkError("the metadata is missing")
        }
        return UInt64(identifier.uuid.0)
    }

    func insert(_ rows: [SampleRow]) throws {
        let context = try openStack().context
        for row in rows { context.insert(SamplePhoto.self).take(row) }
        try context.save()
    }

    func fetchAndReadAll() throws -> UInt64 {
        let photos = try openStack().context.fetch(FetchRequest<SamplePhoto>())
        return photos.reduce(0) { $0 &+ $1.checksum }
    }

    func lookUp(_ names: [String]) throws -> UInt64 {
        let context = try openStack().context
        var sum: UInt64 = 0
        for name in names {
            let request = FetchRequest<SamplePhoto>(where: #Predicate { $0.name == name })
            guard let photo = try context.fetch(request).first else {
                throw BenchmarkError("a row is missing")
            }
            sum &+= photo.checksum
        }
        return sum
    }

    func select(first count: Int) throws {
        selection = try openStack().context.fetch(
            FetchRequest<SamplePhoto>(sortBy: [SortDescriptor(\.serial)], limit: count))
    }

    func updateSelection() throws {
        for photo in selection { photo.rating += 1 }
        try openStack().context.save()
    }

    func deleteSelection() throws {
        let context = try openStack().context
        for photo in selection { context.delete(photo) }
        selection = []
        try context.save()
    }

    private func openStack() throws -> Stack {
        guard let stack else { throw BenchmarkError("the store is not open") }
        return stack
    }
}
