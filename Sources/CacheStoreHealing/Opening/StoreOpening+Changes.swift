// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation

extension StoreOpening {
    func migrate() throws -> StoreOpeningStateMachine.Event {
        let connection = try openConnection()
        guard let stored = try StoreMeta.readModel(from: connection) else {
            return .unmigratable("The store does not have its model.")
        }
        do {
            let summary = try connection.transaction(.immediate) {
                let summary = try content.migrate(in: connection, from: stored)
                try StoreMeta.setModel(of: content, in: connection)
                try StoreMeta.copySchema(in: connection)
                try StoreMeta.countWrite(in: connection)
                return summary
            }
            report.migrationChanges = summary.changes
            report.rowsLost = (report.rowsLost ?? [:]).merging(
                summary.rowsLost, uniquingKeysWith: +)
            connection.clearStatementCache()
            return .migrated
        } catch let reason as Unmigratable {
            return .unmigratable(reason.reason)
        } catch let error as SQLiteError
            where error.classification == .programming || error.classification == .constraint
        {
            // The tables are not what their description says, or their rows do not fit.
            report.underlyingError = error
            return .unmigratable("The tables or their rows do not fit the model.")
        }
    }

    func announce(
        _ step: HealingRecord.Step, because cause: StoreOpenReport.Cause
    ) -> StoreOpeningStateMachine.Event {
        let verdict = healingGuard.begin(step, because: cause)
        detail = verdict.note
        return .announced(isPermitted: verdict.isPermitted)
    }

    func quarantine() -> StoreOpeningStateMachine.Event {
        closeDatabase()
        let quarantine = Quarantine(
            paths: paths, policy: options.quarantine, isShared: writerLock != nil)
        let result = quarantine.keepCopy(reason: "damaged or unmigratable", report: report)
        report.quarantine = result.place.map { URL(filePath: $0, directoryHint: .isDirectory) }
        detail = result.note
        return .done
    }

    func setAside() throws -> StoreOpeningStateMachine.Event {
        closeDatabase()
        let quarantine = Quarantine(paths: paths, policy: options.quarantine)
        let place = try quarantine.setAside(reason: "foreign or newer", report: report)
        report.quarantine = URL(filePath: place, directoryHint: .isDirectory)
        return .done
    }

    func putBack() throws -> StoreOpeningStateMachine.Event {
        closeDatabase()
        meta = nil
        guard let place = report.quarantine?.path(percentEncoded: false) else {
            detail = "nothing was kept"
            return .done
        }
        if writerLock != nil {
            // Their file is not to be taken away from under them.
            detail = "others have the store open"
            return .done
        }
        try Quarantine(paths: paths, policy: options.quarantine).putBack(place)
        report.quarantine = nil
        return .done
    }

    func reset() throws -> StoreOpeningStateMachine.Event {
        closeDatabase()
        meta = nil
        try StoreSalvage.removeRemains(of: paths)
        detail = try resetFile()
        return .done
    }

    private func resetFile() throws -> String {
        if isLogForeign {
            // Whoever still uses it keeps it, with the database that it belongs to.
            try StoreReset.removeSideFiles(of: paths)
            isLogForeign = false
        }
        return try StoreReset(
            paths: paths, busyTimeout: options.busyTimeout, isShared: writerLock != nil,
            usesLog: !usesRollbackJournal
        ).perform()
    }

    /// Makes an empty store of an empty file or none; or where another process had salvaged the store,
    /// but not yet put that in its place, a store of that.
    func create() throws -> StoreOpeningStateMachine.Event {
        closeDatabase()
        // Others have the log of this very file open. It neither goes away nor out of use, unless the
        // file was cut off under them: then SQLite itself deletes the log.
        let isCutOff = inspection.map { $0.size <= 1 } ?? true
        let keepsLog = writerLock != nil && !isCutOff
        if keepsLog {
            if inspection?.content == .empty { detail = try resetFile() }
        } else if writerLock != nil {
            try FileTree.remove(paths.main)
            try StoreReset.removeSideFiles(of: paths)
        } else if inspection?.content == .missing || inspection?.content == .empty {
            // The remains of a store whose file somebody deleted.
            try StoreReset.removeSideFiles(of: paths)
        }
        if try storeSalvage().finish() {
            noteSalvaged()
            detail = "what another process has salvaged"
            return .salvaged
        }
        let identifier = UUID()
        let connection = try keepsLog ? openDatabase(.readWrite) : openEmptyDatabase()
        // With a rollback journal, so that the file is either empty or has our mark, also after a
        // kill in the middle: a log would leave a file without it.
        var first = settings()
        if !keepsLog { first.journalMode = .delete }
        try first.apply(to: connection)
        try connection.transaction(.immediate) {
            try StoreMeta.create(
                in: connection, identifier: identifier, content: content, replacing: lineage)
            try content.createSchema(in: connection)
            try StoreMeta.copySchema(in: connection)
        }
        connection.clearStatementCache()
        if !usesRollbackJournal { try connection.setPragma("journal_mode", to: "WAL") }
        guard case .ours(let created) = try StoreMeta.read(from: connection) else {
            throw PersistentStoreError(
                .damaged, "The new store cannot be read.", path: paths.main)
        }
        meta = created
        DamageMark.remove(for: paths)
        return .done
    }

    private func openEmptyDatabase() throws -> Connection {
        let connection = try openDatabase(.readWriteCreate)
        guard try connection.pragma("page_count")?.integer != 0,
            try connection.checksumStatistics?.writer != .sealed
        else { return connection }
        // Without tables, but not made by us: its pages have no room for checksums.
        closeDatabase()
        _ = try resetFile()
        return try openDatabase(.readWriteCreate)
    }
}
