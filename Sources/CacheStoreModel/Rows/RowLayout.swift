// SPDX-License-Identifier: MIT

/// The cells of one hierarchy's rows: three that every row has, then one for each stored property.
///
/// A hierarchy has one layout, whichever of its entities is fetched: the cells of properties that an
/// object's own entity lacks are empty.
@usableFromInline
package final class RowLayout: Sendable {
    /// The cell that holds the row's key.
    @inlinable package static var keyColumn: Int { 0 }
    /// The cell that holds the index of the row's entity in the model.
    @inlinable package static var entityColumn: Int { 1 }
    /// The cell that holds the row's version, which grows by one with each update.
    @inlinable package static var versionColumn: Int { 2 }
    /// How many cells come before those of the properties.
    package static let firstPropertyColumn = 3

    /// What a cell holds.
    package struct Column: Sendable, Hashable {
        package enum Role: Sendable, Hashable {
            case attribute(AttributeType, AttributeOptions)
            /// The key of a to-one relationship's object.
            case reference
            /// The entity of a to-one relationship's object, as an index into the model's entities.
            case referenceEntity
        }
        /// The property, by its name and the entity that declares it.
        package let property: String
        package let declaringEntityIndex: Int
        package let role: Role
    }

    /// The cells of the properties; the first of them is the row's fourth cell.
    package let columns: [Column]

    package init(columns: [Column]) { self.columns = columns }

    /// How many cells a batch may add to those of its layout.
    package static let maximumExtraCells = 1

    /// The bytes of a row's tags, the same with and without an extra cell.
    package var tagBytes: Int { (cellCount + Self.maximumExtraCells + 7) & ~7 }

    /// Where a cell lies in a row.
    package func offset(ofCell column: Int) -> Int { tagBytes + column * 8 }

    /// The number of cells in a row.
    package var cellCount: Int { columns.count + Self.firstPropertyColumn }
}
