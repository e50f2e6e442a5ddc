// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreSQLite

/// Which columns a fetch of an entity selects, and where each goes in a packed row.
struct SelectPlan: Sendable {
    struct Slot: Sendable {
        enum Kind: UInt8, Sendable {
            case plain
            /// Blobs are in the store's encoded form.
            case opaque
            /// A number of `cachestore_entities`.
            case entity
        }
        /// The cell of the packed row.
        let cell: Int
        let kind: Kind
        /// For an entity that the model does not know: the index to take instead.
        let fallback: Int
    }

    /// The list of columns of the table under the alias `t0`: key, version, entity where the table
    /// has one, and the columns of the slots.
    let columns: String
    let slots: [Slot]
    let hasEntityColumn: Bool
    /// The entity of every row, where the table does not say.
    let entityIndex: Int
    let layout: RowLayout
    /// How many columns are selected.
    let columnCount: Int

    /// The cells of properties that no object of the entity can have are left out.
    init(entity: Entity, schema: SQLiteSchema) {
        let table = schema.table(of: entity)
        let model = schema.model
        var names = ["_id", "_version"]
        if table.hasEntityColumn { names.append("_entity") }
        var relevant = Set(entity.familyIndexes)
        var ancestor = entity.parentIndex
        while let index = ancestor {
            relevant.insert(index)
            ancestor = model.entities[index].parentIndex
        }
        var slots: [Slot] = []
        for (offset, column) in table.columns.enumerated()
        where relevant.contains(column.declaringEntityIndex) {
            var kind = column.isOpaque ? Slot.Kind.opaque : .plain
            var fallback = 0
            if column.role == .referenceEntity {
                kind = .entity
                let owner = model.entities[column.declaringEntityIndex]
                fallback =
                    owner.property(named: column.property)?.relationship?.destinationIndex ?? 0
            }
            slots.append(
                Slot(
                    cell: offset + RowLayout.firstPropertyColumn, kind: kind, fallback: fallback))
            names.append(column.name)
        }
        columns = names.map { "t0." + SQLFragment.quoted($0) }.joined(separator: ", ")
        columnCount = names.count
        self.slots = slots
        hasEntityColumn = table.hasEntityColumn
        entityIndex = entity.rootIndex
        layout = entity.layout
    }
}
