// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreSQLite
import Foundation

extension GraphChecker {
    /// Compares the files of large values with the rows that name them.
    ///
    /// - Parameters:
    ///   - present: the files that are there; listed while no save with large values was under way,
    ///     or nothing that is missing or left over is really so.
    ///   - damaged: files whose content was found to be wrong.
    ///   - unfinished: how many files were never finished; they count as left over.
    ///   - isComplete: whether files that no row names are to be counted.
    /// - Returns: what rows name and is there, and the names of files that no row names.
    func checkFiles(
        present: Set<UUID>, damaged: Set<UUID>, unfinished: Int, isComplete: Bool
    ) throws -> (named: Set<EncodedValue.ExternalReference>, orphans: Set<UUID>) {
        var named: Set<EncodedValue.ExternalReference> = []
        var orphans = present
        var count = 0
        for entity in model.entities {
            for property in map.externals[entity.index]
            where property.declaringEntityIndex == entity.index {
                for use in try uses(of: property, in: entity) {
                    count += 1
                    let isThere = present.contains(use.reference.name)
                    if isThere, !damaged.contains(use.reference.name) {
                        named.insert(use.reference)
                        orphans.remove(use.reference.name)
                    } else if note(
                        isThere ? .damagedFile : .missingFile, entity, property.name,
                        isRepairable: property.isOptional)
                    {
                        try empty(property, of: use.row, in: entity)
                    } else {
                        orphans.remove(use.reference.name)
                    }
                }
            }
        }
        noteFiles(named: count, searchedForOrphans: isComplete)
        if isComplete, orphans.count + unfinished > 0 {
            _ = note(.orphanedFile, nil, count: orphans.count + unfinished)
        }
        return (named, isComplete ? orphans : [])
    }

    /// Counts the uses of files whose content is wrong, without a repair.
    func noteDamagedFiles(_ damaged: Set<UUID>) throws {
        for entity in model.entities {
            for property in map.externals[entity.index]
            where property.declaringEntityIndex == entity.index {
                for use in try uses(of: property, in: entity)
                where damaged.contains(use.reference.name) {
                    _ = note(
                        .damagedFile, entity, property.name, isRepairable: property.isOptional)
                }
            }
        }
    }

    private struct Use {
        let row: Row
        let reference: EncodedValue.ExternalReference
    }

    private func uses(of property: Property, in entity: Entity) throws -> [Use] {
        guard let cell = property.column else { return [] }
        let table = map.schema.table(of: entity)
        let column = "t.\(quoted(table.column(ofCell: cell).name))"
        // The length is known without reading the value.
        return try collect(
            """
            SELECT t."_id", t."_version", \(entityColumn(table, alias: "t")), \(column) \
            FROM \(quoted(table.name)) AS t \
            WHERE typeof(\(column)) = 'blob' AND length(\(column)) = \(EncodedValue.externalLength)
            """
        ) { row -> Use? in
            guard case .external(let reference)? = row.withBlob(at: 3, { EncodedValue($0) }) else {
                return nil
            }
            return Use(
                row: Row(
                    key: row.int64(at: 0), version: row.int64(at: 1),
                    entity: entityIndex(row.int64(at: 2), in: table)),
                reference: reference)
        }.compactMap { $0 }
    }

    private func empty(_ property: Property, of row: Row, in entity: Entity) throws {
        guard let cell = property.column else { return }
        let table = map.schema.table(of: entity)
        try run(
            "UPDATE \(quoted(table.name)) SET \(quoted(table.column(ofCell: cell).name)) = NULL, "
                + "\"_version\" = \"_version\" + 1 WHERE \"_id\" = ?", [.integer(row.key)])
        noteUpdate(of: row, property, to: .null)
    }
}
