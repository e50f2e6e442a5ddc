// SPDX-License-Identifier: MIT

import CCacheStoreSQLite
import CacheStoreSQLite
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

    /// Notes how far a checkpoint came; `nil` for one that failed.
    ///
    /// Readers that are in the middle of something keep the last pages only, and will be gone in a
    /// moment: it is tried again soon, so that the log can start from its beginning although somebody
    /// always reads. Who reads an old snapshot keeps more: it is then tried after as many more pages.
    func didCheckpoint(_ result: Connection.CheckpointResult?) {
        if let result, result.isComplete {
            due.store(threshold, ordering: .relaxed)
            return pages.store(0, ordering: .relaxed)
        }
        let left = result.map { ($0.logFrames ?? 0) - ($0.checkpointedFrames ?? 0) } ?? threshold
        let pause = left < threshold ? max(1, threshold / 8) : threshold
        due.store(pages.load(ordering: .relaxed) + pause, ordering: .relaxed)
    }

    /// Notes the length of the log after a commit.
    func didCommit(pages count: Int) { pages.store(count, ordering: .relaxed) }

    /// Listens to the commits of a connection, which must not outlive this object.
    func listen(to handle: OpaquePointer) {
        // The pool's configuration keeps this object as long as its connections.
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<LogSize>.fromOpaque(context).takeUnretainedValue()
                    .didCommit(pages: Int(pages))
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
