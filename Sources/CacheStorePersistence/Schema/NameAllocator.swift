// SPDX-License-Identifier: MIT

/// Gives out names that SQLite takes for different ones.
///
/// SQLite does not tell the case of names apart, and models do: the second of two names that differ
/// in nothing else gets a number. The same requests in the same order always give the same names.
struct NameAllocator {
    private var used: Set<String>

    /// Names that rows use for themselves, and those that SQLite has for the row number.
    static let reservedColumns = ["_id", "_entity", "_version", "rowid", "oid", "_rowid_"]

    init(reserved: [String] = []) {
        used = Set(reserved.map { $0.lowercased() })
    }

    mutating func take(_ name: String) -> String {
        var candidate = name
        var number = 2
        while !used.insert(candidate.lowercased()).inserted {
            candidate = "\(name)_\(number)"
            number += 1
        }
        return candidate
    }

    /// A name for a table or an index, out of the way of SQLite's own and the store's own tables.
    mutating func takeTable(_ name: String) -> String {
        let lowercased = name.lowercased()
        let isReserved = ["sqlite_", "cachestore_"].contains { lowercased.hasPrefix($0) }
        return take(isReserved ? "entity_" + name : name)
    }
}
