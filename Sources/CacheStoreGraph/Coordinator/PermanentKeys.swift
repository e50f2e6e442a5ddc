// SPDX-License-Identifier: MIT

/// Which permanent key each temporary key became, as runs: a save of many new objects is one entry
/// for each run of consecutive keys.
struct PermanentKeys {
    private struct Run {
        var temporary: Int64
        var permanent: Int64
        var count: Int64
    }

    // Sorted by temporary key, descending: temporary keys count down from zero.
    private var runs: [Run] = []

    var isEmpty: Bool { runs.isEmpty }

    mutating func add(temporary: Int64, permanent: Int64) {
        guard self[temporary] == nil else { return }
        var index = runs.count
        while index > 0, runs[index - 1].temporary < temporary { index -= 1 }
        if index > 0 {
            let before = runs[index - 1]
            if before.temporary - before.count == temporary,
                before.permanent + before.count == permanent
            {
                runs[index - 1].count += 1
                return
            }
        }
        runs.insert(Run(temporary: temporary, permanent: permanent, count: 1), at: index)
    }

    subscript(temporary: Int64) -> Int64? {
        // The last run that starts at or above the key is the only one that can hold it.
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].temporary < temporary { high = middle } else { low = middle + 1 }
        }
        guard low > 0 else { return nil }
        let run = runs[low - 1]
        let distance = run.temporary - temporary
        return distance < run.count ? run.permanent + distance : nil
    }
}
