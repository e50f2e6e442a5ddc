// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import CacheStoreTestKit
import Foundation
import Testing

@testable import CacheStoreHealing

/// Logs that a crash has left, whole and damaged.
@Suite struct DamagedLogTests {
    private static let frameSize = 24 + 4096

    /// A store as a killed process leaves it, with a commit in the file and each of the others in the
    /// log.
    private func crashed(commits: Int = 6) throws -> TemporaryStore {
        let source = try TemporaryStore()
        let file = try source.openFile()
        try file.addNotes(100)
        try file.checkpoint(.truncate)
        for _ in 0..<commits { try file.addNotes(10) }
        let store = try TemporaryStore()
        for suffix in ["", "-wal"] {
            try store.write(
                #require(source.contents(source.path + suffix)), to: store.path + suffix)
        }
        return store
    }

    private func frames(of store: TemporaryStore) throws -> Int {
        (try #require(store.contents(store.paths.log)).count - 32) / Self.frameSize
    }

    /// The frames that end a commit.
    private func commitFrames(of store: TemporaryStore) throws -> [Int] {
        let bytes = [UInt8](try #require(store.contents(store.paths.log)))
        return try (0..<frames(of: store)).filter { frame in
            bytes[32 + frame * Self.frameSize + 4..<32 + frame * Self.frameSize + 8]
                .contains { $0 != 0 }
        }
    }

    @Test func `a log that is whole loses nothing`() throws {
        let store = try crashed()
        #expect(try LogSurvey(path: store.paths.log)?.commits == 6)
        let opened = try store.open()
        #expect(opened.report.lostSaves == 0)
        #expect(opened.report.outcome == .opened)
        #expect(try opened.file?.countNotes() == 160)
    }

    @Test(arguments: [4, 12, 20, 24 + 17, 24 + 4090])
    func `a damaged frame in the middle loses the saves behind it, and they are counted`(
        offset: Int
    ) throws {
        let store = try crashed()
        let commits = try commitFrames(of: store)
        #expect(commits.count == 6)
        // The last frame of the second save.
        try store.flipBit(at: 32 + commits[1] * Self.frameSize + offset, of: store.paths.log)
        let opened = try store.open()
        #expect(opened.report.outcome == .opened)
        #expect(opened.report.lostSaves == 5)
        #expect(!opened.report.wasResetOrCreated)
        #expect(opened.report.description.contains("lost"))
        #expect(try opened.file?.countNotes() == 110)
        try opened.file?.addNotes(5)
        try opened.file?.close(clean: false)
        let again = try store.open()
        #expect(again.report.lostSaves == 0)
        #expect(try again.file?.countNotes() == 115)
    }

    @Test func `a damaged head of the log loses all of it, and that is told`() throws {
        let store = try crashed()
        try store.flipBit(at: 17, of: store.paths.log)
        let opened = try store.open()
        #expect(opened.report.lostSaves == 6)
        #expect(try opened.file?.countNotes() == 100)
    }

    @Test func `a last save that was cut off is no loss that anybody was promised`() throws {
        for cut in [1, 100, 4096, Self.frameSize + 7] {
            let store = try crashed()
            let size = try #require(store.contents(store.paths.log)).count
            truncate(store.paths.log, off_t(size - cut))
            let opened = try store.open()
            #expect(opened.report.lostSaves == 0)
            #expect(try opened.file?.countNotes() == 150)
        }
    }

    @Test func `frames of an earlier run of the log are no loss`() throws {
        let source = try TemporaryStore()
        let file = try source.openFile()
        for _ in 0..<20 { try file.addNotes(10) }
        // The log begins anew, over the old frames.
        try file.checkpoint(.restart)
        try file.addNotes(1)
        try file.addNotes(1)
        let store = try TemporaryStore()
        for suffix in ["", "-wal"] {
            try store.write(
                #require(source.contents(source.path + suffix)), to: store.path + suffix)
        }
        #expect(try frames(of: store) > 10)
        let found = try #require(try LogSurvey(path: store.paths.log))
        #expect(found.commits == 2 && found.lostCommits == 0)
        // Where the second of the two is damaged, nothing behind it is of this run.
        let commits = try commitFrames(of: store)
        try store.flipBit(at: 32 + commits[1] * Self.frameSize + 100, of: store.paths.log)
        let opened = try store.open()
        #expect(opened.report.lostSaves == 0)
        #expect(try opened.file?.countNotes() == 201)
    }

    @Test func `a store whose file is ahead of what is left of its log is reset`() throws {
        let source = try TemporaryStore()
        let file = try source.openFile()
        for _ in 0..<6 { try file.addNotes(10) }
        // All of the log is in the file, and still in the log.
        try file.checkpoint(.passive)
        let store = try TemporaryStore()
        for suffix in ["", "-wal"] {
            try store.write(
                #require(source.contents(source.path + suffix)), to: store.path + suffix)
        }
        let commits = try commitFrames(of: store)
        try store.flipBit(at: 32 + commits[2] * Self.frameSize + 100, of: store.paths.log)
        // The log would take pages back to the second save, and leave the others as they are.
        let opened = try store.open()
        #expect(opened.report.outcome == .reset)
        #expect(opened.report.cause == .damaged)
    }

    /// `CACHESTORE_TEST_SEED` gives other damage than usual, `CACHESTORE_SLOW_TESTS` more of it.
    @Test func `opening and a deep check tell the same of a damaged log`() throws {
        let seed = TestSeed.given ?? 5
        let rounds = TestSeed.areTestsSlow ? 2_000 : 60
        var random = SeededRandomNumberGenerator(seed: seed)
        let sizes = (0..<8).map { _ in Int.random(in: 1...150, using: &random) }
        let files = try [false, true].map { try left(by: sizes, isSecondRun: $0) }
        var losses = 0
        for round in 0..<rounds {
            let (database, log) = files[round % 2]
            let store = try TemporaryStore(syncsForNothing: true)
            var damaged = log
            var note = Comment("seed \(seed), round \(round)")
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                let damage = LogDamage.random(in: damaged.count, using: &random)
                damage.apply(to: &damaged, other: files[(round + 1) % 2].log)
                note = Comment(rawValue: "\(note.rawValue), \(damage)")
            }
            try store.write(database)
            try store.write(damaged, to: store.paths.log)
            let check = try FileExamination(at: store.path).check(deep: true)
            let opened = try store.open()
            let lost = opened.report.lostSaves
            #expect(check.lostCommits == lost, note)
            #expect(check.findings.contains { $0.code == "log" } || lost == 0, note)
            #expect(opened.report.outcome == .opened, note)
            // What SQLite has replayed is one state after another, and tells what is lost at most.
            let sums = sizes.indices.map { 100 + sizes[...$0].reduce(0, +) }
            let count = try #require(try opened.file?.countNotes(), note)
            let kept = try #require(([100] + sums).firstIndex(of: count), note)
            #expect(lost <= sizes.count - kept, note)
            if lost > 0 { losses += 1 }
        }
        #expect(losses > rounds / 4, "seed \(seed)")
    }

    /// Files with 100 notes in the database and saves of so many in the log.
    ///
    /// - Parameter isSecondRun: whether the log has the remains of an earlier run behind them.
    private func left(
        by sizes: [Int], isSecondRun: Bool
    ) throws -> (database: [UInt8], log: [UInt8]) {
        let source = try TemporaryStore(syncsForNothing: true)
        let file = try source.openFile()
        if isSecondRun {
            for _ in 0..<20 { try file.addNotes(5) }
            try file.checkpoint(.restart)
        } else {
            try file.addNotes(100)
            try file.checkpoint(.truncate)
        }
        for size in sizes { try file.addNotes(size) }
        return (
            [UInt8](try #require(source.contents())),
            [UInt8](try #require(source.contents(source.paths.log)))
        )
    }
}

/// What happens to a log.
private enum LogDamage {
    case bit(at: Int, Int)
    case zeros(Range<Int>)
    case cut(to: Int)
    /// Frames are those of another log.
    case frames(Int, from: Int, count: Int)

    private static let frameSize = 24 + 4096

    static func random(in size: Int, using random: inout SeededRandomNumberGenerator) -> LogDamage {
        let frames = max(1, size / frameSize)
        let frame = Int.random(in: 0..<frames, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
            return .bit(
                at: Int.random(in: 0..<size, using: &random),
                Int.random(in: 0..<8, using: &random))
        case 2:
            return .bit(
                at: min(size - 1, 32 + frame * frameSize + Int.random(in: 0..<24, using: &random)),
                Int.random(in: 0..<8, using: &random))
        case 3:
            let start = Int.random(in: 0..<size, using: &random) / 512 * 512
            return .zeros(start..<min(size, start + 512 * Int.random(in: 1...20, using: &random)))
        case 4: return .cut(to: Int.random(in: size / 2...size, using: &random))
        default:
            return .frames(
                frame, from: Int.random(in: 0..<frames, using: &random),
                count: Int.random(in: 1...3, using: &random))
        }
    }

    func apply(to log: inout [UInt8], other: [UInt8]) {
        switch self {
        case .bit(let offset, let bit): log[offset] ^= 1 << UInt8(bit)
        case .zeros(let range):
            log.replaceSubrange(range, with: repeatElement(0, count: range.count))
        case .cut(let size): log.removeLast(log.count - size)
        case .frames(let frame, let from, let count):
            let length = min(
                count * Self.frameSize, log.count - 32 - frame * Self.frameSize,
                other.count - 32 - from * Self.frameSize)
            guard length > 0 else { return }
            let (target, source) = (32 + frame * Self.frameSize, 32 + from * Self.frameSize)
            log.replaceSubrange(target..<target + length, with: other[source..<source + length])
        }
    }
}
