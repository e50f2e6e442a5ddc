// SPDX-License-Identifier: MIT

import CacheStore
import Foundation
import Synchronization
import Testing

@testable import PackageCatalog

@Suite struct CatalogRefreshTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func makeCache() -> PackageCache {
        var configuration = PackageCache.configuration
        configuration.directory = folder.url.appendingPathComponent("cache")
        configuration.autosave = .off
        return PackageCache(configuration: configuration)
    }

    private func source(_ names: some Sequence<String>) throws -> IndexSource {
        let text = names.map { "Package: \($0)\nVersion: 1\nDepends: base\n" }
        let file = try folder.write(text.joined(separator: "\n"), to: "list")
        return IndexSource(kind: .named, url: file, byteCount: text.joined().utf8.count)
    }

    private func names(in cache: PackageCache) async throws -> Set<String> {
        try await MainActor.run {
            Set(
                try cache.managedObjectContext.fetch(
                    FetchRequest<Package>(where: #Predicate { !$0.versions.isEmpty })
                ).map(\.name))
        }
    }

    @Test func `a list of many batches is read whole, and each batch reported`() async throws {
        let cache = makeCache()
        let list = try source((0..<130).map { "p\($0)" })
        let counts = Mutex<[Int]>([])
        let summary = try await CatalogRefresh(cache: cache, sources: [list]).run { _, summary in
            counts.withLock { $0.append(summary.entryCount) }
        }
        #expect(summary.entryCount == 130)
        #expect(counts.withLock { $0 } == [20, 40, 60, 80, 100, 120, 130])
        #expect(try await names(in: cache).count == 130)
        try await MainActor.run { try cache.close() }
    }

    @Test func `a second session finds the first one's packages and drops those that are gone`()
        async throws
    {
        let first = makeCache()
        _ = try await CatalogRefresh(cache: first, sources: [try source(["a", "b"])])
            .run { _, _ in }
        #expect(first.wasResetOrCreated)
        try await MainActor.run { try first.close() }

        let second = makeCache()
        #expect(!second.wasResetOrCreated)
        #expect(try await names(in: second) == ["a", "b"])
        let summary = try await CatalogRefresh(cache: second, sources: [try source(["b", "c"])])
            .run { _, _ in }
        #expect(summary.number == 2)
        // The hook is called by what saves at the end of a program.
        #expect(await MainActor.run { second.saveBeforeTermination() })
        #expect(try await names(in: second) == ["b", "c"])
        try await MainActor.run { try second.close() }
    }

    @Test func `a list that cannot be read leaves the refresh unfinished`() async throws {
        let cache = makeCache()
        let list = try source(["a"])
        let missing = IndexSource(
            kind: .named, url: folder.url.appendingPathComponent("none"), byteCount: 1)
        await #expect(throws: IndexError.self) {
            try await CatalogRefresh(cache: cache, sources: [list, missing]).run { _, _ in }
        }
        #expect(try await names(in: cache) == ["a"])
        let isFinished = try await MainActor.run {
            try cache.managedObjectContext.fetch(FetchRequest<Refresh>()).first?.finishedAt != nil
        }
        #expect(!isFinished)
        try await MainActor.run { try cache.close() }
    }
}
