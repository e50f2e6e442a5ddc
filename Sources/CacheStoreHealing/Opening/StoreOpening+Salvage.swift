// SPDX-License-Identifier: MIT

import CacheStoreSQLite

extension StoreOpening {
    func salvage() throws -> StoreOpeningStateMachine.Event {
        closeDatabase()
        let found: SalvageReport
        do {
            found = try storeSalvage().perform()
        } catch {
            switch PersistentStoreError(wrapping: error).code {
            // What says nothing about the file: it stays as it is, for another try.
            case .busy, .noSpace, .permissionDenied, .readOnly, .outOfResources, .forked:
                throw error
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
