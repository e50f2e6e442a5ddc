// SPDX-License-Identifier: MIT

import CacheStore
import Foundation

/// Drops what no list has any more.
///
/// That is known after a refresh that was finished: what it has not seen. A refresh that was
/// interrupted has no say, and what it has seen has a number that is higher than that of the last
/// finished one, so it stays.
struct CatalogSweep {
    let context: ManagedObjectContext

    /// The number of objects to delete in one save: a bound for the memory it takes.
    private static let batchSize = 500

    /// Drops versions that the last finished refresh has not seen, and packages, sections and
    /// maintainers that nothing refers to any more. Saves as it goes.
    ///
    /// Does it once for each finished refresh: one small query where there is nothing to do.
    /// - Returns: the number of versions dropped.
    @discardableResult
    func run() throws -> Int {
        let finished = try context.fetch(
            FetchRequest<Refresh>(
                where: #Predicate { $0.finishedAt != nil },
                sortBy: [SortDescriptor(\.number, order: .reverse)]))
        guard let last = finished.first, !last.isSwept else { return 0 }
        let number = last.number
        let count = try deleteAll(
            FetchRequest<Version>(where: #Predicate { $0.lastSeen < number }))
        _ = try deleteAll(
            FetchRequest<Package>(
                where: #Predicate {
                    $0.versions.isEmpty && $0.mentions.isEmpty && $0.providers.isEmpty
                }))
        _ = try deleteAll(FetchRequest<Section>(where: #Predicate { $0.versions.isEmpty }))
        _ = try deleteAll(FetchRequest<Maintainer>(where: #Predicate { $0.versions.isEmpty }))
        // Refreshes that were interrupted before this one have nothing to say any more.
        _ = try deleteAll(FetchRequest<Refresh>(where: #Predicate { $0.number < number }))
        last.isSwept = true
        try context.saveToPersistentStore()
        return count
    }

    private func deleteAll<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> Int {
        var request = request
        request.fetchLimit = Self.batchSize
        var count = 0
        while true {
            let objects = try context.fetch(request)
            guard !objects.isEmpty else { return count }
            objects.forEach(context.delete)
            try context.saveToPersistentStore()
            count += objects.count
        }
    }
}
