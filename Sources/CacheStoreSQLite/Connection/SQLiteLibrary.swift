// SPDX-License-Identifier: MIT
import CCacheStoreShims
import CCacheStoreSQLite

/// The SQLite that the process is linked with.
package enum SQLiteLibrary {
    /// Its version, as `3.40.1`.
    package static var version: String { String(cString: sqlite3_libversion()) }

    /// Its version as a number, 3040001 for 3.40.1.
    package static var versionNumber: Int { Int(sqlite3_libversion_number()) }

    /// The options it was built with, without the `SQLITE_` before each.
    package static var compileOptions: [String] {
        var options: [String] = []
        while let option = sqlite3_compileoption_get(Int32(options.count)) {
            options.append(String(cString: option))
        }
        return options
    }

    /// Switches off the statistics of memory, which take a mutex for each allocation. Works only
    /// before the first use of SQLite in the process; returns whether it did.
    package static func disableMemoryStatistics() -> Bool {
        cachestore_config_memory_statistics(0) == SQLITE_OK
    }
}
