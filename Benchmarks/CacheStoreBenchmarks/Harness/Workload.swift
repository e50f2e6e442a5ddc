// SPDX-License-Identifier: MIT

/// The data of a run.
struct Workload: Sendable {
    let rows: [SampleRow]
    /// The names to look up, in no order.
    let names: [String]
    /// The places of the rows to look up by ID, counted in the order of their serial numbers; in no
    /// order, and each once, so that no row is in memory already.
    let positions: [Int]
    /// The number of rows that are changed, or deleted.
    let changeCount: Int

    init(rowCount: Int) {
        rows = SampleRow.make(count: rowCount)
        var random = SplitMix64(state: 7)
        let candidates = rows
        names = (0..<rowCount / 10).compactMap { _ in
            candidates.randomElement(using: &random)?.name
        }
        positions = Array((0..<rowCount).shuffled(using: &random).prefix(rowCount / 10))
        changeCount = rowCount / 5
    }
}
