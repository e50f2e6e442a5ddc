// SPDX-License-Identifier: MIT

import CacheStore
import Dispatch
import Foundation

/// `autosave`: from SIGTERM to the end of a process that has unsaved objects. There is no rival.
@MainActor
enum AutosaveAtTheEnd {
    /// The manager of the child's store.
    private final class Cache: PersistentStoreManager {
        nonisolated static func opening(_ directory: URL) -> Cache {
            var configuration = Configuration(
                applicationIdentifier: "org.example.Benchmarks", model: SamplePhoto.model)
            configuration.directory = directory
            configuration.storeName = "ours"
            // Only the signal is to save.
            configuration.autosave.delay = nil
            return Cache(configuration: configuration)
        }
    }

    static func run(settings: Settings, folder: URL) throws -> Comparison {
        let store = folder.appendingPathComponent("autosave", isDirectory: true)
        var times: [Double] = []
        for _ in 0..<settings.rounds {
            try? FileManager.default.removeItem(at: store)
            let child = try ChildProcess(.autosave(store: store, rowCount: settings.rowCount))
            guard child.nextOutput() == "ready\n" else {
                throw BenchmarkError("autosave: the child failed")
            }
            let duration = try ContinuousClock().measure {
                kill(child.identifier, SIGTERM)
                _ = try child.readToEnd()
            }
            times.append(duration / .milliseconds(1))
            let stack = try OurStack(opening: store, model: SamplePhoto.model)
            let count = try stack.context.count(for: FetchRequest<SamplePhoto>())
            try stack.coordinator.removePersistentStore()
            guard count == settings.rowCount else {
                throw BenchmarkError("autosave: \(count) of \(settings.rowCount) were saved")
            }
        }
        return Comparison(name: BenchmarkTask.autosave.rawValue, ours: times.median, raw: nil)
    }

    /// In the child: inserts, says that it is ready, and serves the main queue until the signal.
    static func waitForSignal(store: URL, rowCount: Int) throws -> Never {
        let cache = Cache.opening(store)
        let context = cache.managedObjectContext
        for row in SampleRow.make(count: rowCount) { context.insert(SamplePhoto.self).take(row) }
        StandardStreams.printResult("ready")
        dispatchMain()
    }
}
