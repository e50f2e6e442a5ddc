// SPDX-License-Identifier: MIT

/// The objects of one hierarchy in one context, by key: open addressing over integers.
///
/// The table does not retain its objects; each takes itself out when it is deallocated. Keys are
/// spread by a multiplicative hash, and removal moves later entries back, so there are no tombstones.
struct ObjectTable: ~Copyable {
    private struct Entry {
        var key: Int64
        var object: Unmanaged<ManagedObject>
    }

    // Owned by the table, freed in deinit.
    private var entries: UnsafeMutablePointer<Entry?>
    private var capacity: Int
    private var shift: Int
    private(set) var count = 0

    init() {
        capacity = 16
        shift = 60
        entries = .allocate(capacity: capacity)
        entries.initialize(repeating: nil, count: capacity)
    }

    deinit { entries.deallocate() }

    @inline(__always)
    private func home(_ key: Int64) -> Int {
        // 2^64 divided by the golden ratio: neighbouring keys land far apart.
        Int(truncatingIfNeeded: (UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) >> UInt64(shift))
    }

    func object(for key: Int64) -> ManagedObject? {
        var index = home(key)
        while let entry = entries[index] {
            if entry.key == key { return entry.object.takeUnretainedValue() }
            index = (index &+ 1) & (capacity &- 1)
        }
        return nil
    }

    mutating func insert(_ object: ManagedObject, for key: Int64) {
        if count &* 4 >= capacity &* 3 { grow() }
        place(Entry(key: key, object: Unmanaged.passUnretained(object)))
        count += 1
    }

    private mutating func place(_ entry: Entry) {
        var index = home(entry.key)
        while entries[index] != nil { index = (index &+ 1) & (capacity &- 1) }
        entries[index] = entry
    }

    private mutating func grow() {
        let old = entries
        let oldCapacity = capacity
        capacity *= 2
        shift -= 1
        entries = .allocate(capacity: capacity)
        entries.initialize(repeating: nil, count: capacity)
        for index in 0..<oldCapacity {
            if let entry = old[index] { place(entry) }
        }
        old.deallocate()
    }

    /// Takes an object out, if it is the one that is registered under the key.
    mutating func remove(_ object: ManagedObject, key: Int64) {
        var index = home(key)
        while let entry = entries[index] {
            if entry.key == key {
                guard entry.object.toOpaque() == Unmanaged.passUnretained(object).toOpaque()
                else { return }
                removeEntry(at: index)
                return
            }
            index = (index &+ 1) & (capacity &- 1)
        }
    }

    private mutating func removeEntry(at removed: Int) {
        var hole = removed
        var index = removed
        while true {
            index = (index &+ 1) & (capacity &- 1)
            guard let entry = entries[index] else { break }
            let distance = (index &- home(entry.key)) & (capacity &- 1)
            if distance >= (index &- hole) & (capacity &- 1) {
                entries[hole] = entry
                hole = index
            }
        }
        entries[hole] = nil
        count -= 1
    }

    func forEach(_ body: (ManagedObject) -> Void) {
        for index in 0..<capacity {
            if let entry = entries[index] { body(entry.object.takeUnretainedValue()) }
        }
    }
}
