// SPDX-License-Identifier: MIT

import CacheStoreSQLite

/// What became of the rows of a damaged database.
package struct SalvageReport: Sendable, Hashable {
    /// The rows of one table.
    package struct Rows: Sendable, Hashable {
        /// Taken over, all of it from pages whose checksum fits.
        package var kept = 0
        /// Taken over, but nothing proves that they are as they were: the pages have no checksums, or
        /// another program has written them, or a page is damaged that looks right where the row is.
        package var doubtful = 0
        /// Gone. Those on pages that do not even say how many they had are estimated, by what other
        /// pages of the table have.
        package var lost = 0

        /// Taken over, but for a reference to a row that is lost, which is empty now.
        package var repaired = 0

        package init(kept: Int = 0, doubtful: Int = 0, lost: Int = 0, repaired: Int = 0) {
            self.kept = kept
            self.doubtful = doubtful
            self.lost = lost
            self.repaired = repaired
        }

        /// Counts rows that were taken over as something else, the proven ones first.
        mutating func move(_ count: Int, to target: WritableKeyPath<Rows, Int>) {
            let proven = min(count, kept)
            kept -= proven
            let others = min(count - proven, doubtful)
            doubtful -= others
            self[keyPath: target] += proven + others
        }
    }

    /// By table; tables of SQLite itself are not among them.
    package internal(set) var tables: [String: Rows] = [:]
    /// Rows that were read but belong to a table that could not be told, and an estimate of those on
    /// damaged pages that nothing leads to.
    package internal(set) var unassignedRows = 0
    /// An estimate of the doubtful rows that are not as they were: of each damaged page that rows were
    /// taken from, one, where none is known to be lost.
    var alteredRows = 0
    /// The pages of the database, and how many of them are damaged.
    package internal(set) var pageCount = 0
    package internal(set) var damagedPages = 0
    /// Whether the definitions of tables were read where the database has them, to the last.
    package internal(set) var schemaWasComplete = false
    /// What could not be made anew, one sentence each. Names only, no data.
    package internal(set) var notes: [String] = []

    /// The entries of the indexes that were asked for: texts, integers, and nothing for the rest.
    var indexEntries: [String: [[SQLBinding]]] = [:]

    package var total: Rows {
        tables.values.reduce(into: Rows()) { sum, rows in
            sum.kept += rows.kept
            sum.doubtful += rows.doubtful
            sum.lost += rows.lost
            sum.repaired += rows.repaired
        }
    }

    /// An estimate of the share of rows that are as they were, from 0 to 1.
    package var score: Double {
        let total = total
        let taken = total.kept + total.doubtful
        let all = taken + total.repaired + total.lost + unassignedRows
        return all == 0
            ? (damagedPages == 0 ? 1 : 0) : Double(taken - min(taken, alteredRows)) / Double(all)
    }
}
