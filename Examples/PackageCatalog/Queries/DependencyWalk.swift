// SPDX-License-Identifier: MIT

import CacheStore
import Foundation

/// Follows the dependencies of packages, level by level.
///
/// Only what a version cannot work without counts. A virtual package stands for the packages that
/// provide it. Each package is looked at once, so circles end, and what belongs to a level is loaded
/// for many packages at a time.
struct DependencyWalk {
    /// The way to go.
    enum Direction: Sendable {
        /// From a package to what it needs.
        case dependencies
        /// From a package to what needs it.
        case dependents
    }

    let context: ManagedObjectContext
    let direction: Direction

    /// The number of packages whose surroundings are loaded together.
    private static let batchSize = 400

    /// The names of the packages that a package needs, or that need it, sorted; `nil` if there is no
    /// such package.
    ///
    /// - Parameter recursive: whether to go on from those, until there are no new ones.
    func names(from name: String, recursive: Bool) throws -> [String]? {
        let request = FetchRequest<Package>(where: #Predicate { $0.name == name })
        guard let start = try context.fetch(request).first else { return nil }
        var seen: Set<ManagedObjectID> = [start.objectID]
        var frontier = [start.objectID]
        var names: Set<String> = []
        var isFirst = true
        while !frontier.isEmpty {
            var next: [ManagedObjectID] = []
            for begin in stride(from: 0, to: frontier.count, by: Self.batchSize) {
                let batch = frontier[begin..<min(begin + Self.batchSize, frontier.count)]
                let packages = try load(Package.self, Array(batch))
                names.formUnion(packages.lazy.filter { isListed($0) }.map(\.name))
                // The last level is loaded for its names only.
                guard recursive || isFirst else { continue }
                for id in try neighbours(of: packages) where seen.insert(id).inserted {
                    next.append(id)
                }
            }
            isFirst = false
            frontier = next
        }
        names.remove(name)
        return names.sorted()
    }

    /// Nothing that needs a package is a mere name.
    private func isListed(_ package: Package) -> Bool {
        direction == .dependencies || !package.isVirtual
    }

    private func neighbours(of packages: [Package]) throws -> [ManagedObjectID] {
        switch direction {
        case .dependencies: dependencies(of: packages)
        case .dependents: try dependents(of: packages)
        }
    }

    private func dependencies(of packages: [Package]) -> [ManagedObjectID] {
        var found: [ManagedObjectID] = []
        for package in packages {
            if package.isVirtual {
                found += package.providers.compactMap(\.package?.objectID)
            }
            for version in package.versions {
                for group in version.groups where group.kind.isStrong {
                    found += group.alternatives.compactMap(\.target?.objectID)
                }
            }
        }
        return found
    }

    private func dependents(of packages: [Package]) throws -> [ManagedObjectID] {
        var targets = Set(packages)
        for package in packages {
            for version in package.versions { targets.formUnion(version.provides) }
        }
        // References are faults, which have an ID; what they stand for is loaded all at once.
        var groups: Set<DependencyGroup> = []
        for target in targets { groups.formUnion(target.mentions.lazy.compactMap(\.group)) }
        var versions: Set<Version> = []
        for group in try load(DependencyGroup.self, groups.map(\.objectID))
        where group.kind.isStrong {
            if let version = group.version { versions.insert(version) }
        }
        return try load(Version.self, versions.map(\.objectID)).compactMap(\.package?.objectID)
    }

    /// Loads objects with as few queries as possible.
    private func load<Object: ManagedObject>(
        _ objectClass: Object.Type, _ ids: [ManagedObjectID]
    ) throws -> [Object] {
        var objects: [Object] = []
        for start in stride(from: 0, to: ids.count, by: Self.batchSize) {
            let part = Array(ids[start..<min(start + Self.batchSize, ids.count)])
            objects += try context.fetch(
                FetchRequest<Object>(where: #Predicate { part.contains($0.objectID) }))
        }
        return objects
    }
}
