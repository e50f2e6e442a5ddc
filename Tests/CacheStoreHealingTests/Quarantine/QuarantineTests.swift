// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import CacheStoreHealing

@Suite struct QuarantineTests {
    private static let day: TimeInterval = 24 * 60 * 60

    private func keepCopy(
        _ store: TemporaryStore, policy: QuarantinePolicy = QuarantinePolicy(),
        now: SystemMoment = SystemMoment()
    ) -> Quarantine.Result {
        Quarantine(paths: store.paths, policy: policy, clock: { now })
            .keepCopy(reason: "test", report: StoreOpenReport(url: nil, newFingerprint: ""))
    }

    @Test func `a set has every file of the store and a report`() throws {
        let store = try TemporaryStore()
        for suffix in ["", "-wal", "-shm", "-journal", "-sums"] {
            try store.write("bytes of \(suffix)".utf8, to: store.path + suffix)
        }
        try FileTree.makeDirectory(store.paths.blobs)
        try store.write("value".utf8, to: store.paths.blobs + "/1")
        let place = try #require(keepCopy(store).place)
        #expect(
            FileTree.names(in: place) == [
                "notes.blobs", "notes.sqlite", "notes.sqlite-journal", "notes.sqlite-shm",
                "notes.sqlite-sums", "notes.sqlite-wal", "report.json",
            ])
        #expect(store.contents(place + "/notes.sqlite-wal") == Data("bytes of -wal".utf8))
        #expect(place.hasSuffix("Z-1"))
        let report = try #require(store.contents(place + "/report.json"))
        #expect(String(decoding: report, as: UTF8.self).contains("\"reason\" : \"test\""))
    }

    @Test(arguments: [
        // Its age in seconds, and whether it keeps a new set away.
        (0.0, true), (60, true), (day - 60, true), (day + 60, false), (30 * day, false),
        // From the future: the clock was wrong once.
        (-60, false), (-365 * day, false),
    ])
    func `after a restart, a recent set keeps new ones away, whatever the clock does`(
        age: TimeInterval, isRecent: Bool
    ) throws {
        let store = try TemporaryStore()
        try store.write("bytes".utf8)
        let first = try #require(keepCopy(store).place)
        var now = SystemMoment()
        now.boot = "the next"
        now.uptime = 1
        try FileManager.default.setAttributes(
            [.modificationDate: now.date.addingTimeInterval(-age)], ofItemAtPath: first)
        let second = keepCopy(store, now: now)
        #expect((second.place == nil) == isRecent)
        #expect(store.quarantined.count == 1)
    }

    @Test(arguments: [-400 * day, -60, 0, 2 * day, 400 * day])
    func `while the machine runs, a jump of the clock makes no set older or younger`(
        jump: TimeInterval
    ) throws {
        let store = try TemporaryStore()
        try store.write("bytes".utf8)
        let start = SystemMoment()
        let first = try #require(keepCopy(store, now: start).place)
        var now = start
        now.date += jump
        now.uptime += Self.day - 60
        #expect(keepCopy(store, now: now).place == nil)
        #expect(store.exists(first))
        now.uptime += 120
        #expect(keepCopy(store, now: now).place != nil)
        #expect(store.quarantined.count == 1)
    }

    @Test func `a set is not made where it would leave the disk short of space`() throws {
        let store = try TemporaryStore()
        try store.write([UInt8](repeating: 1, count: 10_000))
        var policy = QuarantinePolicy()
        policy.minimumFreeBytes = 1_000_000
        func result(available: Int64, total: Int64) -> Quarantine.Result {
            let space = FreeSpace(available: available, total: total)
            var quarantine = Quarantine(paths: store.paths, policy: policy)
            quarantine.freeSpace = { _ in space }
            return quarantine.keepCopy(
                reason: "test", report: StoreOpenReport(url: nil, newFingerprint: ""))
        }
        #expect(result(available: 1_009_999, total: 1 << 40).place == nil)
        #expect(store.quarantined.isEmpty)
        // A small disk is short of space when a twentieth is left.
        #expect(result(available: 59_999, total: 1_000_000).place == nil)
        #expect(result(available: 60_000, total: 1_000_000).place != nil)
    }

    @Test func `sets are deleted when the disk becomes short of space, but not foreign files`()
        throws
    {
        let store = try TemporaryStore()
        try store.write("damaged".utf8)
        let set = try #require(keepCopy(store).place)
        let quarantine = Quarantine(paths: store.paths, policy: QuarantinePolicy())
        let foreign = try quarantine.setAside(
            reason: "test", report: StoreOpenReport(url: nil, newFingerprint: ""))
        #expect(!quarantine.dropSetsIfDiskIsShort())
        #expect(store.exists(set))
        var short = quarantine
        short.freeSpace = { _ in FreeSpace(available: 1 << 20, total: 1 << 40) }
        #expect(short.dropSetsIfDiskIsShort())
        #expect(!store.exists(set))
        #expect(store.contents(foreign + "/notes.sqlite") == Data("damaged".utf8))
    }

    @Test func `what was kept is put back as it was`() throws {
        let store = try TemporaryStore()
        for suffix in ["", "-wal", "-journal"] {
            try store.write("old\(suffix)".utf8, to: store.path + suffix)
        }
        try FileTree.makeDirectory(store.paths.blobs)
        try store.write("value".utf8, to: store.paths.blobs + "/1")
        let place = try #require(keepCopy(store).place)
        try store.write("new".utf8)
        try FileTree.remove(store.paths.log)
        try FileTree.remove(store.paths.blobs + "/1")
        try Quarantine(paths: store.paths, policy: QuarantinePolicy()).putBack(place)
        for suffix in ["", "-wal", "-journal"] {
            #expect(store.contents(store.path + suffix) == Data("old\(suffix)".utf8))
        }
        #expect(store.contents(store.paths.blobs + "/1") == Data("value".utf8))
        #expect(store.quarantined.isEmpty)
    }

    @Test func `older sets make room for a new one`() throws {
        let store = try TemporaryStore()
        try store.write("bytes".utf8)
        var policy = QuarantinePolicy()
        policy.minimumInterval = .zero
        policy.maximumSets = 2
        let places = (0..<4).map { number in
            keepCopy(
                store, policy: policy,
                now: SystemMoment(
                    date: Date(timeIntervalSince1970: Double(number) * 1e6), boot: nil, uptime: 0)
            ).place
        }
        #expect(store.quarantined.count == 2)
        for place in places.suffix(2) { #expect(store.exists(try #require(place))) }
    }

    @Test func `what is there without a report of ours is never deleted`() throws {
        let store = try TemporaryStore()
        try store.write("bytes".utf8)
        var policy = QuarantinePolicy()
        policy.minimumInterval = .zero
        try FileTree.makeDirectory(store.paths.quarantine)
        try FileTree.makeDirectory(store.paths.quarantine + "/notes-precious")
        for _ in 0..<3 { _ = keepCopy(store, policy: policy) }
        #expect(store.exists(store.paths.quarantine + "/notes-precious"))
        #expect(store.quarantined.count == 2)
    }

    @Test func `a set that is too large is not kept`() throws {
        let store = try TemporaryStore()
        try store.write([UInt8](repeating: 1, count: 1000))
        var policy = QuarantinePolicy()
        policy.maximumBytes = 999
        let result = keepCopy(store, policy: policy)
        #expect(result.place == nil)
        #expect(result.note != nil)
        #expect(store.quarantined.isEmpty)
    }

    @Test func `a policy of no sets keeps none`() throws {
        let store = try TemporaryStore()
        try store.write("bytes".utf8)
        var policy = QuarantinePolicy()
        policy.maximumSets = 0
        #expect(keepCopy(store, policy: policy).place == nil)
        #expect(store.quarantined.isEmpty)
    }

    @Test func `setting aside moves the files and is not undone by later sets`() throws {
        let store = try TemporaryStore()
        try store.write("main".utf8)
        try store.write("log".utf8, to: store.paths.log)
        var policy = QuarantinePolicy()
        policy.minimumInterval = .zero
        let quarantine = Quarantine(paths: store.paths, policy: policy)
        let report = StoreOpenReport(url: nil, newFingerprint: "")
        let place = try quarantine.setAside(reason: "test", report: report)
        #expect(!store.exists(store.path))
        #expect(!store.exists(store.paths.log))
        for _ in 0..<3 {
            try store.write("other".utf8)
            _ = keepCopy(store, policy: policy)
        }
        #expect(store.contents(place + "/notes.sqlite") == Data("main".utf8))
        #expect(store.contents(place + "/notes.sqlite-wal") == Data("log".utf8))
        #expect(store.quarantined.count == 2)
    }
}
