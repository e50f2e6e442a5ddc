// SPDX-License-Identifier: MIT

import CacheStore
import Foundation

/// What is in the cache, in numbers.
struct CatalogStatistics {
    let context: ManagedObjectContext

    /// The numbers, by name, in the order to show them in.
    func counts() throws -> [(name: String, count: Int)] {
        [
            (
                "packages",
                try context.count(
                    for: FetchRequest<Package>(where: #Predicate { !$0.versions.isEmpty }))
            ),
            (
                "installed",
                try context.count(
                    for: FetchRequest<Version>(where: #Predicate { $0.isInstalled }))
            ),
            ("versions", try context.count(for: FetchRequest<Version>())),
            (
                "virtual packages",
                try context.count(
                    for: FetchRequest<Package>(
                        where: #Predicate { $0.versions.isEmpty && !$0.providers.isEmpty }))
            ),
            ("dependencies", try context.count(for: FetchRequest<DependencyGroup>())),
            ("alternatives", try context.count(for: FetchRequest<Alternative>())),
            ("sections", try context.count(for: FetchRequest<Section>())),
            ("maintainers", try context.count(for: FetchRequest<Maintainer>())),
        ]
    }

    /// Prints the numbers, and how the refreshes went.
    func print() throws {
        for (name, count) in try counts() { Swift.print("\(name)\t\(count)") }
        let refreshes = try context.fetch(
            FetchRequest<Refresh>(sortBy: [SortDescriptor(\.number)]))
        for refresh in refreshes { Swift.print("refresh \(refresh.number)\t\(state(of: refresh))") }
    }

    private func state(of refresh: Refresh) -> String {
        let end = refresh.finishedAt.map { "finished \($0.formatted(.iso8601))" }
        return "\(end ?? "not finished"), \(refresh.entryCount) entries"
    }
}
