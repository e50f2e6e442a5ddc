// SPDX-License-Identifier: MIT

import CacheStoreHealing
import CacheStoreModel
import CacheStoreSQLite

/// Finds the way from one model to another, where there is one that only adds and removes.
///
/// Entities and properties are matched by name. A property that is gone on one side and new on the
/// other is removed and added; what would change the meaning of stored values is refused.
struct MigrationPlanner {
    let old: SQLiteSchema
    let new: SQLiteSchema
    var plan = MigrationPlan()

    /// - Throws: ``Unmigratable`` with the first change that cannot be made.
    static func plan(
        from old: SQLiteSchema, to new: SQLiteSchema
    ) throws(Unmigratable) -> MigrationPlan {
        var planner = MigrationPlanner(old: old, new: new)
        try planner.checkEntities()
        planner.dropIndexes()
        try planner.planTables()
        try planner.planJoins()
        planner.unlinkRemovedRows()
        planner.createIndexes()
        return planner.plan
    }

    private init(old: SQLiteSchema, new: SQLiteSchema) {
        self.old = old
        self.new = new
    }

    // MARK: Entities

    private mutating func checkEntities() throws(Unmigratable) {
        for entity in new.model.entities {
            guard let before = old.model.entity(named: entity.name) else {
                plan.changes.append("The entity \(entity.name) is new.")
                continue
            }
            guard before.description.superentity == entity.description.superentity else {
                throw Unmigratable(
                    reason: "The superentity of \(entity.name) changed from "
                        + "\(before.description.superentity ?? "none") to "
                        + "\(entity.description.superentity ?? "none").")
            }
            if before.description.versionHashModifier != entity.description.versionHashModifier {
                throw Unmigratable(
                    reason: "The version hash modifier of \(entity.name) changed.")
            }
            if entity.isAbstract, !before.isAbstract {
                throw Unmigratable(reason: "The entity \(entity.name) became abstract.")
            }
            if !entity.isAbstract, before.isAbstract {
                plan.changes.append("The entity \(entity.name) is no longer abstract.")
            }
            try checkProperties(of: entity, before: before)
        }
        for entity in old.model.entities where new.model.entity(named: entity.name) == nil {
            plan.changes.append("The entity \(entity.name) was removed with its rows.")
            let table = old.table(of: entity)
            plan.lossy.append(
                MigrationPlan.Loss(
                    entity: entity.name, table: table.name, hasEntityColumn: table.hasEntityColumn))
        }
    }

    private mutating func checkProperties(
        of entity: Entity, before: Entity
    ) throws(Unmigratable) {
        func own(_ entity: Entity) -> [Property] {
            entity.properties.filter {
                $0.declaringEntityIndex == entity.index && !$0.isTransient
            }
        }
        let earlier = own(before)
        for property in own(entity) {
            let place = "\(entity.name).\(property.name)"
            guard let match = earlier.first(where: { $0.name == property.name }) else {
                try checkNew(property, place: place)
                plan.changes.append("\(place) is new.")
                continue
            }
            switch (property.kind, match.kind) {
            case (.attribute(let attribute), .attribute(let previous)):
                try checkSame(attribute, previous, place: place)
            case (.relationship(let relationship), .relationship(let previous)):
                try checkSame(relationship, previous, place: place)
            default:
                throw Unmigratable(
                    reason: "\(place) was an attribute and is a relationship, or the reverse.")
            }
        }
        let names = Set(own(entity).map(\.name))
        for property in earlier where !names.contains(property.name) {
            plan.changes.append("\(entity.name).\(property.name) was removed with its values.")
        }
    }

    private func checkNew(_ property: Property, place: String) throws(Unmigratable) {
        switch property.kind {
        case .attribute(let attribute):
            if let identifier = attribute.renamingIdentifier, identifier != attribute.name {
                throw Unmigratable(reason: "\(place) has another name than before.")
            }
            guard attribute.isOptional || attribute.defaultValue.map({ !$0.isNull }) ?? false else {
                throw Unmigratable(
                    reason: "\(place) is new and required, and has no default value.")
            }
        case .relationship(let relationship):
            if let identifier = relationship.description.renamingIdentifier,
                identifier != relationship.description.name
            {
                throw Unmigratable(reason: "\(place) has another name than before.")
            }
            guard relationship.description.isOptional else {
                throw Unmigratable(reason: "\(place) is new and required.")
            }
        }
    }

    private mutating func checkSame(
        _ attribute: AttributeDescription, _ before: AttributeDescription, place: String
    ) throws(Unmigratable) {
        guard attribute.type == before.type else {
            throw Unmigratable(
                reason: "The type of \(place) changed from \(before.type) to \(attribute.type).")
        }
        guard attribute.versionHashModifier == before.versionHashModifier else {
            throw Unmigratable(reason: "The version hash modifier of \(place) changed.")
        }
        guard attribute.isOptional || !before.isOptional else {
            throw Unmigratable(reason: "\(place) was optional and is required.")
        }
        let opaque: AttributeOptions = [.compressed, .externalStorage]
        // Encoded and plain values cannot be told apart in one column.
        guard
            attribute.options.isDisjoint(with: opaque) == before.options.isDisjoint(with: opaque)
        else {
            throw Unmigratable(reason: "\(place) is stored in another form than before.")
        }
        if attribute.isOptional != before.isOptional {
            plan.changes.append("\(place) is optional now.")
        }
        if attribute.options != before.options {
            plan.changes.append("The options of \(place) changed.")
        }
    }

    private mutating func checkSame(
        _ relationship: Property.Relationship, _ before: Property.Relationship, place: String
    ) throws(Unmigratable) {
        let (now, then) = (relationship.description, before.description)
        guard now.destination == then.destination else {
            throw Unmigratable(
                reason: "The destination of \(place) changed from \(then.destination) to "
                    + "\(now.destination).")
        }
        guard now.isToMany == then.isToMany else {
            throw Unmigratable(
                reason: "\(place) leads to one object instead of many, or the reverse.")
        }
        guard now.inverse == then.inverse else {
            throw Unmigratable(reason: "The inverse of \(place) changed.")
        }
        guard now.versionHashModifier == then.versionHashModifier else {
            throw Unmigratable(reason: "The version hash modifier of \(place) changed.")
        }
        guard now.isOptional || !then.isOptional else {
            throw Unmigratable(reason: "\(place) was optional and is required.")
        }
        if now.isOrdered != then.isOrdered {
            plan.changes.append(
                "\(place) is \(now.isOrdered ? "ordered now, by the keys at first" : "no longer ordered")."
            )
        }
        if now.isOptional != then.isOptional { plan.changes.append("\(place) is optional now.") }
    }

    // MARK: Indexes

    // An index over some entities is made from their numbers, so its text says all about it.
    private mutating func dropIndexes() {
        let kept = Set(new.indexes)
        for index in old.indexes where !kept.contains(index) {
            plan.steps.append(.dropIndex(name: index.name))
        }
    }

    private mutating func createIndexes() {
        let existing = Set(old.indexes)
        for index in new.indexes where !existing.contains(index) {
            plan.steps.append(.createIndex(index))
        }
    }
}
