// SPDX-License-Identifier: MIT

/// A piece of work that is timed.
enum BenchmarkTask: String, CaseIterable, Sendable {
    case insert
    case fetchReadAll = "fetch-read-all"
    case lookupString = "lookup-string"
    case update
    case delete
    case open

    /// Whether the work starts from a store that is full already.
    var needsRows: Bool { self != .insert }
}
