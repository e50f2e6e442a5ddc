// SPDX-License-Identifier: MIT

/// The objects of one hierarchy in one context, by key.
///
/// The table does not retain its objects; each takes itself out when it is deallocated.
///
/// Keys are given out in sequence, so objects come in runs of neighbours. Eight neighbouring keys
/// share a group, one line of the processor's cache, in which each has its own place; the groups are
/// found by open addressing over their numbers. So of eight objects in a row seven are found where
/// the first was, and a removal moves nothing: it empties a place. A group that has become empty
/// keeps its number until the table is built anew.
struct ObjectTable: ~Copyable {
    private typealias Place = Unmanaged<ManagedObject>?

    /// How many keys share a group.
    private static let groupSize = 8
    private static let smallestCapacity = 16
    /// No key divided by the size of a group gives this.
    private static let noGroup = Int64.min

    // Both owned by the table, freed in deinit: the number of the group in each place, and the eight
    // objects of each.
    private var numbers: UnsafeMutablePointer<Int64>
    private var objects: UnsafeMutablePointer<Place>
    private var mask: Int
    private var shift: UInt64
    /// Groups that have a number, with or without objects.
    private var groupCount = 0
    private(set) var count = 0

    init() {
        (numbers, objects) = Self.allocate(Self.smallestCapacity)
        mask = Self.smallestCapacity - 1
        shift = UInt64(64 - Self.smallestCapacity.trailingZeroBitCount)
    }

    deinit {
        numbers.deallocate()
        objects.deallocate()
    }

    private static func allocate(
        _ capacity: Int
    ) -> (UnsafeMutablePointer<Int64>, UnsafeMutablePointer<Place>) {
        let numbers = UnsafeMutablePointer<Int64>.allocate(capacity: capacity)
        numbers.initialize(repeating: noGroup, count: capacity)
        let objects = UnsafeMutablePointer<Place>.allocate(capacity: capacity * groupSize)
        objects.initialize(repeating: nil, count: capacity * groupSize)
        return (numbers, objects)
    }

    @inline(__always)
    private func home(_ number: Int64) -> Int {
        // 2^64 divided by the golden ratio: neighbouring groups land far apart, so that two dense
        // runs of keys (new objects and saved ones, say) do not lie on top of each other.
        Int(truncatingIfNeeded: (UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15) >> shift)
    }

    /// Where the group with a number is, or the free place where its search ended.
    @inline(__always)
    private func search(_ number: Int64) -> Int {
        var index = home(number)
        while numbers[index] != number, numbers[index] != Self.noGroup {
            index = (index &+ 1) & mask
        }
        return index
    }

    /// The place of a key, if its group is there.
    @inline(__always)
    private func place(_ key: Int64) -> UnsafeMutablePointer<Place>? {
        let group = search(key >> 3)
        guard numbers[group] != Self.noGroup else { return nil }
        return objects + (group &* Self.groupSize &+ Int(truncatingIfNeeded: key & 7))
    }

    func object(for key: Int64) -> ManagedObject? {
        place(key)?.pointee?.takeUnretainedValue()
    }

    /// Registers an object under a key that is not in use.
    mutating func insert(_ object: ManagedObject, for key: Int64) {
        var group = search(key >> 3)
        if numbers[group] == Self.noGroup {
            if groupCount &* 8 >= mask &* 5 {
                rebuild(additionalGroups: 1)
                group = search(key >> 3)
            }
            numbers[group] = key >> 3
            groupCount &+= 1
        }
        objects[group &* Self.groupSize &+ Int(truncatingIfNeeded: key & 7)] =
            Unmanaged.passUnretained(object)
        count &+= 1
    }

    /// Makes room for so many neighbours more, in one step.
    mutating func reserve(_ additional: Int) {
        let groups = additional / Self.groupSize + 1
        if (groupCount + groups) * 8 >= mask * 5 { rebuild(additionalGroups: groups) }
    }

    /// Makes room for more groups, and leaves out those that are empty.
    private mutating func rebuild(additionalGroups: Int) {
        let (oldNumbers, oldObjects, oldCapacity) = (numbers, objects, mask + 1)
        let used = (0..<oldCapacity).filter { group in
            oldNumbers[group] != Self.noGroup
                && (0..<Self.groupSize).contains { oldObjects[group * Self.groupSize + $0] != nil }
        }
        // A third full at most, so that the next rebuilding is far away.
        var capacity = Self.smallestCapacity
        while capacity < (used.count + additionalGroups) * 3 { capacity *= 2 }
        (numbers, objects) = Self.allocate(capacity)
        mask = capacity - 1
        shift = UInt64(64 - capacity.trailingZeroBitCount)
        for group in used {
            let new = search(oldNumbers[group])
            numbers[new] = oldNumbers[group]
            (objects + new * Self.groupSize).update(
                from: oldObjects + group * Self.groupSize, count: Self.groupSize)
        }
        groupCount = used.count
        oldNumbers.deallocate()
        oldObjects.deallocate()
    }

    /// Takes an object out, if it is the one that is registered under the key.
    mutating func remove(_ object: ManagedObject, key: Int64) {
        guard let place = place(key),
            place.pointee?.toOpaque() == Unmanaged.passUnretained(object).toOpaque()
        else { return }
        place.pointee = nil
        count &-= 1
        // Rows that are looked up one by one come and go alone: their groups go with them.
        if count == 0, groupCount == 1 {
            numbers[search(key >> 3)] = Self.noGroup
            groupCount = 0
        }
    }

    /// How many groups the table has room for.
    var capacity: Int { mask + 1 }

    /// The length of the longest search for a group.
    var longestSearch: Int {
        (0...mask).reduce(0) { longest, index in
            numbers[index] == Self.noGroup
                ? longest : max(longest, (index &- home(numbers[index])) & mask)
        }
    }

    func forEach(_ body: (ManagedObject) -> Void) {
        for group in 0...mask where numbers[group] != Self.noGroup {
            for index in group * Self.groupSize..<(group + 1) * Self.groupSize {
                if let object = objects[index] { body(object.takeUnretainedValue()) }
            }
        }
    }
}
