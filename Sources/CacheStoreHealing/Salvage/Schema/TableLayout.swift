// SPDX-License-Identifier: MIT

import CacheStoreSQLite

/// Where a table's rows have their columns, as SQLite understands the table's definition.
struct TableLayout {
    struct Column: Hashable {
        let name: String
        let affinity: Affinity
        let isRequired: Bool
        /// The row number itself, which a row does not repeat.
        let isRowID: Bool
        /// Computed by SQLite, so that it cannot be given a value.
        let isGenerated: Bool
    }

    /// https://sqlite.org/datatype3.html#type_affinity
    enum Affinity {
        case integer, real, text, numeric, none

        init(declared: String) {
            let type = declared.uppercased()
            if type.contains("INT") {
                self = .integer
            } else if ["CHAR", "CLOB", "TEXT"].contains(where: { type.contains($0) }) {
                self = .text
            } else if type.isEmpty || type.contains("BLOB") {
                self = .none
            } else if ["REAL", "FLOA", "DOUB"].contains(where: { type.contains($0) }) {
                self = .real
            } else {
                self = .numeric
            }
        }

        func allows(_ content: Record.Field.Content) -> Bool {
            switch (self, content) {
            case (.none, _), (_, .null): true
            case (.integer, .integer), (.integer, .real): true
            case (.real, .integer), (.real, .real): true
            case (.text, .text): true
            case (.numeric, .integer), (.numeric, .real), (.numeric, .text): true
            default: false
            }
        }
    }

    let name: String
    /// Whether the rows are in a tree of their own key, not of row numbers.
    let isWithoutRowID: Bool
    /// In the order in which rows have them.
    let columns: [Column]
    /// The name by which the row number can be given a value.
    let rowIDName: String?

    init(of name: String, in connection: Connection) throws {
        self.name = name
        isWithoutRowID =
            try connection.prepare("SELECT wr FROM pragma_table_list WHERE name = \(name)")
            .first { $0.int64(at: 0) } == 1
        let index = try connection.prepare(
            "SELECT name FROM pragma_index_list(\(name)) WHERE origin = 'pk'"
        ).first { $0.text(at: 0) }.flatMap { $0 }
        var columns: [Column] = []
        var keys = 0
        try connection.prepare(
            """
            SELECT name, type, "notnull", pk, hidden FROM pragma_table_xinfo(\(name)) \
            WHERE hidden IN (0, 2, 3) ORDER BY cid
            """
        ).rows { row in
            let isVirtual = row.int64(at: 4) == 2
            if row.int64(at: 3) > 0 { keys += 1 }
            let declared = row.text(at: 1) ?? ""
            columns.append(
                Column(
                    name: row.text(at: 0) ?? "", affinity: Affinity(declared: declared),
                    isRequired: row.int64(at: 2) != 0,
                    // Without an index of its own the key is the row number
                    // (https://sqlite.org/lang_createtable.html#rowid).
                    isRowID: row.int64(at: 3) == 1 && index == nil
                        && declared.uppercased() == "INTEGER",
                    isGenerated: isVirtual || row.int64(at: 4) == 3))
            // Virtual columns are in no row.
            if isVirtual { columns.removeLast() }
        }
        if keys != 1 || isWithoutRowID {
            columns = columns.map { column in
                Column(
                    name: column.name, affinity: column.affinity, isRequired: column.isRequired,
                    isRowID: false, isGenerated: column.isGenerated)
            }
        }
        if isWithoutRowID, let index {
            // The key comes first, then the rest (https://sqlite.org/fileformat2.html
            // #representation_of_sql_indices).
            var order: [String] = []
            try connection.prepare(
                "SELECT name FROM pragma_index_xinfo(\(index)) ORDER BY seqno"
            ).rows { row in
                if let name = row.text(at: 0) { order.append(name) }
            }
            columns = order.compactMap { name in columns.first { $0.name == name } }
        }
        self.columns = columns
        let taken = Set(columns.map { $0.name.lowercased() })
        rowIDName =
            isWithoutRowID
            ? nil
            : columns.first { $0.isRowID }?.name
                ?? ["rowid", "_rowid_", "oid"].first { !taken.contains($0) }
    }

    /// Whether a row can be one of this table.
    ///
    /// - Parameter exactly: whether it has all columns; rows from before a column was added do not.
    func allows(_ record: Record, exactly: Bool) -> Bool {
        guard exactly ? record.fields.count == columns.count : record.fields.count <= columns.count
        else { return false }
        return zip(columns, record.fields).allSatisfy { column, field in
            if column.isRowID {
                if case .null = field.content { return true }
                return false
            }
            if column.isRequired, case .null = field.content { return false }
            return column.affinity.allows(field.content)
        }
    }
}
