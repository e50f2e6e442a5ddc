// SPDX-License-Identifier: MIT

import Foundation

/// What the environment says about a run.
struct TortureSettings: Sendable {
    struct NotANumber: Error, CustomStringConvertible {
        let name: String
        var description: String { "\(name) is not a number" }
    }

    var seed: UInt64
    /// The tries for each kind of damage, and the processes that are killed.
    var rounds = 50
    /// How long each storm lasts, in seconds.
    var stormSeconds = 5
    /// What is done.
    var parts: Set<Part> = Set(Part.allCases)

    enum Part: String, CaseIterable, Sendable {
        case damage, kills, faults, storms
    }

    /// How many calls fail for each work and kind of fault; `nil` is all.
    var faultTries: Int? { rounds >= 1_000 ? nil : max(2, rounds / 5) }

    init(seed: UInt64) { self.seed = seed }

    init(_ environment: [String: String]) throws {
        seed = UInt64.random(in: 0..<1_000_000_000)
        if let text = environment["SEED"], !text.isEmpty { seed = try Self.number(text, "SEED") }
        if let text = environment["ROUNDS"], !text.isEmpty {
            rounds = max(1, try Self.number(text, "ROUNDS"))
        }
        if let text = environment["STORM"], !text.isEmpty {
            stormSeconds = max(0, try Self.number(text, "STORM"))
        }
        if let text = environment["PARTS"], !text.isEmpty {
            parts = Set(text.split(separator: " ").compactMap { Part(rawValue: String($0)) })
        }
    }

    private static func number<Number: FixedWidthInteger>(
        _ text: String, _ name: String
    ) throws -> Number {
        guard let number = Number(text) else { throw NotANumber(name: name) }
        return number
    }
}

/// Results go to the standard output and nothing else does.
enum StandardStreams {
    static func printResult(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }

    static func tell(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data("torture: \(text)\n".utf8))
    }
}
