// SPDX-License-Identifier: MIT

import CacheStore

/// A package that satisfies a condition.
final class Alternative: ManagedObject {
    /// What the list says beside the name: `:any (>= 1.2) [amd64]`, and `nil` where it says no more.
    @Attribute var restriction: String?
    @Relationship var group: DependencyGroup?
    @Relationship var target: Package?

    /// The alternative, as a list writes it.
    var text: String { (target?.name ?? "?") + (restriction ?? "") }
}
