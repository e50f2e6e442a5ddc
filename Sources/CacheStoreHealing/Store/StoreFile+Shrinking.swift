// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Synchronization

/// A store gives the space of what was deleted back to the disk, a little at a time.
///
/// SQLite keeps pages that are free for what comes next, and a cache fills them again. Only when more
/// than a quarter of the file is free, and not little, is the file made shorter
/// (https://sqlite.org/pragma.html#pragma_incremental_vacuum): pages from its end move into the gaps.
/// That costs about as much as writing those pages, so it is done after a checkpoint, for at most a
/// number of pages, and once more when the store is closed.
extension StoreFile {
    /// What is not worth the work.
    private static let fewestPages: Int64 = 256

    /// Makes the file shorter if much of it is free. The caller holds the lock that keeps all writers
    /// out; the space is given back by the next checkpoint.
    func shrinkIfDue(_ connection: Connection, atMost pages: Int) {
        do {
            guard let free = try connection.pragma("freelist_count")?.integer,
                free >= Self.fewestPages,
                let all = try connection.pragma("page_count")?.integer, free > all / 4
            else { return }
            try connection.transaction(.immediate) {
                guard try StoreMeta.isStore(identifier, in: connection) else { return }
                try StoreMeta.countWrite(in: connection)
                // A row for each page: only who asks for all of them gets all of it done.
                try connection.prepare(sql: "PRAGMA incremental_vacuum(\(pages))").rows { _ in }
            }
            state.withLock { $0.needsMark = true }
        } catch let error as SQLiteError {
            // The file stays as long as it is; but damage is damage.
            noteDamage(error)
        } catch {}
    }
}
