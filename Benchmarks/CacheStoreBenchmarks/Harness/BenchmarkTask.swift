// SPDX-License-Identifier: MIT

/// A piece of work that is timed.
enum BenchmarkTask: String, CaseIterable, Sendable {
    case insert
    case fetchReadAll = "fetch-read-all"
    case fetchReadOne = "fetch-read-one"
    case lookupString = "lookup-string"
    case lookupID = "lookup-id"
    case update
    case delete
    case walkToMany = "walk-to-many"
    case open
    case openGigabyte = "open-1gb"
    case concurrentReads = "concurrent-reads"
    case peakMemory = "peak-memory"
    case autosave
    case growth
    /// After the others: lines about a part of a store, without objects.
    case checksums

    /// The ratio that is aimed at; a ceiling, but for ``concurrentReads`` a floor.
    var target: Double? {
        switch self {
        case .insert, .fetchReadAll, .lookupID, .delete, .peakMemory: 1.3
        case .fetchReadOne: 0.9
        case .lookupString, .walkToMany: 2
        case .update: 1.5
        case .concurrentReads: 0.7
        case .open, .openGigabyte, .autosave, .growth, .checksums: nil
        }
    }
}
