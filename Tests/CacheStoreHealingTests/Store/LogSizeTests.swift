// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Testing

@testable import CacheStoreHealing

/// When a checkpoint is due.
@Suite struct LogSizeTests {
    private let log = LogSize(threshold: 800)

    /// From how many pages on a checkpoint is due, when it is asked after each commit.
    private func nextDue(from pages: Int) -> Int? {
        (pages...pages + 5_000).first {
            log.didCommit(pages: $0)
            return log.isCheckpointDue
        }
    }

    private func didCheckpoint(_ frames: Int, of all: Int) {
        log.didCheckpoint(
            Connection.CheckpointResult(logFrames: all, checkpointedFrames: frames))
    }

    @Test func `a checkpoint is due when the log has its length, and again after a whole one`() {
        for _ in 0..<2 {
            #expect(nextDue(from: 1) == 800)
            didCheckpoint(800, of: 800)
            #expect(!log.isCheckpointDue)
        }
    }

    @Test func `what readers in the middle of something keep is tried again soon`() {
        #expect(nextDue(from: 1) == 800)
        didCheckpoint(790, of: 800)
        #expect(nextDue(from: 801) == 900)
        didCheckpoint(890, of: 900)
        #expect(nextDue(from: 901) == 1_000)
    }

    @Test func `behind the reader of an old snapshot it is tried after as much more`() {
        #expect(nextDue(from: 1) == 800)
        didCheckpoint(0, of: 800)
        #expect(nextDue(from: 801) == 1_600)
    }

    @Test func `a checkpoint that fails is tried after as much more`() {
        #expect(nextDue(from: 1) == 800)
        log.didCheckpoint(nil)
        #expect(nextDue(from: 801) == 1_600)
    }

    @Test func `a log that goes on although all of it was copied is due at once`() {
        #expect(nextDue(from: 1) == 800)
        didCheckpoint(800, of: 800)
        // Somebody was reading in it when the next writer began.
        #expect(nextDue(from: 820) == 820)
    }

    @Test func `a log of a few pages is tried again at the next one`() {
        let log = LogSize(threshold: 1)
        log.didCommit(pages: 3)
        log.didCheckpoint(Connection.CheckpointResult(logFrames: 3, checkpointedFrames: 3))
        #expect(!log.isCheckpointDue)
        log.didCommit(pages: 1)
        #expect(log.isCheckpointDue)
    }
}
