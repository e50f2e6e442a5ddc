// SPDX-License-Identifier: MIT

/// A set of property indexes: one word for the first 64, more only for wider entities.
@usableFromInline
package struct PropertySet: Sendable, Hashable {
    @usableFromInline var low: UInt64 = 0
    @usableFromInline var high: [UInt64] = []

    package init() {}

    package init(_ indexes: some Sequence<Int>) {
        for index in indexes { insert(index) }
    }

    package var isEmpty: Bool { low == 0 && high.allSatisfy { $0 == 0 } }

    @inlinable
    package func contains(_ index: Int) -> Bool {
        index < 64 ? low & (1 &<< UInt64(truncatingIfNeeded: index)) != 0 : containsHigh(index)
    }

    @usableFromInline
    func containsHigh(_ index: Int) -> Bool {
        let word = index / 64 - 1
        return word < high.count && high[word] & (1 << UInt64(index % 64)) != 0
    }

    package mutating func insert(_ index: Int) {
        if index < 64 {
            low |= 1 << UInt64(index)
            return
        }
        let word = index / 64 - 1
        while high.count <= word { high.append(0) }
        high[word] |= 1 << UInt64(index % 64)
    }

    package mutating func remove(_ index: Int) {
        if index < 64 {
            low &= ~(1 << UInt64(index))
            return
        }
        let word = index / 64 - 1
        if word < high.count { high[word] &= ~(1 << UInt64(index % 64)) }
    }

    package mutating func formUnion(_ other: PropertySet) {
        low |= other.low
        while high.count < other.high.count { high.append(0) }
        for index in other.high.indices { high[index] |= other.high[index] }
    }

    /// The indexes that are in both sets.
    package func intersection(_ other: PropertySet) -> PropertySet {
        var result = PropertySet()
        result.low = low & other.low
        if !high.isEmpty, !other.high.isEmpty {
            result.high = zip(high, other.high).map { $0 & $1 }
        }
        return result
    }

    package func forEach(_ body: (Int) throws -> Void) rethrows {
        try Self.forEach(in: low, offset: 0, body)
        for (word, bits) in high.enumerated() {
            try Self.forEach(in: bits, offset: (word + 1) * 64, body)
        }
    }

    private static func forEach(
        in bits: UInt64, offset: Int, _ body: (Int) throws -> Void
    ) rethrows {
        var bits = bits
        while bits != 0 {
            try body(offset + bits.trailingZeroBitCount)
            bits &= bits - 1
        }
    }

    /// The indexes, ascending.
    package var indexes: [Int] {
        var indexes: [Int] = []
        forEach { indexes.append($0) }
        return indexes
    }

    @usableFromInline
    package static func == (first: PropertySet, second: PropertySet) -> Bool {
        guard first.low == second.low else { return false }
        let count = max(first.high.count, second.high.count)
        return (0..<count).allSatisfy {
            (first.high.indices.contains($0) ? first.high[$0] : 0)
                == (second.high.indices.contains($0) ? second.high[$0] : 0)
        }
    }

    @usableFromInline
    package func hash(into hasher: inout Hasher) { hasher.combine(low) }
}
