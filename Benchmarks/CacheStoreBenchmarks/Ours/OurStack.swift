// SPDX-License-Identifier: MIT

import CacheStore
import Foundation

/// A store of ours that is open: a context over a coordinator, as a program has them that builds its
/// stack by hand.
struct OurStack {
    let coordinator: PersistentStoreCoordinator
    let context: ManagedObjectContext
    let report: StoreOpenReport

    static func url(in folder: URL) -> URL { folder.appendingPathComponent("ours.sqlite") }

    init(opening folder: URL, model: ManagedObjectModel) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        report = try coordinator.addPersistentStore(
            PersistentStoreDescription(url: Self.url(in: folder)))
        context = try ManagedObjectContext(coordinator: coordinator)
    }
}
