// SPDX-License-Identifier: MIT

extension ModelResolver {
    /// A property before its index is known: the part that all entities inheriting it share.
    private struct Draft {
        var name: String
        var column: Int?
        var entityColumn: Int?
    }

    func build() throws(ModelError) -> Result {
        let joins = joinTables()
        var layouts: [Int: RowLayout] = [:]
        // Columns by declaring entity and property name.
        var drafts: [[String: Draft]] = Array(repeating: [:], count: descriptions.count)
        for root in Set(roots) {
            layouts[root] = layOut(hierarchyOf: root, into: &drafts)
        }
        var boxes: [Int: Entity.RootBox] = [:]
        for root in Set(roots) { boxes[root] = Entity.RootBox() }
        var entities: [Entity] = []
        for index in descriptions.indices {
            let root = roots[index]
            let properties = flattenedProperties(of: index, drafts: drafts, joins: joins)
            guard let layout = layouts[root], let box = boxes[root] else { continue }
            let entity = Entity(
                index: index, description: descriptions[index], parentIndex: parents[index],
                rootIndex: root, familyIndexes: descendants(of: index), properties: properties,
                layout: layout, constraints: try constraints(of: index, properties: properties),
                rootBox: box)
            if index == root { box.entity = entity }
            entities.append(entity)
        }
        try checkIndexes(entities)
        return Result(entities: entities, joins: joins)
    }

    // MARK: - Rows

    private func layOut(
        hierarchyOf root: Int, into drafts: inout [[String: Draft]]
    ) -> RowLayout {
        var columns: [RowLayout.Column] = []
        for index in descendants(of: root) {
            let entity = descriptions[index]
            func add(_ name: String, _ role: RowLayout.Column.Role) -> Int {
                columns.append(
                    RowLayout.Column(property: name, declaringEntityIndex: index, role: role))
                return columns.count - 1 + RowLayout.firstPropertyColumn
            }
            for attribute in entity.attributes {
                let column =
                    attribute.isTransient
                    ? nil : add(attribute.name, .attribute(attribute.type, attribute.options))
                drafts[index][attribute.name] = Draft(name: attribute.name, column: column)
            }
            for relationship in entity.relationships where !relationship.isToMany {
                let column = add(relationship.name, .reference)
                let destination = indexes[relationship.destination] ?? index
                let varies = descendants(of: destination).count > 1
                drafts[index][relationship.name] = Draft(
                    name: relationship.name, column: column,
                    entityColumn: varies ? add(relationship.name, .referenceEntity) : nil)
            }
        }
        return RowLayout(columns: columns)
    }

    // MARK: - Joins

    /// The place of a property in its entity once inherited ones are counted.
    private func propertyIndex(entity: Int, relationship position: Int) -> Int {
        let inherited = lineage(of: entity).dropFirst().reduce(0) {
            $0 + descriptions[$1].attributes.count + descriptions[$1].relationships.count
        }
        return inherited + descriptions[entity].attributes.count + position
    }

    private func joinTables() -> [JoinTable] {
        var joins: [JoinTable] = []
        for (index, entity) in descriptions.enumerated() {
            for (position, relationship) in entity.relationships.enumerated()
            where relationship.isToMany {
                let side = JoinTable.Side(
                    entityIndex: index,
                    propertyIndex: propertyIndex(entity: index, relationship: position),
                    isOrdered: relationship.isOrdered)
                let destination = indexes[relationship.destination] ?? index
                guard let inverse = relationship.inverse,
                    let other = self.relationship(named: inverse, in: destination)
                else {
                    let far = JoinTable.Side(
                        entityIndex: destination, propertyIndex: nil, isOrdered: false)
                    joins.append(JoinTable(index: joins.count, first: side, second: far))
                    continue
                }
                let back = descriptions[other.entity].relationships[other.position]
                guard back.isToMany else { continue }
                let own = (entity.name, relationship.name)
                let others = (descriptions[other.entity].name, back.name)
                guard own <= others else { continue }
                let far = JoinTable.Side(
                    entityIndex: other.entity,
                    propertyIndex: propertyIndex(
                        entity: other.entity, relationship: other.position),
                    isOrdered: back.isOrdered)
                joins.append(JoinTable(index: joins.count, first: side, second: far))
            }
        }
        return joins
    }

    // MARK: - Properties

    private func flattenedProperties(
        of index: Int, drafts: [[String: Draft]], joins: [JoinTable]
    ) -> [Property] {
        var properties: [Property] = []
        for ancestor in lineage(of: index).reversed() {
            let entity = descriptions[ancestor]
            for attribute in entity.attributes {
                properties.append(
                    Property(
                        kind: .attribute(attribute), index: properties.count,
                        declaringEntityIndex: ancestor,
                        column: drafts[ancestor][attribute.name]?.column, entityColumn: nil))
            }
            for (position, relationship) in entity.relationships.enumerated() {
                let draft = drafts[ancestor][relationship.name]
                let resolved = resolve(
                    relationship, at: position, of: ancestor, joins: joins)
                properties.append(
                    Property(
                        kind: .relationship(resolved), index: properties.count,
                        declaringEntityIndex: ancestor, column: draft?.column,
                        entityColumn: draft?.entityColumn))
            }
        }
        return properties
    }

    private func resolve(
        _ relationship: RelationshipDescription, at position: Int, of entity: Int,
        joins: [JoinTable]
    ) -> Property.Relationship {
        let destination = indexes[relationship.destination] ?? entity
        let back = relationship.inverse.flatMap { self.relationship(named: $0, in: destination) }
        let inverseIndex = back.map {
            propertyIndex(entity: $0.entity, relationship: $0.position)
        }
        let own = propertyIndex(entity: entity, relationship: position)
        var storage = Property.Relationship.Storage.ownColumn
        if relationship.isToMany {
            let join = joins.first {
                ($0.first.entityIndex == entity && $0.first.propertyIndex == own)
                    || ($0.second.entityIndex == entity && $0.second.propertyIndex == own)
            }
            if let join {
                storage = .join(
                    index: join.index,
                    isFirst: join.first.entityIndex == entity && join.first.propertyIndex == own)
            } else {
                storage = .inverseColumn
            }
        }
        return Property.Relationship(
            description: relationship, destinationIndex: destination, inverseIndex: inverseIndex,
            storage: storage)
    }

    // MARK: - Constraints and indexes

    private func constraints(
        of index: Int, properties: [Property]
    ) throws(ModelError) -> [Entity.Constraint] {
        var constraints: [Entity.Constraint] = []
        for ancestor in lineage(of: index).reversed() {
            let entity = descriptions[ancestor]
            let single = entity.attributes.filter { $0.options.contains(.unique) }.map { [$0.name] }
            for names in single + entity.uniquenessConstraints {
                let indexes = try columnIndexes(names, properties: properties, entity: entity.name)
                let constraint = Entity.Constraint(
                    declaringEntityIndex: ancestor, propertyIndexes: indexes)
                if !constraints.contains(constraint) { constraints.append(constraint) }
            }
        }
        return constraints
    }

    private func checkIndexes(_ entities: [Entity]) throws(ModelError) {
        for entity in entities {
            var names: Set<String> = []
            for index in entity.description.indexes {
                guard names.insert(index.name).inserted else {
                    throw ModelError(
                        .duplicateName, "two indexes are called \(index.name)", entity: entity.name)
                }
                _ = try columnIndexes(
                    index.properties, properties: entity.properties, entity: entity.name)
            }
        }
    }

    private func columnIndexes(
        _ names: [String], properties: [Property], entity: String
    ) throws(ModelError) -> [Int] {
        guard !names.isEmpty else {
            throw ModelError(.invalidConstraint, "an empty list of properties", entity: entity)
        }
        var indexes: [Int] = []
        for name in names {
            guard let property = properties.first(where: { $0.name == name }) else {
                throw ModelError(
                    .unknownProperty, "a constraint or index names an unknown property",
                    entity: entity, property: name)
            }
            let isOpaque =
                property.attribute.map {
                    !$0.options.isDisjoint(with: [.compressed, .externalStorage])
                } ?? false
            guard property.column != nil, !isOpaque, !indexes.contains(property.index) else {
                throw ModelError(
                    .invalidConstraint,
                    "only plain stored attributes and to-one relationships, each once, can be in a constraint or index",
                    entity: entity, property: name)
            }
            indexes.append(property.index)
        }
        return indexes
    }
}
