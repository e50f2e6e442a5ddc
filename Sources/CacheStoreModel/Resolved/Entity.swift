// SPDX-License-Identifier: MIT

/// An entity with its inheritance resolved: what the store and the graph work with.
package final class Entity: Sendable {
    package let index: Int
    package let description: EntityDescription
    package let parentIndex: Int?
    package let rootIndex: Int
    /// This entity and all that inherit from it, parents before children.
    package let familyIndexes: [Int]
    /// All properties, inherited ones first.
    package let properties: [Property]
    package let propertyIndexes: [String: Int]
    /// The cells of a row, the same for all entities of one hierarchy.
    package let layout: RowLayout
    /// The constraints that hold for this entity, inherited ones included, each declared by the
    /// entity named beside it.
    package let constraints: [Constraint]

    package struct Constraint: Sendable, Hashable {
        package let declaringEntityIndex: Int
        package let propertyIndexes: [Int]
    }

    // The root of a hierarchy is its own root, so the reference is set once the objects exist.
    private let rootBox: RootBox

    init(
        index: Int, description: EntityDescription, parentIndex: Int?, rootIndex: Int,
        familyIndexes: [Int], properties: [Property], layout: RowLayout,
        constraints: [Constraint], rootBox: RootBox
    ) {
        self.index = index
        self.description = description
        self.parentIndex = parentIndex
        self.rootIndex = rootIndex
        self.familyIndexes = familyIndexes
        self.properties = properties
        self.propertyIndexes = Dictionary(
            properties.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
        self.layout = layout
        self.constraints = constraints
        self.rootBox = rootBox
    }

    package var name: String { description.name }
    package var isAbstract: Bool { description.isAbstract }
    package var root: Entity { rootBox.entity ?? self }
    package var hasSubentities: Bool { familyIndexes.count > 1 }

    package func property(named name: String) -> Property? {
        propertyIndexes[name].map { properties[$0] }
    }

    /// The property of that name, or the error that a program gets for a name it made up.
    package func requiredProperty(named name: String) throws(ModelError) -> Property {
        guard let property = property(named: name) else {
            throw ModelError(
                .unknownProperty, "the entity has no such property", entity: self.name,
                property: name)
        }
        return property
    }

    /// The root of a hierarchy, as its members refer to it.
    final class RootBox: Sendable {
        // Written once while the model is being built, before any other thread can see it; weak
        // because the root holds the box itself.
        nonisolated(unsafe) weak var entity: Entity?
    }
}
