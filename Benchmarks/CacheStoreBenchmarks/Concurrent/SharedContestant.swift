// SPDX-License-Identifier: MIT

/// A store of the sample rows that several threads use at once.
protocol SharedContestant: Sendable {
    /// What a thread reads with; made on that thread.
    func makeReader() throws -> any RowReader
    /// What a thread writes with; made on that thread.
    func makeWriter() throws -> any RowWriter
    /// After all threads have ended.
    func close() throws
}

/// Reads rows on one thread.
protocol RowReader: AnyObject {
    /// Gets a row that is not in memory by its ID, and reads every field; its checksum.
    func read(at position: Int) throws -> UInt64
}

/// Changes rows on one thread.
protocol RowWriter: AnyObject {
    /// Adds one to the rating of some rows, in one transaction.
    func change(at positions: [Int]) throws
}
