// SPDX-License-Identifier: MIT

/// What a check of a store's objects and relationships found, and what was done about it.
///
/// It holds names of entities and properties and counts; no values and no IDs.
public struct GraphReport: Sendable, Hashable {
    /// One kind of fault in one entity or relationship.
    public struct Finding: Sendable, Hashable {
        /// What is wrong.
        public let kind: Kind
        /// The entity whose rows have it; `nil` for files that belong to none.
        public let entity: String?
        /// The relationship or attribute; `nil` where whole rows or files are meant.
        public let property: String?
        /// How often it was found.
        public let count: Int
        /// How many of them were repaired.
        public let repairedCount: Int
    }

    /// What was found, in the order of the check; nothing for a healthy store.
    public internal(set) var findings: [Finding] = []
    /// The rows of each entity, those with a fault included.
    public internal(set) var objectCounts: [String: Int] = [:]
    /// The files of large values that rows name.
    public internal(set) var externalFileCount = 0
    /// Whether files that no row names were looked for.
    ///
    /// They were not where a store has no files, was opened to be read, or where a save with large
    /// values was under way for longer than the busy timeout.
    public internal(set) var searchedForOrphanedFiles = false

    package init() {}

    /// Whether nothing was found.
    public var isHealthy: Bool { findings.isEmpty }

    /// What was found and not repaired: everything where only looking was asked for, and else what
    /// is missing from an object that must have it.
    public var unrepairedCount: Int { findings.reduce(0) { $0 + $1.count - $1.repairedCount } }
}

extension GraphReport: CustomStringConvertible {
    /// One line for each finding.
    public var description: String {
        if isHealthy { return "nothing found" }
        return findings.map(\.description).joined(separator: "\n")
    }
}

extension GraphReport.Finding: CustomStringConvertible {
    /// The place, what is wrong there, how often, and how many were repaired.
    public var description: String {
        let place = [entity, property].compactMap { $0 }.joined(separator: ".")
        return (place.isEmpty ? "" : place + ": ")
            + "\(kind), \(count), repaired \(repairedCount)"
    }
}
