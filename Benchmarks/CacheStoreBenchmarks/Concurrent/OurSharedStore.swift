// SPDX-License-Identifier: MIT

import CacheStore
import Foundation

/// One coordinator, and a context for each thread.
struct OurSharedStore: SharedContestant {
    private let coordinator: PersistentStoreCoordinator
    private let ids: [ManagedObjectID]

    init(opening folder: URL) throws {
        let stack = try OurStack(opening: folder, model: SamplePhoto.model)
        coordinator = stack.coordinator
        ids = try stack.context.objectIDs(
            for: FetchRequest<SamplePhoto>(sortBy: [SortDescriptor(\.serial)]))
    }

    func makeReader() throws -> any RowReader {
        Worker(context: try ManagedObjectContext(coordinator: coordinator), ids: ids)
    }

    func makeWriter() throws -> any RowWriter {
        Worker(context: try ManagedObjectContext(coordinator: coordinator), ids: ids)
    }

    func close() throws { try coordinator.removePersistentStore() }

    private final class Worker: RowReader, RowWriter {
        private let context: ManagedObjectContext
        private let ids: [ManagedObjectID]

        init(context: ManagedObjectContext, ids: [ManagedObjectID]) {
            self.context = context
            self.ids = ids
        }

        func read(at position: Int) throws -> UInt64 {
            try context.existingObject(SamplePhoto.self, with: ids[position]).checksum
        }

        func change(at positions: [Int]) throws {
            for position in positions {
                try context.existingObject(SamplePhoto.self, with: ids[position]).rating += 1
            }
            try context.save()
        }
    }
}
