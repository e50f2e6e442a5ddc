// SPDX-License-Identifier: MIT

import CacheStore

/// A name that packages go by: of a package with versions, or a virtual one that versions of others
/// provide, or one that is only named in somebody's dependencies.
final class Package: ManagedObject {
    @Attribute(.unique) var name: String
    @Relationship(deleteRule: .cascade, inverse: \Version.package) var versions: Set<Version>
    /// The places where a dependency names it.
    @Relationship(inverse: \Alternative.target) var mentions: Set<Alternative>
    /// The versions of other packages that stand in for it.
    @Relationship(inverse: \Version.provides) var providers: Set<Version>

    /// Whether no list has a version of it.
    var isVirtual: Bool { versions.isEmpty }

    /// Its versions, the newest first; those that differ by the architecture only, in its order.
    var versionsByAge: [Version] {
        versions.sorted { first, second in
            let (one, other) = (DebianVersion(first.number), DebianVersion(second.number))
            return one == other ? first.architecture < second.architecture : one > other
        }
    }
}
