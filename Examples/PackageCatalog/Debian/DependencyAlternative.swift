// SPDX-License-Identifier: MIT

/// One package that satisfies a dependency: `name:qualifier (>= version) [arch] <profile>`.
struct DependencyAlternative: Sendable, Hashable {
    /// How a version must compare with the one that is named.
    enum Relation: String, Sendable, Hashable {
        case earlier = "<<"
        case earlierOrEqual = "<="
        case equal = "="
        case laterOrEqual = ">="
        case later = ">>"

        /// The relation with a sign; the old signs `<` and `>` mean "or equal", as dpkg has it.
        init?(sign: String) {
            switch sign {
            case "<": self = .earlierOrEqual
            case ">": self = .laterOrEqual
            default: self.init(rawValue: sign)
            }
        }
    }

    /// The name of the package, which may be a virtual one.
    var name: String
    /// What follows the colon of the name: `any`, `native` or an architecture.
    var qualifier: String?
    /// The relation to ``version``; both are there or neither.
    var relation: Relation?
    /// The version named.
    var version: String?
    /// The architectures that it holds for, each with `!` before it where it does not hold.
    var architectures: [String] = []
    /// The build profiles that it holds for: any of the lists, all the terms of that list.
    var profiles: [[String]] = []

    /// Whether a version of the package satisfies the alternative.
    func isSatisfied(by candidate: DebianVersion) -> Bool {
        guard let relation, let version else { return true }
        let wanted = DebianVersion(version)
        return switch relation {
        case .earlier: candidate < wanted
        case .earlierOrEqual: candidate <= wanted
        case .equal: candidate == wanted
        case .laterOrEqual: candidate >= wanted
        case .later: candidate > wanted
        }
    }
}

extension DependencyAlternative: CustomStringConvertible {
    /// The alternative, as a control file writes it.
    var description: String { name + (restriction ?? "") }

    /// What a control file writes after the name; `nil` where that is nothing.
    var restriction: String? {
        var text = ""
        if let qualifier { text += ":" + qualifier }
        if let relation, let version { text += " (\(relation.rawValue) \(version))" }
        if !architectures.isEmpty { text += " [" + architectures.joined(separator: " ") + "]" }
        for profile in profiles { text += " <" + profile.joined(separator: " ") + ">" }
        return text.isEmpty ? nil : text
    }
}
