// SPDX-License-Identifier: MIT

import CacheStoreModel

/// Where an object finds the value of a property: plain numbers, so that reading one property copies
/// no descriptions and counts no references.
struct PropertyAccess {
    /// The row's cell, and where it lies in a row; -1 for what rows do not hold.
    var column: Int32
    var offset: Int32
    /// The cell that holds the entity of a to-one relationship's object; -1 where it cannot vary.
    var entityColumn: Int32
    /// The entity at the other end of a to-one relationship; -1 for an attribute.
    var destination: Int32
    var type: AttributeType

    init(_ property: Property, layout: RowLayout) {
        column = Int32(truncatingIfNeeded: property.column ?? -1)
        offset = Int32(truncatingIfNeeded: property.column.map { layout.offset(ofCell: $0) } ?? -1)
        entityColumn = Int32(truncatingIfNeeded: property.entityColumn ?? -1)
        destination = Int32(
            truncatingIfNeeded: property.relationship.map(\.destinationIndex) ?? -1)
        type = property.attribute?.type ?? .integer64
    }
}

/// Which property a wrapper's slot stands for.
struct SlotAccess {
    var property: Int32
    var column: Int32
    var offset: Int32
}
