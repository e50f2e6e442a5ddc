// SPDX-License-Identifier: MIT

import CacheStoreHealing
import CacheStoreModel
import CacheStoreSQLite

extension MigrationPlanner {
    /// A column by what it stands for, whatever it is called.
    private struct ColumnKey: Hashable {
        let entity: String
        let property: String
        let role: Role

        enum Role: Hashable { case value, entity, position }
    }

    private struct ColumnPlace {
        let name: String
        let definition: String
        let key: ColumnKey
    }

    mutating func planTables() throws(Unmigratable) {
        for entity in old.model.entities where entity.rootIndex == entity.index {
            let table = old.table(of: entity)
            if new.model.entity(named: entity.name) == nil {
                plan.steps.append(.dropTable(table: table.name))
            }
        }
        for entity in new.model.entities where entity.rootIndex == entity.index {
            let table = new.table(of: entity)
            guard let before = old.model.entity(named: entity.name) else {
                plan.steps.append(.createTable(table: table.name, sql: table.createStatement))
                continue
            }
            try changeTable(entity, table, before: old.table(of: before), root: before)
        }
    }

    private mutating func changeTable(
        _ root: Entity, _ table: EntityTable, before: EntityTable, root oldRoot: Entity
    ) throws(Unmigratable) {
        guard table.name == before.name else {
            throw Unmigratable(
                reason: "The table of \(root.name) has to be called \(table.name) now.")
        }
        let removed = oldRoot.familyIndexes.map { old.model.entities[$0].name }
            .filter { new.model.entity(named: $0) == nil }
        if !removed.isEmpty {
            plan.steps.append(.deleteRows(table: table.name, entities: removed))
        }
        changeColumns(
            table.name, from: Self.places(before, model: old.model),
            to: Self.places(table, model: new.model))
        if table.hasEntityColumn, !before.hasEntityColumn {
            // Zero stands for no entity, and the next step replaces it.
            plan.steps.append(
                .addColumn(
                    table: table.name, column: "_entity", definition: "INTEGER NOT NULL DEFAULT 0"))
            plan.steps.append(
                .fillEntity(
                    table: table.name, column: "_entity", entity: root.name, where: nil))
        } else if before.hasEntityColumn, !table.hasEntityColumn {
            plan.steps.append(.dropColumn(table: table.name, column: "_entity"))
        }
        fillColumns(root, table, before: before)
    }

    private static func places(
        _ table: EntityTable, model: ManagedObjectModel
    ) -> [ColumnPlace] {
        let columns = table.columns.map { column in
            ColumnPlace(
                name: column.name, definition: column.declaredType,
                key: ColumnKey(
                    entity: model.entities[column.declaringEntityIndex].name,
                    property: column.property,
                    role: column.role == .referenceEntity ? .entity : .value))
        }
        return columns
            + table.positions.map { position in
                ColumnPlace(
                    name: position.name, definition: "INTEGER",
                    key: ColumnKey(
                        entity: model.entities[position.declaringEntityIndex].name,
                        property: position.property, role: .position))
            }
    }

    private mutating func changeColumns(
        _ table: String, from before: [ColumnPlace], to after: [ColumnPlace]
    ) {
        let kept = Dictionary(
            after.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        let known = Dictionary(
            before.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        for place in before where kept[place.key] == nil {
            plan.steps.append(.dropColumn(table: table, column: place.name))
        }
        // A name may go from one column to another: all renamed ones step aside first.
        var renamed: [(from: String, to: String)] = []
        for place in before {
            guard let target = kept[place.key], target.name != place.name else { continue }
            let aside = "cachestore_\(renamed.count)"
            plan.steps.append(.renameColumn(table: table, from: place.name, to: aside))
            renamed.append((aside, target.name))
        }
        for (aside, name) in renamed {
            plan.steps.append(.renameColumn(table: table, from: aside, to: name))
        }
        for place in after where known[place.key] == nil {
            plan.steps.append(
                .addColumn(table: table, column: place.name, definition: place.definition))
        }
    }

    /// Gives existing rows the defaults of new attributes, and the entities of references that
    /// could lead to one entity only so far.
    private mutating func fillColumns(_ root: Entity, _ table: EntityTable, before: EntityTable) {
        let known = Set(Self.places(before, model: old.model).map(\.key))
        for place in Self.places(table, model: new.model) where !known.contains(place.key) {
            guard let entity = new.model.entity(named: place.key.entity),
                let property = entity.property(named: place.key.property)
            else { continue }
            switch place.key.role {
            case .value:
                guard let attribute = property.attribute, let value = attribute.defaultValue,
                    !value.isNull
                else { continue }
                let entities: [String]? =
                    entity.index == root.index
                    ? nil : entity.familyIndexes.map { new.model.entities[$0].name }
                plan.steps.append(
                    .fill(
                        table: table.name, column: place.name,
                        value: Self.stored(value, attribute), entities: entities))
            case .entity:
                guard let cell = property.column, let relationship = property.relationship else {
                    continue
                }
                plan.steps.append(
                    .fillEntity(
                        table: table.name, column: place.name,
                        entity: new.model.entities[relationship.destinationIndex].name,
                        where: table.column(ofCell: cell).name))
            case .position: continue
            }
        }
    }

    private static func stored(
        _ value: PropertyValue, _ attribute: AttributeDescription
    ) -> SQLBinding {
        if case .data(let data) = value,
            !attribute.options.isDisjoint(with: [.compressed, .externalStorage])
        {
            return .blob(EncodedValue.raw(data).encoded)
        }
        return SQLBinding(value)
    }

    /// What is kept must not lead to the rows of a subentity that was removed.
    mutating func unlinkRemovedRows() {
        var targets: [Int: String] = [:]
        for step in plan.steps {
            guard case .deleteRows(let table, _) = step else { continue }
            for (root, candidate) in new.tables where candidate.name == table {
                targets[root] = table
            }
        }
        guard !targets.isEmpty else { return }
        for table in new.tables.values.sorted(by: { $0.name < $1.name }) {
            for column in table.columns where column.role == .reference {
                let owner = new.model.entities[column.declaringEntityIndex]
                let property = owner.property(named: column.property)
                guard let relationship = property?.relationship,
                    let target = targets[
                        new.model.entities[relationship.destinationIndex].rootIndex]
                else { continue }
                plan.steps.append(
                    .clearReferences(table: table.name, column: column.name, target: target))
            }
        }
        for join in new.joins {
            for side in [join.first, join.second] {
                guard let target = targets[side.rootIndex] else { continue }
                plan.steps.append(
                    .deletePairs(table: join.name, column: side.key, target: target))
            }
        }
    }

    // MARK: Joins

    private static func key(of join: JoinTable, in model: ManagedObjectModel) -> [String] {
        [join.first, join.second].flatMap { side in
            let entity = model.entities[side.entityIndex]
            return [entity.name, side.propertyIndex.map { entity.properties[$0].name } ?? ""]
        }
    }

    mutating func planJoins() throws(Unmigratable) {
        var before: [[String]: JoinTableSchema] = [:]
        for join in old.model.joins {
            before[Self.key(of: join, in: old.model)] = old.joins[join.index]
        }
        for join in new.model.joins {
            let table = new.joins[join.index]
            let key = Self.key(of: join, in: new.model)
            guard let earlier = before.removeValue(forKey: key) else {
                plan.steps.append(.createTable(table: table.name, sql: table.createStatement))
                continue
            }
            guard earlier.name == table.name, earlier.first.key == table.first.key,
                earlier.second.key == table.second.key
            else {
                throw Unmigratable(
                    reason: "The table of \(key[0]).\(key[1]) has to be called \(table.name) now.")
            }
            changeJoin(join, table, before: earlier)
        }
        for table in before.values.sorted(by: { $0.name < $1.name }) {
            // Before all other tables, since a new one may have the same name; indexes go first.
            let place =
                plan.steps.firstIndex { step in
                    if case .dropIndex = step { false } else { true }
                } ?? plan.steps.endIndex
            plan.steps.insert(.dropTable(table: table.name), at: place)
        }
    }

    private mutating func changeJoin(
        _ join: JoinTable, _ table: JoinTableSchema, before: JoinTableSchema
    ) {
        for (side, pair) in [
            (join.first, (before.first, table.first)), (join.second, (before.second, table.second)),
        ] {
            let (then, now) = pair
            for (old, new) in [(then.entity, now.entity), (then.position, now.position)] {
                if let old, old != new {
                    plan.steps.append(.dropColumn(table: table.name, column: old))
                }
            }
            if let column = now.entity, then.entity != column {
                plan.steps.append(
                    .addColumn(
                        table: table.name, column: column,
                        definition: "INTEGER NOT NULL DEFAULT 0"))
                plan.steps.append(
                    .fillEntity(
                        table: table.name, column: column,
                        entity: new.model.entities[side.entityIndex].name, where: nil))
            }
            if let column = now.position, then.position != column {
                plan.steps.append(
                    .addColumn(table: table.name, column: column, definition: "INTEGER"))
            }
        }
    }
}
