// SPDX-License-Identifier: MIT

/// One row of a batch.
package struct RowReference: Sendable {
    package var batch: RowBatch
    package var row: Int

    package init(batch: RowBatch, row: Int) {
        self.batch = batch
        self.row = row
    }

    /// The value of a property as the row has it; `.null` for those that rows do not hold.
    package func value(of property: Property, in space: IdentitySpace) -> PropertyValue {
        guard let column = property.column else { return .null }
        switch property.kind {
        case .attribute(let attribute):
            return batch.value(row: row, column: column, type: attribute.type)
        case .relationship(let relationship):
            guard batch.tag(row: row, column: column) == RowBatch.Tag.integer else { return .null }
            var entityIndex = relationship.destinationIndex
            if let entityColumn = property.entityColumn,
                batch.tag(row: row, column: entityColumn) == RowBatch.Tag.integer
            {
                let stored = Int(
                    truncatingIfNeeded: batch.integer(row: row, column: entityColumn))
                if space.model.entities.indices.contains(stored) { entityIndex = stored }
            }
            return .object(
                ManagedObjectID(
                    space: space, entityIndex: entityIndex,
                    key: batch.integer(row: row, column: column)))
        }
    }

    /// The ID of the row's object.
    package func objectID(in space: IdentitySpace) -> ManagedObjectID {
        ManagedObjectID(
            space: space, entityIndex: batch.entityIndex(ofRow: row), key: batch.key(ofRow: row))
    }
}
