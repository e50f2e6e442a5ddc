// SPDX-License-Identifier: MIT

import CacheStoreProcess
package import Foundation

/// Heals a store without the program it belongs to.
package enum StoreHealer {
    /// What came of emptying a store.
    package struct Result: Sendable {
        /// The directory that keeps the damaged files; `nil` where none was made.
        package let quarantine: URL?
        /// Why none was made.
        package let note: String?
    }

    /// Empties a damaged store, after its files were copied to the quarantine.
    ///
    /// Nothing is in it afterwards, no tables either: the program makes them when it opens the store,
    /// and is told that it has a new one. That would not be so if they were made here.
    ///
    /// - Parameter isDamaged: looks at the store once more, now that nobody else can change it.
    /// - Returns: `nil` where that found nothing, and nothing was changed.
    /// - Throws: ``PersistentStoreError`` with the code `busy` where somebody uses the store,
    ///   `permissionDenied`, `readOnly`, `noSpace`, `unavailable`.
    package static func empty(
        _ paths: StorePaths, busyTimeout: Duration, ifStill isDamaged: () throws -> Bool
    ) throws -> Result? {
        do {
            try DirectoryTrust().check(paths.directory)
            let lock = try FileLock(path: paths.lock)
            try lock.lock(.exclusive, timeout: busyTimeout)
            defer { try? lock.unlock() }
            guard try isDamaged() else { return nil }
            let report = StoreOpenReport(url: paths.url, newFingerprint: "")
            let kept = Quarantine(paths: paths, policy: QuarantinePolicy()).keepCopy(
                reason: "damaged", report: report)
            _ = try StoreReset(paths: paths, busyTimeout: busyTimeout).perform()
            DamageMark.remove(for: paths)
            return Result(
                quarantine: kept.place.map { URL(filePath: $0, directoryHint: .isDirectory) },
                note: kept.note)
        } catch {
            throw PersistentStoreError(wrapping: error, path: paths.main)
        }
    }
}
