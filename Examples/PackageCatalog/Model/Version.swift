// SPDX-License-Identifier: MIT

import CacheStore

/// One version of a package for one architecture.
final class Version: ManagedObject {
    @Attribute var number: String
    @Attribute var architecture: String
    @Attribute var summary: String = ""
    @Attribute(.compressed) var details: String?
    @Attribute var homepage: String?
    @Attribute var priority: String?
    @Attribute var source: String?
    @Attribute var isEssential: Bool = false
    @Attribute var isInstalled: Bool = false
    /// In KiB.
    @Attribute var installedSize: Int64?
    /// In bytes.
    @Attribute var downloadSize: Int64?
    /// The number of the last refresh that has seen it in a list.
    @Attribute(.indexed) var lastSeen: Int64 = 0
    /// What the dependencies were made from; they need not be made again while it is the same.
    @Attribute var dependencyDigest: Int64 = 0

    @Relationship var package: Package?
    @Relationship(inverse: \Section.versions) var section: Section?
    @Relationship(inverse: \Maintainer.versions) var maintainer: Maintainer?
    /// What it needs and wants, in the order of its list.
    @Relationship(deleteRule: .cascade, inverse: \DependencyGroup.version)
    var groups: [DependencyGroup]
    @Relationship var provides: Set<Package>

    override class var uniquenessConstraints: [[AnyKeyPath]] {
        [[\Version.package, \Version.number, \Version.architecture]]
    }
}
