// SPDX-License-Identifier: MIT

extension [Double] {
    /// The value in the middle, or the mean of the two in the middle; zero if there are none.
    var median: Double {
        guard !isEmpty else { return 0 }
        let sorted = self.sorted()
        let middle = count / 2
        return count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
