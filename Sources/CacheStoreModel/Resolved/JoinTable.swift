// SPDX-License-Identifier: MIT

/// A table of pairs: a many-to-many relationship, or a to-many relationship without an inverse.
package struct JoinTable: Sendable, Hashable {
    /// One end of the pairs.
    package struct Side: Sendable, Hashable {
        /// The entity that declares the relationship and the relationship itself, or for the far end
        /// of a relationship without an inverse the destination and `nil`.
        package let entityIndex: Int
        package let propertyIndex: Int?
        /// Whether the members of one owner at this end have an order.
        package let isOrdered: Bool
    }

    package let index: Int
    /// The owner end of the relationship whose entity and name come first in the alphabet.
    package let first: Side
    package let second: Side

    /// Whether both ends are the same relationship ("friends"): the table then has one row for each
    /// direction.
    package var isSymmetric: Bool {
        first.entityIndex == second.entityIndex && first.propertyIndex == second.propertyIndex
    }
}
