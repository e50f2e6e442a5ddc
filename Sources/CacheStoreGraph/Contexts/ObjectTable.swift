// SPDX-License-Identifier: MIT

/// The objects of one hierarchy in one context, by key: open addressing over integers.
///
/// The table does not retain its objects; each takes itself out when it is deallocated.
///
/// Keys are given out in sequence, so neighbours in the store are neighbours in the table: eight of
/// them share two lines of the processor's cache. The eights are spread by a multiplicative hash,
/// because runs of keys are dense: two whole runs on top of each other (new objects and saved ones,
/// say) would make every search as long as the run. An entry is placed before those that are nearer
/// to their home (Robin Hood hashing), so a search ends early, and a removal moves few entries and
/// leaves no tombstones.
struct ObjectTable: ~Copyable {
    private struct Entry {
        var key: Int64
        var object: Unmanaged<ManagedObject>
    }

    // Owned by the table, freed in deinit.
    private var entries: UnsafeMutablePointer<Entry?>
    private var mask: Int
    private var shift: UInt64
    private(set) var count = 0

    init() {
        mask = 15
        shift = 63
        entries = .allocate(capacity: 16)
        entries.initialize(repeating: nil, count: 16)
    }

    deinit { entries.deallocate() }

    @inline(__always)
    private func home(_ key: Int64) -> Int {
        // 2^64 divided by the golden ratio: neighbouring eights land far apart.
        let group = (UInt64(bitPattern: key >> 3) &* 0x9E37_79B9_7F4A_7C15) >> shift
        return Int(truncatingIfNeeded: group << 3 | UInt64(bitPattern: key & 7))
    }

    /// How far an entry is from its home.
    @inline(__always)
    private func distance(_ key: Int64, at index: Int) -> Int { (index &- home(key)) & mask }

    private func find(_ key: Int64) -> Int? {
        var index = home(key)
        var probes = 0
        while let entry = entries[index] {
            if entry.key == key { return index }
            if distance(entry.key, at: index) < probes { return nil }
            index = (index &+ 1) & mask
            probes &+= 1
        }
        return nil
    }

    func object(for key: Int64) -> ManagedObject? {
        find(key).flatMap { entries[$0]?.object.takeUnretainedValue() }
    }

    /// Registers an object under a key that is not in use.
    mutating func insert(_ object: ManagedObject, for key: Int64) {
        if count &* 8 >= mask &* 5 { grow() }
        place(Entry(key: key, object: Unmanaged.passUnretained(object)))
        count += 1
    }

    private mutating func place(_ new: Entry) {
        var new = new
        var index = home(new.key)
        var probes = 0
        while let entry = entries[index] {
            let distance = distance(entry.key, at: index)
            if distance < probes {
                entries[index] = new
                new = entry
                probes = distance
            }
            index = (index &+ 1) & mask
            probes &+= 1
        }
        entries[index] = new
    }

    /// Makes room for so many objects more, in one step.
    mutating func reserve(_ additional: Int) {
        var doublings = 0
        // The same bound as that of a single insertion.
        while (count + additional) * 8 >= (((mask + 1) << doublings) - 1) * 5 { doublings += 1 }
        if doublings > 0 { grow(doublings: doublings) }
    }

    private mutating func grow(doublings: Int = 1) {
        let old = entries
        let oldCapacity = mask + 1
        let capacity = oldCapacity << doublings
        mask = capacity - 1
        shift -= UInt64(doublings)
        entries = .allocate(capacity: capacity)
        entries.initialize(repeating: nil, count: capacity)
        for index in 0..<oldCapacity {
            if let entry = old[index] { place(entry) }
        }
        old.deallocate()
    }

    /// Takes an object out, if it is the one that is registered under the key.
    mutating func remove(_ object: ManagedObject, key: Int64) {
        guard var index = find(key),
            entries[index]?.object.toOpaque() == Unmanaged.passUnretained(object).toOpaque()
        else { return }
        // Entries that are not at home move one place nearer to it.
        var next = (index &+ 1) & mask
        while let entry = entries[next], distance(entry.key, at: next) > 0 {
            entries[index] = entry
            index = next
            next = (next &+ 1) & mask
        }
        entries[index] = nil
        count -= 1
    }

    /// How far from its home the farthest entry is: the length of the longest search.
    var longestDistance: Int {
        var longest = 0
        for index in 0...mask {
            if let entry = entries[index] { longest = max(longest, distance(entry.key, at: index)) }
        }
        return longest
    }

    func forEach(_ body: (ManagedObject) -> Void) {
        for index in 0...mask {
            if let entry = entries[index] { body(entry.object.takeUnretainedValue()) }
        }
    }
}
