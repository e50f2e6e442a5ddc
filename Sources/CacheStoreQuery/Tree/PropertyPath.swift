// SPDX-License-Identifier: MIT

package import CacheStoreModel

/// A way from an object to one of its properties, through any number of to-one relationships.
package struct PropertyPath: Sendable, Hashable {
    /// One property on the way. The index is valid in the entity and all its subentities.
    package struct Step: Sendable, Hashable {
        package var entityIndex: Int
        package var propertyIndex: Int

        package init(entityIndex: Int, propertyIndex: Int) {
            self.entityIndex = entityIndex
            self.propertyIndex = propertyIndex
        }
    }

    /// Whose property it is: 0 for the object that is fetched, higher numbers for the objects of
    /// `exists` and `all` further in.
    package var scope: Int
    /// The to-one relationships and, last, the property; never empty.
    package var steps: [Step]

    package init(scope: Int = 0, steps: [Step]) {
        self.scope = scope
        self.steps = steps
    }

    package func property(in model: ManagedObjectModel) -> Property? {
        steps.last.map { model.entities[$0.entityIndex].properties[$0.propertyIndex] }
    }
}

extension PropertyPath {
    /// The path that names, joined by dots, describe.
    ///
    /// - Throws: `ModelError` with code `unknownProperty`, or `wrongType` where a name before the
    ///   last is not a to-one relationship.
    package init(
        _ names: String, from entity: Entity, in model: ManagedObjectModel, scope: Int = 0
    ) throws(ModelError) {
        var steps: [Step] = []
        var current = entity
        var isOver = false
        for name in names.split(separator: ".", omittingEmptySubsequences: false) {
            guard !isOver else {
                throw ModelError(
                    .wrongType, "the path goes on behind a property that leads to no single object",
                    entity: current.name, property: String(name))
            }
            let property = try current.requiredProperty(named: String(name))
            steps.append(Step(entityIndex: current.index, propertyIndex: property.index))
            if let relationship = property.relationship, !property.isToMany {
                current = model.entities[relationship.destinationIndex]
            } else {
                isOver = true
            }
        }
        self.init(scope: scope, steps: steps)
    }
}
