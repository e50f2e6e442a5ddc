// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStoreHealing

/// Logs that SQLite has written, whole and damaged, against what SQLite reads of them.
@Suite struct LogSurveyTests {
    /// What must be lost, and that SQLite replays what is said to be replayed.
    private func expect(
        _ left: LeftLog, replays: Int, loses lost: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let survey = try #require(
            try left.survey(pageSize: left.pageSize), sourceLocation: sourceLocation)
        #expect(survey.commits == replays, sourceLocation: sourceLocation)
        #expect(survey.lostCommits == lost, sourceLocation: sourceLocation)
        #expect(try left.replayed() == replays, sourceLocation: sourceLocation)
    }

    @Test(arguments: [512, 4096, 65_536], [false, true])
    func `a whole log is read as SQLite reads it`(pageSize: Int, isOfOtherOrder: Bool) throws {
        var left = try LeftLog(commits: 6, pageSize: pageSize)
        if isOfOtherOrder { left.swapByteOrder() }
        try expect(left, replays: 6, loses: 0)
        let survey = try #require(try left.survey())
        #expect(survey.validFrames == left.frameCount)
        #expect(survey.committedFrames == left.frameCount)
        #expect(!survey.isUnfinished && survey.isHeadWhole)
    }

    @Test(arguments: [0, 1, 24, 2_000, 24 + 4095], [false, true])
    func `a flipped bit in the middle loses the commit that has it, and those behind`(
        offset: Int, isInLastFrame: Bool
    ) throws {
        let left = try LeftLog(commits: 6)
        let commits = left.commitFrames
        #expect(commits.count == 6)
        let frame = isInLastFrame ? commits[2] : commits[1] + 1
        var damaged = left
        damaged.flipBit(at: left.place(of: frame) + offset)
        try expect(damaged, replays: 2, loses: 4)
        damaged = left
        damaged.swapByteOrder()
        damaged.flipBit(at: left.place(of: frame) + offset)
        try expect(damaged, replays: 2, loses: 4)
    }

    @Test(arguments: 4..<8)
    func `a frame that ends no commit is none for a flipped bit`(offset: Int) throws {
        var left = try LeftLog(commits: 6)
        left.flipBit(at: left.place(of: left.commitFrames[1] + 2) + offset)
        try expect(left, replays: 2, loses: 4)
    }

    @Test func `a frame of page 0 ends what SQLite reads, whatever its checksum`() throws {
        var left = try LeftLog(commits: 6)
        let place = left.place(of: left.commitFrames[1] + 1)
        left.log.replaceSubrange(place..<place + 4, with: [0, 0, 0, 0])
        left.renewChecksums()
        try expect(left, replays: 2, loses: 4)
    }

    @Test func `a commit of one page is a commit`() throws {
        var left = try LeftLog(commits: 6, pages: 0)
        #expect(left.commitFrames == Array(0..<6))
        left.flipBit(at: left.place(of: 2) + 500)
        try expect(left, replays: 2, loses: 4)
    }

    @Test(arguments: [8, 12, 16, 20])
    func `damage to the salts or the checksum of a frame hides none of the commits behind it`(
        offset: Int
    ) throws {
        let left = try LeftLog(commits: 6)
        for frame in [left.commitFrames[1] + 1, left.commitFrames[2]] {
            var damaged = left
            damaged.flipBit(at: left.place(of: frame) + offset)
            try expect(damaged, replays: 2, loses: 4)
        }
        // Here too the whole of the last one is proven, though SQLite does not read it.
        var damaged = left
        damaged.flipBit(at: left.place(of: left.commitFrames[4] + 1) + offset)
        try expect(damaged, replays: 5, loses: 1)
    }

    @Test func `a last commit that was cut off was promised to nobody`() throws {
        let left = try LeftLog(commits: 6)
        for cut in [1, 100, 4096, 4096 + 24, 2 * (4096 + 24), 2 * (4096 + 24) + 5] {
            var damaged = left
            damaged.log.removeLast(cut)
            try expect(damaged, replays: 5, loses: 0)
        }
        var torn = left
        torn.log.replaceSubrange(
            torn.log.count - 2048..<torn.log.count, with: repeatElement(7, count: 2048))
        try expect(torn, replays: 5, loses: 0)
        #expect(try torn.survey()?.isUnfinished == true)
    }

    @Test func `a last commit with a gap is lost, unless the gap may be its beginning`() throws {
        let left = try LeftLog(commits: 6)
        var damaged = left
        damaged.flipBit(at: left.place(of: left.commitFrames[4] + 2) + 100)
        try expect(damaged, replays: 5, loses: 1)
        damaged = left
        damaged.flipBit(at: left.place(of: left.commitFrames[4] + 1) + 100)
        try expect(damaged, replays: 5, loses: 0)
        #expect(try damaged.survey()?.isUnfinished == true)
    }

    @Test func `frames of an earlier run of the log are never lost commits`() throws {
        let left = try LeftLog { connection in
            for _ in 0..<20 { try LeftLog.commit(3, in: connection) }
            try connection.checkpoint(.restart)
            for _ in 0..<3 { try LeftLog.commit(3, in: connection) }
        }
        let newer = 3 * (left.commitFrames[0] + 1)
        #expect(left.frameCount > 60 && newer < 20)
        let survey = try #require(try left.survey())
        #expect(survey.commits == 3 && survey.lostCommits == 0 && !survey.isUnfinished)
        #expect(try left.replayed() == 23)
        // With the second of the three damaged, the third is lost, and none of the old ones.
        var damaged = left
        damaged.flipBit(at: left.place(of: left.commitFrames[1]) + 100)
        #expect(try damaged.survey()?.lostCommits == 2)
        #expect(try damaged.replayed() == 21)
        // With the head damaged, the salts of the frames tell the runs apart.
        damaged = left
        damaged.flipBit(at: 17)
        let headless = try #require(try damaged.survey(pageSize: 4096))
        #expect(!headless.isHeadWhole)
        #expect(headless.commits == 0 && headless.lostCommits == 3)
        #expect(try damaged.replayed() == 20)
    }

    @Test func `a log that has begun anew and has no frame yet loses nothing`() throws {
        var left = try LeftLog { connection in
            for _ in 0..<6 { try LeftLog.commit(3, in: connection) }
            try connection.checkpoint(.restart)
            try LeftLog.commit(3, in: connection)
        }
        // The head is new, and the frames are as they were before.
        let old = try LeftLog(commits: 6)
        left.log.replaceSubrange(32..., with: old.log[32...])
        let survey = try #require(try left.survey())
        #expect(survey.commits == 0 && survey.lostCommits == 0 && !survey.isUnfinished)
    }

    @Test func `what was rolled back is no lost commit`() throws {
        let left = try LeftLog { connection in
            try LeftLog.commit(3, in: connection)
            // Pages that have no room in the cache go to the log before the end.
            try connection.execute(sql: "PRAGMA cache_size = 1; BEGIN")
            for _ in 0..<20 { try LeftLog.commit(3, in: connection) }
            try connection.execute(sql: "ROLLBACK")
            try LeftLog.commit(3, in: connection)
        }
        #expect(left.frameCount > 30)
        try expect(left, replays: 2, loses: 0)
    }

    @Test func `what a process left that was killed while it committed is no lost commit`() throws {
        // Both go on from the same log: the second overwrites the beginning of what the first wrote,
        // whose end it had not been told of.
        let start = try LeftLog(commits: 2)
        let killed = try LeftLog(going: start) { try LeftLog.commit(12, in: $0) }
        var left = try LeftLog(going: start) { try LeftLog.commit(3, in: $0) }
        #expect(left.log.starts(with: start.log) && killed.log.starts(with: start.log))
        left.log += killed.log[left.log.count...]
        #expect(left.commitFrames.count == 4)
        try expect(left, replays: 3, loses: 0)
        // And once more.
        var again = try LeftLog(going: left) { try LeftLog.commit(3, in: $0) }
        #expect(again.log.count == left.log.count)
        try expect(again, replays: 4, loses: 0)
        // Damage before that is seen all the same.
        again.flipBit(at: again.place(of: again.commitFrames[0]) + 100)
        #expect(try again.survey()?.lostCommits == 4)
    }

    @Test(arguments: [0, 3, 5, 10, 13, 17, 21, 25, 30])
    func `a damaged head loses all commits`(offset: Int) throws {
        var left = try LeftLog(commits: 3)
        left.flipBit(at: offset)
        try expect(left, replays: 0, loses: 3)
        left = try LeftLog(commits: 1)
        left.flipBit(at: offset)
        try expect(left, replays: 0, loses: 1)
    }

    @Test func `where the first sector is gone, the salts of another frame are taken`() throws {
        var left = try LeftLog(commits: 4)
        left.log.replaceSubrange(0..<512, with: repeatElement(0, count: 512))
        #expect(try left.survey() == nil)
        // The first one has nothing before it that tells that it is whole, but the log went on.
        try expect(left, replays: 0, loses: 4)
    }

    @Test func `however a log is cut into pieces, it is the same`() throws {
        var left = try LeftLog(commits: 6)
        left.flipBit(at: left.place(of: left.commitFrames[2]) + 100)
        let store = try TemporaryStore(syncsForNothing: true)
        try left.write(to: store)
        let log = try #require(try WriteAheadLog(RawFile(reading: store.paths.log)))
        func frames(_ size: Int) throws -> [WriteAheadLog.Frame] {
            var frames: [WriteAheadLog.Frame] = []
            try log.forEachFrame(pieceSize: size) { frames.append($0) }
            return frames
        }
        let whole = try frames(1 << 24)
        #expect(whole.count == left.frameCount)
        #expect(whole.filter(\.isCommit).count == 6)
        for size in [0, 1, 4119, 4120, 4121, 10_000] { #expect(try frames(size) == whole) }
    }

    @Test func `what is no log is none, or loses nothing`() throws {
        let store = try TemporaryStore()
        let path = store.paths.log
        #expect(throws: FileSystemError.self) { try LogSurvey(path: path, pageSize: 4096) }
        for count in [0, 31, 32, 5_000, 50_000] {
            for byte in [0, 0x5A] as [UInt8] {
                try store.write([UInt8](repeating: byte, count: count), to: path)
                #expect(try LogSurvey(path: path) == nil)
                let survey = try LogSurvey(path: path, pageSize: 4096)
                #expect(survey?.isHeadWhole != true && survey?.lostCommits ?? 0 == 0)
            }
        }
    }
}
