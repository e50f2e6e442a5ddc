// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation

extension StoreOpening {
    /// What speaks against taking the store as it is, after its first page was read.
    func doubt(about connection: Connection) throws -> StoreOpeningStateMachine.Doubt {
        var doubt = StoreOpeningStateMachine.Doubt()
        // A journal that belongs to another file has been rolled back into this one by now, and the
        // pages fit their checksums.
        let hadJournal = inspection?.hasHotJournal == true
        let isMarked = DamageMark.exists(for: paths)
        doubt.damageWasSeen = isMarked || hadJournal
        doubt.anotherProgramWrote =
            try connection.checksumStatistics?.writer == .anotherProgram
        doubt.isUnused = meta?.isUnused == true
        if hadJournal { detail = "there was a journal" }
        if isMarked { detail = "damage was seen in an earlier session" }
        if doubt.anotherProgramWrote { detail = "another program has written to the store" }
        return doubt
    }

    func verify(
        _ check: (Connection) throws -> IntegrityCheckResult
    ) throws -> StoreOpenReport.Verification {
        let connection = try openConnection()
        // Damage that was seen and is not found again for want of time would never be healed.
        let hasDeadline = !DamageMark.exists(for: paths)
        let before = try connection.checksumStatistics
        let result: IntegrityCheckResult
        do {
            result =
                hasDeadline
                ? try connection.withDeadline(.now + options.verification.deadline) {
                    try check(connection)
                } : try check(connection)
        } catch SQLiteError.ResultCode.SQLITE_INTERRUPT {
            return .incomplete
        } catch {
            noteFailedPage(since: before, on: connection)
            throw error
        }
        // The check makes a finding of a page that cannot be read. What one connection saw is to
        // be confirmed by another, as for every failure to read.
        if noteFailedPage(since: before, on: connection) {
            throw SQLiteError(
                code: .SQLITE_IOERR_DATA, message: detail ?? "the checksum of a page does not fit")
        }
        if !result.isOK, let before, let now = try connection.checksumStatistics,
            now.refusedReads > before.refusedReads
        {
            // A finding of the check as well, but it says nothing about the content.
            detail = "the file cannot be read"
            throw SQLiteError(code: .SQLITE_IOERR_READ, message: "a page cannot be read")
        }
        guard result.isOK else { return .failed }
        DamageMark.remove(for: paths)
        return .passed
    }

    /// Returns whether a page did not fit its checksum, and puts which one into the report.
    @discardableResult
    private func noteFailedPage(
        since before: ChecksumStatistics?, on connection: Connection
    ) -> Bool {
        guard let now = try? connection.checksumStatistics, let before,
            now.failedPages + now.failedLogPages > before.failedPages + before.failedLogPages
        else { return false }
        detail = "the checksum of page \(now.lastFailedPage ?? 0) does not fit"
        return true
    }

    /// Makes the store vouch for its pages again. Where somebody is in the way, it stays as it is,
    /// and the next opening tries again.
    func seal() throws -> StoreOpeningStateMachine.Event {
        let connection = try openConnection()
        do {
            // The other program may have changed that as well.
            try connection.transaction(.immediate) { try StoreMeta.copySchema(in: connection) }
            try connection.sealPages()
        } catch let error as SQLiteError where error.classification == .busy {
            detail = "not now: \(error.code)"
        }
        return .done
    }
}
