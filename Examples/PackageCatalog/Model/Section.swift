// SPDX-License-Identifier: MIT

import CacheStore

/// A section of the archive, such as `editors`.
final class Section: ManagedObject {
    @Attribute(.unique) var name: String
    @Relationship var versions: Set<Version>
}
