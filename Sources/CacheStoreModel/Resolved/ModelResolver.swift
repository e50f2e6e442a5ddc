// SPDX-License-Identifier: MIT

/// Turns entity descriptions into resolved entities.
///
/// 1. Names are checked, superentities found, cycles refused; entities are sorted by name.
/// 2. Inverses are matched: it is enough that one side names the other.
/// 3. Each hierarchy gets its row layout: columns of the root first, then of each subentity.
/// 4. Each relationship gets its storage: own column, the inverse's column, or a join table.
/// 5. Properties are flattened, inherited ones first, and constraints are resolved.
struct ModelResolver {
    struct Result {
        var entities: [Entity]
        var joins: [JoinTable]
    }

    var descriptions: [EntityDescription]
    var indexes: [String: Int] = [:]
    var parents: [Int?] = []
    var roots: [Int] = []
    var children: [[Int]] = []

    init(_ descriptions: [EntityDescription]) {
        self.descriptions = descriptions.sorted { $0.name < $1.name }
    }

    consuming func resolve() throws(ModelError) -> Result {
        try checkNames()
        try resolveInheritance()
        try checkAttributes()
        try matchInverses()
        return try build()
    }

    // MARK: - Names and inheritance

    private mutating func checkNames() throws(ModelError) {
        for (index, entity) in descriptions.enumerated() {
            guard Self.isIdentifier(entity.name) else {
                throw ModelError(.invalidName, "not an identifier", entity: entity.name)
            }
            guard indexes.updateValue(index, forKey: entity.name) == nil else {
                throw ModelError(.duplicateName, "two entities have this name", entity: entity.name)
            }
            let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
            for name in names where !Self.isIdentifier(name) {
                throw ModelError(
                    .invalidName, "not an identifier", entity: entity.name, property: name)
            }
        }
    }

    private mutating func resolveInheritance() throws(ModelError) {
        children = Array(repeating: [], count: descriptions.count)
        for (index, entity) in descriptions.enumerated() {
            guard let name = entity.superentity else {
                parents.append(nil)
                continue
            }
            guard let parent = indexes[name] else {
                throw ModelError(
                    .unknownEntity, "the superentity \(name) is not in the model",
                    entity: entity.name)
            }
            parents.append(parent)
            children[parent].append(index)
        }
        for index in descriptions.indices {
            var ancestor = index
            var steps = 0
            while let parent = parents[ancestor] {
                ancestor = parent
                steps += 1
                guard steps <= descriptions.count else {
                    throw ModelError(
                        .inheritanceCycle, "the entity inherits from itself",
                        entity: descriptions[index].name)
                }
            }
            roots.append(ancestor)
        }
        for index in descriptions.indices {
            var names: Set<String> = []
            for ancestor in lineage(of: index) {
                let entity = descriptions[ancestor]
                for name in entity.attributes.map(\.name) + entity.relationships.map(\.name) {
                    guard names.insert(name).inserted else {
                        throw ModelError(
                            .duplicateName, "two properties have this name",
                            entity: descriptions[index].name, property: name)
                    }
                }
            }
        }
    }

    private func checkAttributes() throws(ModelError) {
        for entity in descriptions {
            for attribute in entity.attributes {
                if let value = attribute.defaultValue, !value.fits(attribute.type) {
                    throw ModelError(
                        .invalidDefault, "the default value is not of type \(attribute.type)",
                        entity: entity.name, property: attribute.name)
                }
                let opaque = attribute.options.intersection([.compressed, .externalStorage])
                let keyed = attribute.options.intersection([.unique, .indexed])
                if !opaque.isEmpty, !keyed.isEmpty {
                    throw ModelError(
                        .unsupported, "a compressed or external value cannot be indexed",
                        entity: entity.name, property: attribute.name)
                }
                if attribute.isTransient, !keyed.isEmpty {
                    throw ModelError(
                        .unsupported, "a transient value cannot be indexed", entity: entity.name,
                        property: attribute.name)
                }
                guard opaque.isEmpty || Self.canBeOpaque(attribute.type) else {
                    throw ModelError(
                        .unsupported,
                        "only text and data can be compressed or external",
                        entity: entity.name, property: attribute.name)
                }
            }
        }
    }

    private static func canBeOpaque(_ type: AttributeType) -> Bool {
        [.string, .binaryData, .transformable].contains(type.kind)
    }

    // MARK: - Inverses

    /// The relationship of that name in an entity or its superentities, with its declaring entity.
    func relationship(
        named name: String, in entity: Int
    ) -> (entity: Int, position: Int)? {
        for ancestor in lineage(of: entity) {
            if let position = descriptions[ancestor].relationships.firstIndex(where: {
                $0.name == name
            }) {
                return (ancestor, position)
            }
        }
        return nil
    }

    private mutating func matchInverses() throws(ModelError) {
        for index in descriptions.indices {
            for position in descriptions[index].relationships.indices {
                let relationship = descriptions[index].relationships[position]
                guard let destination = indexes[relationship.destination] else {
                    throw ModelError(
                        .unknownEntity,
                        "the destination \(relationship.destination) is not in the model",
                        entity: descriptions[index].name, property: relationship.name)
                }
                guard let inverse = relationship.inverse else { continue }
                try match(
                    entity: index, position: position, inverse: inverse, destination: destination)
            }
        }
    }

    private mutating func match(
        entity index: Int, position: Int, inverse: String, destination: Int
    ) throws(ModelError) {
        let entity = descriptions[index].name
        let name = descriptions[index].relationships[position].name
        guard let other = relationship(named: inverse, in: destination) else {
            throw ModelError(
                .unknownProperty,
                "the inverse \(inverse) is not a relationship of \(descriptions[destination].name)",
                entity: entity, property: name)
        }
        let back = descriptions[other.entity].relationships[other.position]
        // The objects at the far end of the inverse must have this very relationship: those of the
        // entity itself and of its subentities do, those of a superentity need not.
        guard let backDestination = indexes[back.destination],
            let own = relationship(named: name, in: backDestination), own == (index, position)
        else {
            throw ModelError(
                .contradictoryInverse,
                "the inverse \(inverse) leads to \(back.destination)", entity: entity,
                property: name)
        }
        if let named = back.inverse, named != name {
            throw ModelError(
                .contradictoryInverse, "the inverse \(inverse) names \(named) as its own inverse",
                entity: entity, property: name)
        }
        descriptions[other.entity].relationships[other.position].inverse = name
    }

    // MARK: - Walking the hierarchy

    /// The entity and its superentities, nearest first.
    func lineage(of index: Int) -> [Int] {
        var lineage = [index]
        while let last = lineage.last, let parent = parents[last] { lineage.append(parent) }
        return lineage
    }

    /// The entity and its subentities, parents before children.
    func descendants(of index: Int) -> [Int] {
        [index] + children[index].flatMap { descendants(of: $0) }
    }

    private static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, name.utf8.count <= 128 else { return false }
        let isStart = first == "_" || first.properties.isAlphabetic
        return isStart
            && name.unicodeScalars.allSatisfy {
                $0 == "_" || $0.properties.isAlphabetic || $0.properties.numericType != nil
            }
    }
}
