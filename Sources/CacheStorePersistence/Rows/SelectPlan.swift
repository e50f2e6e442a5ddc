// SPDX-License-Identifier: MIT

import CCacheStoreShims
import CacheStoreModel
import CacheStoreSQLite

/// Which columns a fetch of an entity selects, and where each goes in a packed row.
struct SelectPlan: Sendable {
    /// The list of columns of the table under the alias `t0`: key, version, entity where the table
    /// has one, and those of the properties.
    let columns: String
    let hasEntityColumn: Bool
    /// The entity of every row, where the table does not say.
    let entityIndex: Int
    /// The form of rows with these columns.
    let form: RowForm
    /// The form of rows that have the key of an owner behind these columns.
    let formWithOwner: RowForm

    /// The cells of properties that no object of the entity can have are left out.
    init(entity: Entity, schema: SQLiteSchema, numbers: EntityNumbers) {
        let table = schema.table(of: entity)
        let model = schema.model
        var names = ["_id", "_version"]
        var slots = [
            Self.slot(RowLayout.keyColumn, CACHESTORE_SLOT_INTEGER),
            Self.slot(RowLayout.versionColumn, CACHESTORE_SLOT_INTEGER),
        ]
        if table.hasEntityColumn {
            names.append("_entity")
            slots.append(
                Self.slot(
                    RowLayout.entityColumn, CACHESTORE_SLOT_OWN_ENTITY, fallback: entity.rootIndex))
        }
        var relevant = Set(entity.familyIndexes)
        var ancestor = entity.parentIndex
        while let index = ancestor {
            relevant.insert(index)
            ancestor = model.entities[index].parentIndex
        }
        for (offset, column) in table.columns.enumerated()
        where relevant.contains(column.declaringEntityIndex) {
            var kind = column.isOpaque ? CACHESTORE_SLOT_OPAQUE : CACHESTORE_SLOT_PLAIN
            var fallback = 0
            if column.role == .referenceEntity {
                kind = CACHESTORE_SLOT_ENTITY
                // For an entity that the model does not know: the one the relationship leads to.
                let owner = model.entities[column.declaringEntityIndex]
                fallback =
                    owner.property(named: column.property)?.relationship?.destinationIndex ?? 0
            }
            slots.append(
                Self.slot(offset + RowLayout.firstPropertyColumn, kind, fallback: fallback))
            names.append(column.name)
        }
        columns = names.map { "t0." + SQLFragment.quoted($0) }.joined(separator: ", ")
        hasEntityColumn = table.hasEntityColumn
        entityIndex = entity.rootIndex
        let ownEntity = table.hasEntityColumn ? nil : entityIndex
        form = RowForm(
            layout: entity.layout, slots: slots, ownEntity: ownEntity, numbers: numbers,
            extraCells: 0)
        formWithOwner = RowForm(
            layout: entity.layout,
            slots: slots + [Self.slot(entity.layout.cellCount, CACHESTORE_SLOT_INTEGER)],
            ownEntity: ownEntity, numbers: numbers, extraCells: 1)
    }

    private static func slot(
        _ cell: Int, _ kind: some BinaryInteger, fallback: Int = 0
    ) -> cachestore_row_slot {
        cachestore_row_slot(
            cell: Int32(cell), kind: Int32(kind), fallback: Int32(truncatingIfNeeded: fallback))
    }

    /// What to select, in the form that was asked for or, where there are too many columns for a
    /// call, as columns.
    ///
    /// With a call no column passes through SQLite's interface on its own.
    func selection(
        _ wanted: RowSelection, owner: String? = nil
    ) -> (sql: String, selection: RowSelection) {
        let columns = owner.map { "\(self.columns), \($0)" } ?? self.columns
        let form = owner == nil ? form : formWithOwner
        guard form.columnCount <= Self.longestCall else { return (columns, .columns) }
        return switch wanted {
        case .columns: (columns, .columns)
        case .rowCall: ("cachestore_row(\(columns))", .rowCall)
        case .tableCall: ("cachestore_rows(\(columns))", .tableCall)
        }
    }

    /// The most arguments of a call, by default (https://sqlite.org/limits.html#max_function_arg).
    private static let longestCall = 127
}
