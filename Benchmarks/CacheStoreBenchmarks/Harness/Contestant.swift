// SPDX-License-Identifier: MIT

import Foundation

/// A way to keep the sample rows. All contestants do the same work, on the main thread, in one
/// process, with the same settings of the database.
@MainActor
protocol Contestant: AnyObject {
    /// Opens the store in a folder, and makes one where there is none.
    func open(in folder: URL) throws

    /// Closes the store cleanly: everything is in the database file, no log is left beside it.
    func close() throws

    /// Reads one row of what the store says about itself.
    func readMetadata() throws -> UInt64

    /// Whether the store was opened as it was left, and has the rows with the serial numbers up to a
    /// count.
    func isWhole(rowCount: Int) throws -> Bool

    /// Inserts rows in one transaction.
    func insert(_ rows: [SampleRow]) throws

    /// Fetches every row into memory, then reads every field of each; the sum of the checksums.
    func fetchAndReadAll() throws -> UInt64

    /// Fetches every row into memory, then reads one field of each; the sum of the fields.
    func fetchAndReadOne() throws -> UInt64

    /// Fetches a row for each name, one request a name; the sum of the checksums.
    func lookUp(_ names: [String]) throws -> UInt64

    /// Gets hold of the IDs of all rows, in the order of the serial numbers, and of nothing else.
    func rememberIDs() throws

    /// Fetches a row for each of the remembered IDs at the given places, one by one; the sum of the
    /// checksums.
    func lookUpIDs(at positions: [Int]) throws -> UInt64

    /// Gets hold of the rows with the lowest serial numbers, to change or delete them next.
    func select(first count: Int) throws

    /// Gets hold of the rows with some names, to change them next.
    func select(named names: [String]) throws

    /// Adds one to the rating of each selected row, in one transaction.
    func updateSelection() throws

    /// Deletes the selected rows, in one transaction.
    func deleteSelection() throws
}
