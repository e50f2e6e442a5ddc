// SPDX-License-Identifier: MIT

/// A property of a resolved entity: its description and its place in objects and rows.
package struct Property: Sendable {
    package enum Kind: Sendable {
        case attribute(AttributeDescription)
        case relationship(Relationship)
    }

    package let kind: Kind
    /// The place among the entity's properties. Inherited properties come first, so a property has
    /// the same index in its own entity and in all subentities.
    package let index: Int
    /// The entity that declares the property.
    package let declaringEntityIndex: Int
    /// The cell of the hierarchy's rows that holds the value; `nil` if rows do not hold one.
    package let column: Int?
    /// The cell that holds the entity of a to-one relationship's object, where that can vary.
    package let entityColumn: Int?

    package var name: String {
        switch kind {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.description.name
        }
    }

    package var attribute: AttributeDescription? {
        if case .attribute(let attribute) = kind { return attribute }
        return nil
    }

    package var relationship: Relationship? {
        if case .relationship(let relationship) = kind { return relationship }
        return nil
    }

    package var isOptional: Bool {
        switch kind {
        case .attribute(let attribute): attribute.isOptional
        case .relationship(let relationship): relationship.description.isOptional
        }
    }

    package var isToMany: Bool { relationship?.description.isToMany ?? false }
    package var isTransient: Bool { attribute?.isTransient ?? false }
}

extension Property {
    /// A relationship with both its ends resolved.
    package struct Relationship: Sendable {
        package let description: RelationshipDescription
        package let destinationIndex: Int
        /// The property index of the inverse, valid in the destination and all its subentities.
        package let inverseIndex: Int?
        package let storage: Storage

        /// Where the store keeps a relationship.
        package enum Storage: Sendable, Hashable {
            /// In a column of the object's own row.
            case ownColumn
            /// In the column of the to-one inverse, in the rows at the other end; where the
            /// relationship is ordered, with a position beside it.
            case inverseColumn
            /// In a join table: the index into `ManagedObjectModel.joins`, and which side this is.
            case join(index: Int, isFirst: Bool)
        }
    }
}
