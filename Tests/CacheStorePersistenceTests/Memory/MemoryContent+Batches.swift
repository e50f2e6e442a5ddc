// SPDX-License-Identifier: MIT

import CacheStoreModel

@testable import CacheStorePersistence

extension MemoryContent {
    private static let rowsPerBatch = 512

    /// Rows packed in their order; with an owner each has its key in an extra cell.
    func batches(
        of entity: Entity, _ rows: [(key: Int64, owner: Int64?)]
    ) -> [RowBatch] {
        stride(from: 0, to: rows.count, by: Self.rowsPerBatch).compactMap { start in
            let slice = rows[start..<min(start + Self.rowsPerBatch, rows.count)]
            let hasOwner = slice.first?.owner != nil
            var builder = RowBatchBuilder(
                layout: entity.layout, extraCells: hasOwner ? 1 : 0, expectedRows: slice.count)
            for (key, owner) in slice {
                guard let row = row(of: entity, key: key) else { continue }
                builder.beginRow()
                fill(&builder, key: key, row)
                if let owner { builder.set(entity.layout.cellCount, integer: owner) }
            }
            return builder.finish()
        }
    }

    func batch(of entity: Entity, key: Int64) -> RowBatch? {
        guard row(of: entity, key: key) != nil else { return nil }
        return batches(of: entity, [(key, nil)]).first
    }

    private func fill(_ builder: inout RowBatchBuilder, key: Int64, _ row: Row) {
        builder.set(RowLayout.keyColumn, integer: key)
        builder.set(RowLayout.entityColumn, integer: Int64(row.entityIndex))
        builder.set(RowLayout.versionColumn, integer: row.version)
        for property in model.entities[row.entityIndex].properties {
            guard let column = property.column else { continue }
            let value = row.values[property.index]
            builder.set(column, value: value)
            if let entityColumn = property.entityColumn, case .object(let id) = value {
                builder.set(entityColumn, integer: Int64(id.entityIndex))
            }
        }
    }
}
