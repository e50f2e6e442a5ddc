// SPDX-License-Identifier: MIT

import Foundation

/// What the environment says about a run.
struct TortureSettings: Sendable {
    struct NotANumber: Error, CustomStringConvertible {
        let name: String
        var description: String { "\(name) is not a number" }
    }

    var seed: UInt64
    /// The tries for each kind of damage.
    var rounds = 50
    /// The folder with damaged files; `nil` where there is none.
    var corpus: URL?

    init(_ environment: [String: String]) throws {
        seed = UInt64.random(in: 0..<1_000_000_000)
        if let text = environment["SEED"], !text.isEmpty { seed = try Self.number(text, "SEED") }
        if let text = environment["ROUNDS"], !text.isEmpty {
            rounds = max(1, try Self.number(text, "ROUNDS"))
        }
        let places = [environment["CACHESTORE_CORPUS"], "../shared/corpus"].compactMap { $0 }
        corpus = places.map { URL(filePath: $0, directoryHint: .isDirectory) }.first {
            access($0.appending(path: "corrupt").path(percentEncoded: false), R_OK) == 0
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
