// SPDX-License-Identifier: MIT

/// A dictionary of a handful of entries: they are compared one by one, which is quicker than hashing
/// a key. The pool looks into one at each read.
struct LinearMap<Key: Equatable, Value> {
    private var entries: [(key: Key, value: Value)] = []

    var isEmpty: Bool { entries.isEmpty }
    var values: [Value] { entries.map(\.value) }

    subscript(key: Key) -> Value? {
        get { entries.first { $0.key == key }?.value }
        set {
            let index = entries.firstIndex { $0.key == key }
            switch (index, newValue) {
            case (let index?, let value?): entries[index].value = value
            case (let index?, nil):
                // The order means nothing, so the last entry fills the gap.
                entries.swapAt(index, entries.count - 1)
                entries.removeLast()
            case (nil, let value?): entries.append((key, value))
            case (nil, nil): break
            }
        }
    }
}
