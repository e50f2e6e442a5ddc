// SPDX-License-Identifier: MIT

import Foundation

/// The row that every contestant keeps: five integers, three strings of about twenty characters,
/// a floating-point number and a date.
struct SampleRow: Sendable {
    var serial: Int64
    var width: Int64
    var height: Int64
    var rating: Int64
    var views: Int64
    /// The indexed string; no two rows have the same.
    var name: String
    var owner: String
    var place: String
    var score: Double
    var takenAt: Date

    /// A number that depends on every field. Summing it up keeps the reading from being optimised
    /// away, and shows that all contestants read the same.
    var checksum: UInt64 {
        var sum = UInt64(bitPattern: serial)
        sum = sum &* 31 &+ UInt64(bitPattern: width)
        sum = sum &* 31 &+ UInt64(bitPattern: height)
        sum = sum &* 31 &+ UInt64(bitPattern: rating)
        sum = sum &* 31 &+ UInt64(bitPattern: views)
        sum = sum &* 31 &+ UInt64(name.utf8.count)
        sum = sum &* 31 &+ UInt64(owner.utf8.count)
        sum = sum &* 31 &+ UInt64(place.utf8.count)
        sum = sum &* 31 &+ score.bitPattern
        return sum &* 31 &+ takenAt.timeIntervalSince1970.bitPattern
    }

    /// The name of the row with a serial number.
    static func name(ofSerial serial: Int) -> String {
        "photograph-\(1_000_000_000 + serial &* 7)"
    }

    /// Rows that are the same in every run.
    static func make(count: Int, from first: Int = 0) -> [SampleRow] {
        var random = SplitMix64(state: 2_024 &+ UInt64(truncatingIfNeeded: first))
        return (first..<first + count).map { index in
            SampleRow(
                serial: Int64(index), width: Int64(random.next() % 8_000),
                height: Int64(random.next() % 6_000), rating: Int64(random.next() % 6),
                views: Int64(random.next() >> 32), name: name(ofSerial: index),
                owner: "owner-of-pictures-\(random.next() % 1_000)",
                place: "somewhere-near-\(random.next() % 100_000)",
                score: Double(random.next() % 10_000) / 16,
                takenAt: Date(timeIntervalSince1970: Double(random.next() % 1_700_000_000)))
        }
    }
}

/// A small generator of numbers that are the same on every machine.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
