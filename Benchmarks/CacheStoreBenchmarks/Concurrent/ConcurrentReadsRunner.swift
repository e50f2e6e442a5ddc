// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import Synchronization

/// Runs `concurrent-reads`: four threads read rows by ID, as many as they can, while a fifth saves
/// 100 changes fifty times a second. That pace is the same for both contestants, so that none reads
/// less because it writes more.
struct ConcurrentReadsRunner: Sendable {
    private static let readers = 4
    private static let changesPerSave = 100
    private static let saveInterval = Duration.milliseconds(20)

    let settings: Settings
    let folder: URL

    /// - Parameters:
    ///   - ours: the folder of our full store; a copy of it is used.
    ///   - raw: the folder of the rival's.
    @MainActor
    func run(ours: URL, raw: URL) throws -> Comparison {
        let ourCopy = folder.appendingPathComponent("shared-ours", isDirectory: true)
        let rawCopy = folder.appendingPathComponent("shared-raw", isDirectory: true)
        try FileManager.default.copyItem(at: ours, to: ourCopy)
        try FileManager.default.copyItem(at: raw, to: rawCopy)
        return try .inTurns(
            BenchmarkTask.concurrentReads.rawValue, rounds: settings.rounds, unit: .readsPerSecond,
            ours: { try round(OurSharedStore(opening: ourCopy), "ours") },
            raw: { try round(RawSharedStore(opening: rawCopy), "raw") })
    }

    /// What the threads of a round have in common.
    private final class Round: Sendable {
        let isOver = Atomic<Bool>(false)
        let reads = Atomic<Int>(0)
        let saves = Atomic<Int>(0)
        let errors = Mutex<[any Error]>([])
        let ready = DispatchSemaphore(value: 0)
        let go = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)

        /// Starts a thread: what it prepares is not counted.
        func start<Tool>(
            preparing make: @escaping @Sendable () throws -> Tool,
            _ body: @escaping @Sendable (Tool) throws -> Void
        ) {
            Thread.detachNewThread { [self] in
                do {
                    let tool = try make()
                    ready.signal()
                    go.wait()
                    try body(tool)
                } catch {
                    errors.withLock { $0.append(error) }
                    ready.signal()
                }
                ended.signal()
            }
        }
    }

    private func round(_ store: some SharedContestant, _ name: String) throws -> Outcome {
        let round = Round()
        let rowCount = settings.rowCount
        for number in 0..<Self.readers {
            round.start(preparing: { try store.makeReader() }) { reader in
                var random = SplitMix64(state: UInt64(number))
                var (count, sum) = (0, UInt64(0))
                while !round.isOver.load(ordering: .relaxed) {
                    sum &+= try reader.read(at: Int.random(in: 0..<rowCount, using: &random))
                    count += 1
                }
                // Asking for the sum keeps the reading from being optimised away.
                round.reads.add(sum == 0 ? 0 : count, ordering: .relaxed)
            }
        }
        round.start(preparing: { try store.makeWriter() }) { writer in
            var random = SplitMix64(state: 99)
            let clock = ContinuousClock()
            var next = clock.now
            while !round.isOver.load(ordering: .relaxed) {
                try writer.change(
                    at: (0..<Self.changesPerSave).map { _ in
                        Int.random(in: 0..<rowCount, using: &random)
                    })
                round.saves.add(1, ordering: .relaxed)
                next += Self.saveInterval
                let pause = clock.now.duration(to: next) / .seconds(1)
                if pause > 0 { Thread.sleep(forTimeInterval: pause) } else { next = clock.now }
            }
        }
        let threads = Self.readers + 1
        for _ in 0..<threads { round.ready.wait() }
        let clock = ContinuousClock()
        let start = clock.now
        for _ in 0..<threads { round.go.signal() }
        Thread.sleep(forTimeInterval: settings.seconds)
        round.isOver.store(true, ordering: .relaxed)
        let duration = start.duration(to: clock.now) / .seconds(1)
        for _ in 0..<threads { round.ended.wait() }
        if let error = round.errors.withLock({ $0.first }) { throw error }
        try store.close()
        let saves = round.saves.load(ordering: .relaxed)
        StandardStreams.tell("concurrent-reads: \(name) saved \(saves) times")
        return Outcome(value: Double(round.reads.load(ordering: .relaxed)) / duration)
    }
}
