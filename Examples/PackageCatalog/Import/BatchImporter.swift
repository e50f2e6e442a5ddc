// SPDX-License-Identifier: MIT

import CacheStore
import Foundation

/// Brings a batch of entries of a list into a context.
///
/// What the store has already is looked up for the whole batch at once, so the time depends on the
/// batch alone, and changed where it differs; what it has not is inserted. Nothing is deleted but
/// dependencies that a version has no more.
struct BatchImporter {
    private let context: ManagedObjectContext
    /// The number of the refresh.
    private let refreshNumber: Int64
    private var packages: [String: Package] = [:]
    private var sections: [String: Section] = [:]
    private var maintainers: [MaintainerName: Maintainer] = [:]

    /// The number of pieces of dependencies that made no sense.
    private(set) var malformedCount = 0

    init(into context: ManagedObjectContext, refreshNumber: Int64) {
        self.context = context
        self.refreshNumber = refreshNumber
    }

    /// Brings in entries.
    mutating func importEntries(_ entries: [CatalogEntry]) throws {
        try lookUp(entries)
        for entry in entries {
            malformedCount += entry.malformedCount
            importEntry(entry)
        }
    }

    // MARK: - Looking up

    private mutating func lookUp(_ entries: [CatalogEntry]) throws {
        var names: Set<String> = []
        var sectionNames: Set<String> = []
        var maintainerNames: Set<MaintainerName> = []
        for entry in entries {
            names.insert(entry.name)
            for name in entry.mentionedNames { names.insert(name) }
            if let section = entry.section { sectionNames.insert(section) }
            if let maintainer = entry.maintainer { maintainerNames.insert(maintainer) }
        }
        for chunk in names.subtracting(packages.keys).chunks(of: 500) {
            let request = FetchRequest<Package>(where: #Predicate { chunk.contains($0.name) })
            for package in try context.fetch(request) { packages[package.name] = package }
        }
        for chunk in sectionNames.subtracting(sections.keys).chunks(of: 500) {
            let request = FetchRequest<Section>(where: #Predicate { chunk.contains($0.name) })
            for section in try context.fetch(request) { sections[section.name] = section }
        }
        let mails = Set(maintainerNames.subtracting(maintainers.keys).map(\.mail))
        for chunk in mails.chunks(of: 500) {
            let request = FetchRequest<Maintainer>(where: #Predicate { chunk.contains($0.mail) })
            for maintainer in try context.fetch(request) {
                maintainers[MaintainerName(name: maintainer.name, mail: maintainer.mail)] =
                    maintainer
            }
        }
    }

    private mutating func package(named name: String) -> Package {
        if let package = packages[name] { return package }
        let package = context.insert(Package.self)
        package.name = name
        packages[name] = package
        return package
    }

    private mutating func section(named name: String) -> Section {
        if let section = sections[name] { return section }
        let section = context.insert(Section.self)
        section.name = name
        sections[name] = section
        return section
    }

    private mutating func maintainer(named name: MaintainerName) -> Maintainer {
        if let maintainer = maintainers[name] { return maintainer }
        let maintainer = context.insert(Maintainer.self)
        maintainer.name = name.name
        maintainer.mail = name.mail
        maintainers[name] = maintainer
        return maintainer
    }

    // MARK: - One entry

    private mutating func importEntry(_ entry: CatalogEntry) {
        let package = package(named: entry.name)
        let known = package.versions.first {
            $0.number == entry.number && $0.architecture == entry.architecture
        }
        let version = known ?? context.insert(Version.self)
        let isFirstSight = version.lastSeen != refreshNumber
        if known == nil {
            version.number = entry.number
            version.architecture = entry.architecture
            version.package = package
        }
        version.lastSeen = refreshNumber
        // A version may be in several lists; only that of what is installed says so.
        version.isInstalled = entry.isInstalled || (version.isInstalled && !isFirstSight)
        version.summary = entry.summary
        // The list of what is installed may lack what the archive's has, and the other way round.
        version.details = entry.details ?? version.details
        version.homepage = entry.homepage ?? version.homepage
        version.priority = entry.priority ?? version.priority
        version.source = entry.source ?? version.source
        version.installedSize = entry.installedSize ?? version.installedSize
        version.downloadSize = entry.downloadSize ?? version.downloadSize
        version.isEssential = entry.isEssential
        if let name = entry.section { version.section = section(named: name) }
        if let name = entry.maintainer { version.maintainer = maintainer(named: name) }
        guard known == nil || version.dependencyDigest != entry.dependencyDigest else { return }
        version.dependencyDigest = entry.dependencyDigest
        if known != nil { version.groups.forEach(context.delete) }
        importDependencies(entry, of: version)
    }

    private mutating func importDependencies(_ entry: CatalogEntry, of version: Version) {
        for (kind, field) in entry.dependencies {
            for alternatives in field.groups {
                let group = context.insert(DependencyGroup.self)
                group.kind = kind
                // The ends with one object are set: the others append, which keeps the order.
                group.version = version
                for alternative in alternatives {
                    let object = context.insert(Alternative.self)
                    object.restriction = alternative.restriction
                    object.group = group
                    object.target = package(named: alternative.name)
                }
            }
        }
        let provided = Set(entry.provides.groups.joined().map { package(named: $0.name) })
        if version.provides != provided { version.provides = provided }
    }
}

extension Collection {
    /// The elements in arrays of at most so many.
    fileprivate func chunks(of size: Int) -> [[Element]] {
        let elements = Array(self)
        return stride(from: 0, to: elements.count, by: size).map {
            Array(elements[$0..<Swift.min($0 + size, elements.count)])
        }
    }
}
