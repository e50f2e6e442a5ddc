// SPDX-License-Identifier: MIT

import CacheStore
import Foundation
import Synchronization

/// A store with items that is open.
@MainActor
final class ItemStore {
    enum Version: Sendable {
        case first, later

        var model: ManagedObjectModel { self == .first ? Item.model : LaterItem.model }
    }

    let report: StoreOpenReport
    let coordinator: PersistentStoreCoordinator
    private let version: Version
    private let context: ManagedObjectContext
    /// What could not be thrown while properties were read.
    private let failure: SharedFailure

    private final class SharedFailure: Sendable {
        let first = Mutex<(any Error)?>(nil)
    }

    nonisolated static func file(in folder: URL) -> URL { folder.appending(path: "items.sqlite") }

    init(
        in folder: URL, _ version: Version = .first,
        _ damagePolicy: PersistentStoreDescription.DamagePolicy = .reset,
        verification: PersistentStoreDescription.Verification = .afterUncleanShutdown
    ) throws {
        self.version = version
        coordinator = PersistentStoreCoordinator(managedObjectModel: version.model)
        var description = PersistentStoreDescription(url: Self.file(in: folder))
        description.verification = verification
        description.verificationDeadline = .seconds(60)
        description.busyTimeout = .milliseconds(500)
        description.synchronous = .full
        description.damagePolicy = damagePolicy
        report = try coordinator.addPersistentStore(description)
        let failure = SharedFailure()
        self.failure = failure
        do {
            context = try ManagedObjectContext(coordinator: coordinator)
        } catch {
            try? coordinator.removePersistentStore()
            throw error
        }
        coordinator.setErrorHandler { error, _ in
            failure.first.withLock { $0 = $0 ?? error }
        }
    }

    func close() throws { try coordinator.removePersistentStore() }

    // MARK: Content

    /// Every item, by its number.
    func content() throws -> [Int: String] {
        let content =
            version == .first ? try content(of: Item.self) : try content(of: LaterItem.self)
        if let error = failure.first.withLock({ $0 }) { throw error }
        return content
    }

    private func content<T: Numbered>(of type: T.Type) throws -> [Int: String] {
        var content: [Int: String] = [:]
        for item in try context.fetch(FetchRequest<T>()) {
            let picture = item.picture.map { "\($0.count) \($0.digest)" } ?? ""
            // Twice the same number must not look like once.
            content[item.number] = (content[item.number] ?? "") + item.text + picture
        }
        return content
    }

    /// Makes the content another one, in one save.
    func save(_ change: ItemChange) throws {
        if version == .first {
            try save(change, of: Item.self)
        } else {
            try save(change, of: LaterItem.self)
        }
    }

    private func save<T: Numbered>(_ change: ItemChange, of type: T.Type) throws {
        let items = change.changesExisting ? try context.fetch(FetchRequest<T>()) : []
        for item in items {
            if change.deletes(item.number) {
                context.delete(item)
            } else if change.updates(item.number) {
                item.text = change.text(of: item.number)
            }
        }
        for number in change.inserts {
            let item = context.insert(T.self)
            item.number = number
            item.text = change.text(of: number)
            item.picture = change.picture(of: number)
        }
        if let error = failure.first.withLock({ $0 }) { throw error }
        try context.save()
    }
}

extension Data {
    /// A value that is the same in every process.
    var digest: UInt64 {
        reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
