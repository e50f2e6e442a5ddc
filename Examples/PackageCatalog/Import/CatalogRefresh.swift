// SPDX-License-Identifier: MIT

import CacheStore
import Dispatch
import Foundation

/// Reads package lists into the cache, batch by batch, each in a child context of its own that is
/// saved to the store before the next one begins.
///
/// So the memory it takes depends on the size of a batch only, and whenever the program is stopped
/// all but the last batch is kept.
struct CatalogRefresh: Sendable {
    /// What a refresh has read.
    struct Summary: Sendable, Equatable {
        var number: Int64 = 0
        var entryCount = 0
        var malformedCount = 0
    }

    let cache: PackageCache
    let sources: [IndexSource]
    var reader = IndexReader()
    /// How long to wait after each batch.
    var pause = Duration.zero

    /// The most entries in a batch. Larger ones are hardly faster.
    private static let largestBatch = 500

    /// Reads the lists on a thread of its own, while the main actor is free for whatever comes: a
    /// signal, above all.
    ///
    /// - Throws: `IndexError` where a list cannot be read to its end, or what the store throws. What
    ///   was read by then is in the cache; the refresh counts as interrupted.
    func run(progress: @escaping @Sendable (Double, Summary) -> Void) async throws -> Summary {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try readAll(progress) })
            }
        }
    }

    private func readAll(_ progress: (Double, Summary) -> Void) throws -> Summary {
        var summary = Summary()
        summary.number = try begin()
        let expected = sources.reduce(0) { $0 + $1.expectedByteCount }
        // An entry has about a thousand bytes. Of a short list, too, there is more than one batch.
        let batchSize = min(max(expected / 10_000, 20), Self.largestBatch)
        var bytesBefore = 0
        var batch: [CatalogEntry] = []
        for source in sources {
            var byteCount = 0
            func flush() throws {
                try importBatch(batch, &summary)
                batch.removeAll(keepingCapacity: true)
                let share = Double(bytesBefore + byteCount) / Double(max(expected, 1))
                progress(share, summary)
                if pause > .zero { Thread.sleep(forTimeInterval: pause / .seconds(1)) }
            }
            // The reader counts large pieces; in between, entries of a usual size are counted.
            var (piecesBytes, entriesSincePiece) = (0, 0)
            let progress = { (count: Int) in (piecesBytes, entriesSincePiece) = (count, 0) }
            try reader.forEachStanza(of: source, progress: progress) { stanza in
                entriesSincePiece += 1
                guard let entry = CatalogEntry(stanza) else {
                    summary.malformedCount += 1
                    return
                }
                batch.append(entry)
                byteCount = min(
                    max(piecesBytes + entriesSincePiece * 1_000, byteCount),
                    source.expectedByteCount)
                if batch.count >= batchSize { try flush() }
            }
            byteCount = source.expectedByteCount
            if !batch.isEmpty { try flush() }
            bytesBefore += source.expectedByteCount
        }
        try finish(summary)
        return summary
    }

    // MARK: - Steps

    /// Notes that a refresh has begun; the number of the refresh.
    private func begin() throws -> Int64 {
        let lists = sources.map(\.label).joined(separator: "\n")
        let number = try cache.performOnChildContext(describedAs: "the start") { context, _ in
            let last = try context.fetch(
                FetchRequest<Refresh>(
                    sortBy: [SortDescriptor(\.number, order: .reverse)], limit: 1))
            let refresh = context.insert(Refresh.self)
            refresh.number = (last.first?.number ?? 0) + 1
            refresh.lists = lists
            return refresh.number
        }
        try save()
        return number
    }

    private func importBatch(_ entries: [CatalogEntry], _ summary: inout Summary) throws {
        let before = summary
        summary = try cache.performOnChildContext(describedAs: "a part of the lists") {
            context, _ in
            var importer = BatchImporter(into: context, refreshNumber: before.number)
            try importer.importEntries(entries)
            var summary = before
            summary.entryCount += entries.count
            summary.malformedCount += importer.malformedCount
            try note(summary, in: context)
            return summary
        }
        try save()
    }

    private func finish(_ summary: Summary) throws {
        try cache.performOnChildContext(describedAs: "the end") { context, _ in
            try note(summary, in: context)?.finishedAt = Date()
        }
        try save()
    }

    @discardableResult
    private func note(_ summary: Summary, in context: ManagedObjectContext) throws -> Refresh? {
        let number = summary.number
        let request = FetchRequest<Refresh>(where: #Predicate { $0.number == number })
        guard let refresh = try context.fetch(request).first else { return nil }
        refresh.entryCount = Int64(summary.entryCount)
        refresh.malformedCount = Int64(summary.malformedCount)
        return refresh
    }

    /// Saves the main context, on the main thread, which has nothing else to do.
    private func save() throws {
        try DispatchQueue.main.sync {
            try MainActor.assumeIsolated { try cache.save() }
        }
    }
}
