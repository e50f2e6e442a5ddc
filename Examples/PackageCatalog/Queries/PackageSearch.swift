// SPDX-License-Identifier: MIT

import CacheStore
import Foundation

/// Finds packages by their name and by what is said about them.
struct PackageSearch {
    let context: ManagedObjectContext

    /// The package with a name.
    func package(named name: String) throws -> Package? {
        try context.fetch(FetchRequest<Package>(where: #Predicate { $0.name == name })).first
    }

    /// The packages with a version whose name or summary holds a text, by name; neither case nor
    /// diacritics matter.
    func find(_ text: String) throws -> [Package] {
        try context.fetch(
            FetchRequest<Package>(
                where: #Predicate { package in
                    package.versions.contains { $0.summary.localizedStandardContains(text) }
                        || (!package.versions.isEmpty
                            && package.name.localizedStandardContains(text))
                }, sortBy: [SortDescriptor(\.name, comparator: .lexical)]))
    }
}
