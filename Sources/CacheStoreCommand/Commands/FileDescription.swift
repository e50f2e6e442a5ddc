// SPDX-License-Identifier: MIT

import CacheStoreHealing
import Foundation

/// How files and their sizes are named.
enum FileDescription {
    /// The word for a kind in JSON.
    static func word(_ kind: FileExamination.Kind) -> String {
        switch kind {
        case .missing: "missing"
        case .empty: "empty"
        case .notADatabase: "unrecognized"
        case .foreign: "database"
        case .newer: "newer-store"
        case .store: "store"
        case .emptyStore: "empty-store"
        }
    }

    static func phrase(_ kind: FileExamination.Kind) -> String {
        switch kind {
        case .missing: "there is no such file"
        case .empty: "an empty file"
        case .notADatabase: "not a database"
        case .foreign: "a SQLite database, not a store of CacheStore"
        case .newer(let version): "a store of CacheStore in the later format \(version)"
        case .store: "a store of CacheStore"
        case .emptyStore: "a store of CacheStore that was emptied and has no tables yet"
        }
    }

    static func size(_ bytes: Int64) -> String {
        let units = ["bytes", "kB", "MB", "GB", "TB"]
        var value = Double(bytes)
        var unit = 0
        while value >= 1000, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        return unit == 0
            ? "\(bytes) bytes"
            : "\((value * 10).rounded(.toNearestOrAwayFromZero) / 10) \(units[unit])"
    }

    static func plural(_ count: Int, _ one: String, _ many: String) -> String {
        "\(count) \(count == 1 ? one : many)"
    }
}
