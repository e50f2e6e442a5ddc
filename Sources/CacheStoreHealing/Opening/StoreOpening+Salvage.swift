// SPDX-License-Identifier: MIT

import CacheStoreSQLite

extension StoreOpening {
    func salvage() throws -> StoreOpeningStateMachine.Event {
        closeDatabase()
        let found: SalvageReport
        do {
            found = try salvageTwice()
        } catch {
            switch PersistentStoreError(wrapping: error).code {
            // What says nothing about the file: it stays as it is, for another try.
            case .busy, .noSpace, .permissionDenied, .readOnly, .outOfResources, .forked,
                .unavailable:
                throw error
            // The new file is the one that is open: its place could not be looked at.
            case .storeRemoved, .storeReplaced:
                throw PersistentStoreError(
                    .unavailable, "What was salvaged could not be written.", path: paths.main,
                    underlying: error)
            // The store may be empty by then: the next opening looks what to do with it.
            case _ where FileTree.status(at: paths.salvaged) != nil:
                throw PersistentStoreError(
                    .unavailable, "What was salvaged could not be put into its place yet.",
                    path: paths.main)
            default:
                detail = "nothing to make a store of: \(error)"
                return .unsalvageable
            }
        }
        report.rowsKept = found.tables.mapValues(\.kept)
        report.rowsDoubtful = found.tables.mapValues { $0.doubtful + $0.repaired }
        report.rowsLost = found.tables.mapValues(\.lost)
        report.salvageScore = found.score
        detail =
            "\(found.damagedPages) of \(found.pageCount) pages are damaged"
            + (found.notes.isEmpty ? "" : "; " + found.notes.joined(separator: " "))
        noteSalvaged()
        return .salvaged
    }

    /// What SQLite takes for damage of what it has just written itself may be a page that the system did
    /// not read this time.
    private func salvageTwice() throws -> SalvageReport {
        do {
            return try storeSalvage().perform()
        } catch {
            guard PersistentStoreError(wrapping: error).code == .damaged,
                FileTree.status(at: paths.salvaged) == nil
            else { throw error }
            return try storeSalvage().perform()
        }
    }

    func storeSalvage() -> StoreSalvage {
        StoreSalvage(
            paths: paths, content: content, busyTimeout: options.busyTimeout,
            isLogForeign: isLogForeign, isShared: writerLock != nil,
            usesLog: !usesRollbackJournal, lineage: lineage)
    }

    /// What was known of the file is not true any more.
    func noteSalvaged() {
        meta = nil
        metaBeforeReplay = nil
        isLogForeign = false
        DamageMark.remove(for: paths)
    }
}
