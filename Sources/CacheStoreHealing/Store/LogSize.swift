// SPDX-License-Identifier: MIT

import CCacheStoreSQLite
import Synchronization

/// How many pages the write-ahead log has after the last commit of the writing connection.
///
/// The size of the log's file does not tell: it stays when the log starts again from the beginning.
final class LogSize: Sendable {
    private let pages = Atomic<Int>(0)
    /// From how many pages on a checkpoint is due.
    private let due: Atomic<Int>
    private let threshold: Int

    init(threshold pages: Int) {
        threshold = max(1, pages)
        due = Atomic(threshold)
    }

    var isCheckpointDue: Bool {
        pages.load(ordering: .relaxed) >= due.load(ordering: .relaxed)
    }

    /// How many pages of the log have not been copied into the database, as far as is known.
    var pageCount: Int { pages.load(ordering: .relaxed) }

    /// Whether the log is so much larger than usual that its file is to be cut: readers of old
    /// snapshots have kept it from starting again.
    var isOutOfProportion: Bool { pages.load(ordering: .relaxed) >= 4 * threshold }

    /// Readers of old snapshots can keep pages in the log. It is then not tried again at each
    /// write, but after as many more pages.
    func didCheckpoint(isComplete: Bool) {
        let now = isComplete ? 0 : pages.load(ordering: .relaxed)
        due.store(now + threshold, ordering: .relaxed)
        if isComplete { pages.store(0, ordering: .relaxed) }
    }

    /// Listens to the commits of a connection, which must not outlive this object.
    func listen(to handle: OpaquePointer) {
        // The pool's configuration keeps this object as long as its connections.
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<LogSize>.fromOpaque(context).takeUnretainedValue()
                    .pages.store(Int(pages), ordering: .relaxed)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
