// SPDX-License-Identifier: MIT

import CacheStoreTestKit
import Foundation
import Testing

@testable import CacheStoreHealing

/// Salvages of files that the disk does not give, once or for ever.
@Suite(.enabled(if: SystemFaultPlan.isAvailable)) struct UnreadableSalvageTests {
    private static var options: StoreOptions {
        var options = StoreOptions()
        options.onDamage = .salvage
        options.verification = VerificationPolicy(.always, deadline: .seconds(60))
        return options
    }

    /// A damaged store, and what a salvage gives that meets nothing else.
    private struct Sample {
        let sample: LibrarySample
        let main: Data
        let log: Data?
        let rows: LibraryRows
        /// How many calls read pages of the old file, at least.
        var readCount: Int { 2 * sample.pageCount }

        init(leavesLog: Bool) throws {
            sample = try LibrarySample(leavesLog: leavesLog)
            try sample.damage(pages: [sample.pageCount / 2], seed: 5)
            try sample.zero(pages: [1])
            main = try #require(sample.store.contents())
            log = leavesLog ? sample.store.contents(sample.store.paths.log) : nil
            let opened = try UnreadableSalvageTests.open(sample) {}
            let file = try #require(opened.file)
            rows = try file.read { try LibraryRows(of: $0) }
            try file.close()
        }

        /// Puts the damaged store back.
        func restore() throws {
            for name in FileTree.names(in: sample.store.directory) {
                try FileManager.default.removeItem(atPath: sample.store.directory + "/" + name)
            }
            try sample.store.write(main)
            if let log { try sample.store.write(log, to: sample.store.paths.log) }
        }
    }

    /// Opens, and calls a closure when the salvage begins.
    private static func open(
        _ sample: LibrarySample, salvaging willSalvage: @escaping () -> Void
    ) throws -> OpenedStore {
        let opening = StoreOpening(
            paths: sample.store.paths, content: LibraryContent(), options: options)
        opening.willPerform = { if $0 == .salvage { willSalvage() } }
        let machine = StoreOpeningStateMachine(
            verification: options.verification.schedule, salvages: true)
        let file = try opening.run(machine)
        return OpenedStore(file: file, report: opening.report)
    }

    @Test(arguments: [false, true])
    func `a read that fails once costs no row`(leavesLog: Bool) throws {
        let seed = TestSeed.make()
        var random = SeededRandomNumberGenerator(seed: seed)
        let sample = try Sample(leavesLog: leavesLog)
        #expect(sample.readCount > 500)
        for _ in 0..<(TestSeed.areTestsSlow ? 200 : 5) {
            try sample.restore()
            let calls = sample.readCount
            let plan = try SystemFaultPlan(for: URL(filePath: sample.sample.store.directory))
            let call = Int.random(in: 0..<calls, using: &random)
            let opened = try Self.open(sample.sample) { plan.failNext(.read, after: call) }
            let comment = Comment("CACHESTORE_TEST_SEED=\(seed), \(call): \(plan.lastFault)")
            plan.disarm()
            #expect(plan.faultCount == 1, comment)
            #expect(opened.report.outcome == .salvaged, comment)
            let file = try #require(opened.file, comment)
            let rows = try file.read { try LibraryRows(of: $0) }
            #expect(rows == sample.rows, comment)
            try file.close()
        }
    }

    @Test(arguments: [false, true])
    func `where reading fails for ever the store is not opened, and stays as it was`(
        leavesLog: Bool
    ) throws {
        let seed = TestSeed.make()
        var random = SeededRandomNumberGenerator(seed: seed)
        let sample = try Sample(leavesLog: leavesLog)
        for round in 0..<(TestSeed.areTestsSlow ? 100 : 3) {
            try sample.restore()
            let calls = sample.readCount
            let plan = try SystemFaultPlan(for: URL(filePath: sample.sample.store.directory))
            // From the beginning of the salvage on, or in the middle.
            let call = round == 0 ? 0 : Int.random(in: 0..<calls / 2, using: &random)
            let comment = Comment("CACHESTORE_TEST_SEED=\(seed), \(call)")
            #expect(comment) {
                _ = try Self.open(sample.sample) {
                    plan.failNext(.read, after: call, forEver: true)
                }
            } throws: {
                PersistentStoreError(wrapping: $0).code == .unavailable
            }
            plan.disarm()
            #expect(sample.sample.store.contents() == sample.main, comment)
            // And is salvaged when the disk reads again.
            let opened = try Self.open(sample.sample) {}
            #expect(opened.report.outcome == .salvaged, comment)
            #expect(try opened.file?.read { try LibraryRows(of: $0) } == sample.rows, comment)
            try opened.file?.close()
        }
    }

    @Test(arguments: [0, 3])
    func `where the log is not given, or not all of it, no row counts as kept`(after: Int) throws {
        let sample = try LibrarySample(leavesLog: true)
        let plan = try SystemFaultPlan(for: URL(filePath: sample.store.paths.log))
        plan.failNext(.read, after: after, forEver: true)
        let (report, _) = try sample.salvage()
        plan.disarm()
        #expect(plan.faultCount > 0)
        #expect(report.total.kept == 0)
        #expect(report.total.doubtful > 0)
    }

    @Test func `where a journal is not given, no row counts as kept`() throws {
        let sample = try LibrarySample()
        try sample.store.write([UInt8](repeating: 1, count: 2_000), to: sample.store.paths.journal)
        #expect(try sample.salvage().report.total.kept > 0)
        let plan = try SystemFaultPlan(for: URL(filePath: sample.store.paths.journal))
        plan.failNext(.read, after: 0, forEver: true)
        let (report, _) = try sample.salvage()
        plan.disarm()
        #expect(plan.faultCount > 0)
        #expect(report.total.kept == 0)
    }
}
