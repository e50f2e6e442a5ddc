// SPDX-License-Identifier: MIT

/// The objects of a fetch with a batch size, by key and in its order.
final class FaultGroup {
    private let keys: ContiguousArray<Int64>
    private let batchSize: Int

    init(keys: ContiguousArray<Int64>, batchSize: Int) {
        self.keys = keys
        self.batchSize = batchSize
    }

    /// The keys of the batch that the object at a place is in.
    func keys(around position: Int) -> ArraySlice<Int64> {
        let start = position / batchSize * batchSize
        guard start < keys.count else { return [] }
        return ArraySlice(keys[start..<min(start + batchSize, keys.count)])
    }
}
