// SPDX-License-Identifier: MIT

import CacheStore

/// A condition of a version: one of the alternatives must be (or, for conflicts, must not be) there.
final class DependencyGroup: ManagedObject {
    /// What the condition is about. The numbers are in the store: they stay as they are.
    enum Kind: Int64, CaseIterable, Sendable {
        case preDepends = 0
        case depends = 1
        case recommends = 2
        case suggests = 3
        case enhances = 4
        case conflicts = 5
        case breaks = 6
        case replaces = 7

        /// The field of a list that has these conditions.
        var field: ControlField {
            switch self {
            case .preDepends: .preDepends
            case .depends: .depends
            case .recommends: .recommends
            case .suggests: .suggests
            case .enhances: .enhances
            case .conflicts: .conflicts
            case .breaks: .breaks
            case .replaces: .replaces
            }
        }

        /// Whether a version cannot work without.
        var isStrong: Bool { self == .preDepends || self == .depends }
    }

    @Attribute var kind: Kind = .depends
    @Relationship var version: Version?
    /// The preferred one first.
    @Relationship(deleteRule: .cascade, inverse: \Alternative.group) var alternatives: [Alternative]
}
