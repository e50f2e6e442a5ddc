// SPDX-License-Identifier: MIT

import CacheStore
import CacheStoreTestKit
import Foundation
import Testing

/// A process that saves again and again is killed at random points; what it was told is saved must be
/// there afterwards.
@Suite struct KilledProcessTests {
    /// How many processes are killed; `CACHESTORE_SLOW_TESTS=1` has five times as many.
    private static var count: Int {
        ProcessInfo.processInfo.environment["CACHESTORE_SLOW_TESTS"] == "1" ? 1_000 : 200
    }

    /// The seed of the points; a run prints it, and `CACHESTORE_TEST_SEED` repeats it.
    private static var seed: UInt64 { TestSeed.make() }

    @Test func `after SIGKILL every acknowledged save is there`() async throws {
        let seed = Self.seed
        print("KilledProcessTests: CACHESTORE_TEST_SEED=\(seed)")
        var random = SeededRandomNumberGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        let path = directory.path
        var isReset = 0
        for round in 0..<Self.count {
            // From before the store is open to dozens of saves later.
            let microseconds = UInt32(random.next() % 60_000)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                @MainActor [path = path as String, microseconds = microseconds as UInt32] in
                Child.limit()
                Thread.detachNewThread {
                    usleep(microseconds)
                    kill(getpid(), SIGKILL)
                }
                let cache = NoteCache.opening(path) { $0.store.verification = .always }
                // Killed in here the process has acknowledged nothing.
                var number = try cache.numbers().last ?? 0
                if cache.wasResetOrCreated { Child.write("reset", to: path + "/acknowledged") }
                while true {
                    let first = number + 1
                    for _ in 0..<3 {
                        number += 1
                        cache.insert(number).text = "note \(number)"
                    }
                    let old = try cache.managedObjectContext.fetch(
                        FetchRequest<Note>(where: #Predicate { $0.number == first - 1 }))
                    old.first?.author = "changed"
                    try await cache.save()
                    Child.write("\(number)", to: path + "/acknowledged")
                }
            }
            let acknowledged =
                Child.lines(of: path + "/acknowledged").reversed().prefix { $0 != "reset" }
                .compactMap(Int.init).max() ?? 0
            try await MainActor.run {
                let cache = NoteCache.opening(path) { $0.store.verification = .always }
                let numbers = try cache.numbers()
                if cache.openReport.outcome == .opened {
                    let last = numbers.last ?? 0
                    #expect(last >= acknowledged, "round \(round)")
                    // Whole saves, nothing missing, nothing twice.
                    #expect(numbers == Array(1..<(last + 1)), "round \(round)")
                    #expect(last % 3 == 0, "round \(round)")
                } else {
                    isReset += 1
                    Child.write("reset", to: path + "/acknowledged")
                    // Only a store that nobody had saved to may be new.
                    #expect(acknowledged == 0, "round \(round): \(cache.openReport)")
                }
                try cache.close()
            }
        }
        // The first store may not have come into being before the first kills.
        #expect(isReset <= Self.count / 2)
    }

    @Test func `killed or ended by SIGTERM while opening, the next opening works`() async throws {
        let seed = Self.seed
        print("KilledProcessTests: CACHESTORE_TEST_SEED=\(seed)")
        var random = SeededRandomNumberGenerator(seed: seed)
        for _ in 0..<Self.count / 10 {
            let directory = try TemporaryDirectory()
            let path = directory.path
            // What is there is damaged, so that opening has to set it aside and reset.
            var bytes = Data("SQLite format 3\u{0}".utf8)
            bytes.append(Data((0..<200_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }))
            try bytes.write(to: URL(filePath: path + "/Notes.sqlite"))
            let microseconds = UInt32(random.next() % 12_000)
            await #expect(processExitsWith: .signal(SIGTERM)) {
                @MainActor [path = path as String, microseconds = microseconds as UInt32] in
                Child.limit()
                let cache = NoteCache.opening(path) { $0.enableAutosave(log: path + "/log") }
                Thread.detachNewThread {
                    usleep(microseconds)
                    Child.send(.terminate)
                }
                guard cache.wasResetOrCreated else { _exit(10) }
                try await Task.sleep(for: .seconds(50))
            }
            try await MainActor.run {
                let cache = NoteCache.opening(path)
                // Either the first opening has healed it, or this one has.
                #expect(cache.openError == nil)
                #expect(cache.openReport.outcome == .opened || cache.openReport.outcome == .reset)
                cache.insert(1)
                try cache.save()
                #expect(try cache.numbers() == [1])
                try cache.close()
            }
        }
    }
}
