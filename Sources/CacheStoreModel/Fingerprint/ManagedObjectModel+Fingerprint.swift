// SPDX-License-Identifier: MIT

import Synchronization

extension ManagedObjectModel {
    /// The identity of this version of the model: 64 hexadecimal digits.
    ///
    /// Two models have the same fingerprint when a store made with one can be opened with the other
    /// as it is. Names, types, inheritance, inverses, counts, options, indexes, uniqueness and
    /// version hash modifiers count; defaults, validation, delete rules, renaming identifiers, user
    /// info and transient attributes do not. Computed when first asked for, then kept.
    public var fingerprint: String {
        if let cached = fingerprintCache.withLock({ $0 }) { return cached }
        // Not under the lock: others would wait for what they can as well work out themselves.
        let fingerprint = SHA256.hexadecimalHash(canonicalText)
        fingerprintCache.withLock { $0 = fingerprint }
        return fingerprint
    }

    /// What the fingerprint is the hash of. Names are identifiers, and modifiers are given with
    /// their length, so that no two models have the same text.
    package var canonicalText: String {
        var lines = ["cachestore-model 1"]
        for entity in entities { Self.describe(entity.description, in: &lines) }
        return lines.joined(separator: "\n")
    }

    private static func describe(_ entity: EntityDescription, in lines: inout [String]) {
        lines.append(
            "entity \(entity.name) parent=\(entity.superentity ?? "-") "
                + "abstract=\(entity.isAbstract) \(modifier(entity.versionHashModifier))")
        let attributes = entity.attributes.filter { !$0.isTransient }
        for attribute in attributes.sorted(by: { $0.name < $1.name }) {
            lines.append(
                "attribute \(attribute.name) \(attribute.type) optional=\(attribute.isOptional) "
                    + "options=\(attribute.options.rawValue) "
                    + modifier(attribute.versionHashModifier))
        }
        for relationship in entity.relationships.sorted(by: { $0.name < $1.name }) {
            lines.append(
                "relationship \(relationship.name) to=\(relationship.destination) "
                    + "many=\(relationship.isToMany) ordered=\(relationship.isOrdered) "
                    + "optional=\(relationship.isOptional) min=\(relationship.minimumCount) "
                    + "max=\(relationship.maximumCount) inverse=\(relationship.inverse ?? "-") "
                    + modifier(relationship.versionHashModifier))
        }
        for constraint in Set(entity.uniquenessConstraints.map { $0.joined(separator: ",") })
            .sorted()
        {
            lines.append("unique \(constraint)")
        }
        for index in entity.indexes.sorted(by: { $0.name < $1.name }) {
            lines.append("index \(index.name) \(index.properties.joined(separator: ","))")
        }
    }

    private static func modifier(_ text: String?) -> String {
        text.map { "modifier=\($0.utf8.count):\($0)" } ?? "modifier=-"
    }
}
