// SPDX-License-Identifier: MIT

import CacheStoreHealing
import CacheStoreModel
import CacheStoreProcess
import CacheStoreSQLite
import Foundation

extension SQLiteStore {
    /// Checks the graph on a snapshot, beside everybody else; only if something is to be repaired,
    /// once more in a write transaction.
    package func verifyGraph(repairing: Bool) throws -> GraphVerification {
        let look = try look()
        guard repairing, !isReadOnly, look.isRepairable else { return look.verification }
        return try repair(damaged: look.damaged)
    }

    private struct Look: Sendable {
        var verification: GraphVerification
        var isRepairable: Bool
        /// Files whose content is wrong.
        var damaged: Set<UUID>
    }

    private func look() throws -> Look {
        // The list of files and the beginning of the snapshot have to belong together.
        var lock = try resolver.files.flatMap { try lockIfFree($0) }
        let hasLock = lock != nil
        var listing = try resolver.files?.list() ?? ExternalFiles.Listing()
        return try read { connection in
            // Without the lock a row may name a file that was not there a moment ago.
            if !hasLock, let now = try resolver.files?.list() { listing.names.formUnion(now.names) }
            let checker = self.checker(on: connection, repairs: false)
            let unfinished = hasLock ? listing.unfinished.count : 0
            let files = try checker.checkFiles(
                present: listing.names, damaged: [], unfinished: unfinished, isComplete: hasLock)
            lock = nil
            try checker.checkRows()
            // Read through without any lock: what is there under its name never changes.
            var damaged: Set<UUID> = []
            for reference in files.named where resolver.files?.isIntact(reference) == false {
                damaged.insert(reference.name)
            }
            if !damaged.isEmpty { try checker.noteDamagedFiles(damaged) }
            return Look(
                verification: checker.finish(), isRepairable: checker.foundRepairable,
                damaged: damaged)
        }
    }

    private func repair(damaged: Set<UUID>) throws -> GraphVerification {
        let lock = try resolver.files.flatMap { try lockIfFree($0) }
        defer { withExtendedLifetime(lock) {} }
        let hasLock = lock != nil
        let (verification, orphans, unfinished) = try write { connection in
            // A save that has the directory to itself, or none, is over by now.
            let listing = try resolver.files?.list() ?? ExternalFiles.Listing()
            let checker = self.checker(on: connection, repairs: true)
            try checker.checkRows()
            let unfinished = hasLock ? listing.unfinished : []
            let files = try checker.checkFiles(
                present: listing.names, damaged: damaged, unfinished: unfinished.count,
                isComplete: hasLock)
            return (checker.finish(), files.orphans, unfinished)
        }
        for name in orphans { resolver.files?.remove(name) }
        for name in unfinished { resolver.files?.removeUnfinished(name) }
        resolver.files?.removeMark(lock)
        return verification
    }

    /// Removes the files that a save has left which was cut short, if a mark says that there was one.
    ///
    /// O(rows of entities with large values) then, else nothing. Whatever stands in the way of it, the
    /// next opening tries again.
    func removeLeftOverFiles() {
        guard let files = resolver.files, files.isMarked, !isReadOnly,
            let lock = try? FileLock(directory: files.directory.path),
            (try? lock.tryLock(.exclusive)) == true, let listing = try? files.list()
        else { return }
        let orphans = try? read { connection in
            try checker(on: connection, repairs: false).checkFiles(
                present: listing.names, damaged: [], unfinished: 0, isComplete: true
            ).orphans
        }
        guard let orphans else { return }
        for name in orphans { files.remove(name) }
        for name in listing.unfinished { files.removeUnfinished(name) }
        files.removeMark(lock)
    }

    private func checker(on connection: Connection, repairs: Bool) -> GraphChecker {
        GraphChecker(connection, map: map, space: space, repairs: repairs)
    }

    /// The directory of large values, exclusively; `nil` where others use it all the time: then files
    /// that no row names cannot be told from those of a save that is under way.
    private func lockIfFree(_ files: ExternalFiles) throws -> FileLock? {
        do {
            return try files.lock(.exclusive)
        } catch PersistentStoreError.Code.busy {
            return nil
        }
    }
}
