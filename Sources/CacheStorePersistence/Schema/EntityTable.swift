// SPDX-License-Identifier: MIT

package import CacheStoreModel
import CacheStoreSQLite

/// The table of one hierarchy of entities.
package struct EntityTable: Sendable {
    /// The column of one cell of the hierarchy's row layout.
    package struct Column: Sendable, Hashable {
        package let name: String
        /// `INTEGER`, `REAL`, `TEXT` or `BLOB`.
        package let declaredType: String
        package let property: String
        package let declaringEntityIndex: Int
        package let role: RowLayout.Column.Role

        /// Whether values are stored in a form that SQL can make nothing of.
        var isOpaque: Bool {
            guard case .attribute(_, let options) = role else { return false }
            return !options.isDisjoint(with: [.compressed, .externalStorage])
        }
    }

    /// The column with a row's place among the members of an ordered one-to-many relationship.
    package struct Position: Sendable, Hashable {
        package let name: String
        /// The cell of the to-one relationship that leads back to the owner.
        package let referenceCell: Int
        package let property: String
        package let declaringEntityIndex: Int
    }

    package let rootIndex: Int
    package let name: String
    package let hasEntityColumn: Bool
    /// One for each column of the hierarchy's row layout, in its order.
    package let columns: [Column]
    package let positions: [Position]

    init(
        root: Entity, ordered: [Position], name: String
    ) {
        rootIndex = root.index
        self.name = name
        hasEntityColumn = root.hasSubentities
        var names = NameAllocator(reserved: NameAllocator.reservedColumns)
        // Properties first, so that none of them loses its name to a column of the store's own.
        var taken: [Int: String] = [:]
        for (index, column) in root.layout.columns.enumerated()
        where column.role != .referenceEntity {
            taken[index] = names.take(column.property)
        }
        for (index, column) in root.layout.columns.enumerated()
        where column.role == .referenceEntity {
            taken[index] = names.take(column.property + "_entity")
        }
        columns = root.layout.columns.enumerated().map { index, column in
            Column(
                name: taken[index] ?? column.property, declaredType: Self.declaredType(column.role),
                property: column.property, declaringEntityIndex: column.declaringEntityIndex,
                role: column.role)
        }
        positions = ordered.map {
            Position(
                name: names.take($0.name), referenceCell: $0.referenceCell, property: $0.property,
                declaringEntityIndex: $0.declaringEntityIndex)
        }
    }

    /// The column of a cell of the layout that is not one of the three first.
    func column(ofCell cell: Int) -> Column { columns[cell - RowLayout.firstPropertyColumn] }

    /// The position column beside a to-one relationship whose inverse is ordered.
    func position(ofCell cell: Int) -> Position? {
        positions.first { $0.referenceCell == cell }
    }

    private static func declaredType(_ role: RowLayout.Column.Role) -> String {
        guard case .attribute(let type, _) = role else { return "INTEGER" }
        switch type.kind {
        case .double, .float, .date: return "REAL"
        case .decimal, .string, .url: return "TEXT"
        case .binaryData, .uuid, .transformable: return "BLOB"
        default: return "INTEGER"
        }
    }

    /// The definitions of all columns, by name, in the order of the table.
    var definitions: [(name: String, definition: String)] {
        var definitions = [("_id", "INTEGER PRIMARY KEY")]
        if hasEntityColumn { definitions.append(("_entity", "INTEGER NOT NULL")) }
        definitions.append(("_version", "INTEGER NOT NULL"))
        definitions += columns.map { ($0.name, $0.declaredType) }
        definitions += positions.map { ($0.name, "INTEGER") }
        return definitions
    }

    var createStatement: String {
        let list = definitions.map { "\(SQLFragment.quoted($0.name)) \($0.definition)" }
        return "CREATE TABLE \(SQLFragment.quoted(name)) (\(list.joined(separator: ", ")))"
    }
}
