// SPDX-License-Identifier: MIT
import CCacheStoreSQLite

extension Connection {
    /// How far a checkpoint goes (https://sqlite.org/c3ref/wal_checkpoint_v2.html).
    package struct CheckpointMode: Sendable, Hashable {
        let rawValue: Int32

        /// As much as is possible without waiting for anyone.
        package static let passive = Self(rawValue: SQLITE_CHECKPOINT_PASSIVE)
        /// Waits for writers, and for readers of old snapshots.
        package static let full = Self(rawValue: SQLITE_CHECKPOINT_FULL)
        /// `full`, and the next writer starts the log from its beginning.
        package static let restart = Self(rawValue: SQLITE_CHECKPOINT_RESTART)
        /// `restart`, and the log is cut to zero bytes.
        package static let truncate = Self(rawValue: SQLITE_CHECKPOINT_TRUNCATE)
    }

    package struct CheckpointResult: Sendable, Hashable {
        /// Frames in the log, `nil` where there is no log.
        package var logFrames: Int?
        /// Frames of it that are in the database file by now.
        package var checkpointedFrames: Int?

        package init(logFrames: Int?, checkpointedFrames: Int?) {
            self.logFrames = logFrames
            self.checkpointedFrames = checkpointedFrames
        }

        package var isComplete: Bool { logFrames == checkpointedFrames }
    }

    /// Lets each commit checkpoint that leaves so many pages in the log; 0 is never.
    func setAutocheckpoint(pages: Int) {
        sqlite3_wal_autocheckpoint(state.handle, Int32(clamping: pages))
    }

    /// Copies the log into the database file. The caller holds the lock that keeps writers out.
    ///
    /// - Throws: `SQLITE_BUSY` when somebody was in the way until the busy timeout; what could be
    ///   copied has been.
    @discardableResult
    package func checkpoint(_ mode: CheckpointMode) throws(SQLiteError) -> CheckpointResult {
        try state.check()
        var log: Int32 = -1
        var done: Int32 = -1
        let result = sqlite3_wal_checkpoint_v2(state.handle, "main", mode.rawValue, &log, &done)
        guard result == SQLITE_OK else { throw state.lastError(result, sql: nil) }
        return CheckpointResult(
            logFrames: log < 0 ? nil : Int(log), checkpointedFrames: done < 0 ? nil : Int(done))
    }
}
