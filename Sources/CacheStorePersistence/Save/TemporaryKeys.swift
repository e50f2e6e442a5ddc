// SPDX-License-Identifier: MIT

import CacheStoreModel

/// The keys that temporary ones are replaced by.
///
/// A process gives out temporary keys one after the other, so those of one save mostly lie close
/// together: then an array serves instead of a dictionary.
struct TemporaryKeys {
    private var highest: Int64 = 0
    private var dense: [Int64] = []
    private var sparse: [Int64: Int64] = [:]
    private var isDense = false

    init(for insertions: [ChangeSet.Insertion]) {
        var lowest = Int64.max
        var highest = Int64.min
        var count: Int64 = 0
        for insertion in insertions where insertion.id.key < 0 {
            lowest = min(lowest, insertion.id.key)
            highest = max(highest, insertion.id.key)
            count += 1
        }
        guard count > 0 else { return }
        self.highest = highest
        let span = highest.subtractingReportingOverflow(lowest)
        isDense = !span.overflow && span.partialValue < 4 * count + 64
        if isDense {
            dense = [Int64](repeating: 0, count: Int(span.partialValue) + 1)
        } else {
            sparse.reserveCapacity(Int(count))
        }
    }

    mutating func set(_ key: Int64, for temporary: Int64) {
        if isDense {
            dense[Int(highest - temporary)] = key
        } else {
            sparse[temporary] = key
        }
    }

    /// The key, or `nil` for an object that is not inserted by this save.
    func key(for temporary: Int64) -> Int64? {
        guard isDense else { return sparse[temporary] }
        guard temporary <= highest, highest - temporary < Int64(dense.count) else { return nil }
        let key = dense[Int(highest - temporary)]
        return key == 0 ? nil : key
    }
}
