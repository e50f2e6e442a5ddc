// SPDX-License-Identifier: MIT

import CacheStore
import Foundation

/// Carries out a command and prints the answer.
@MainActor
struct CommandRunner {
    let command: CatalogCommand

    func run() async throws -> ExitCode {
        switch command {
        case .help: print(HelpText.usage)
        case .version: print(HelpText.version)
        case .refresh(let all, let indexes, let pause):
            try await refresh(all: all, indexes: indexes, pause: .milliseconds(pause))
        case .search(let text): return try search(text)
        case .show(let name): return try show(name)
        case .depends(let name, let reverse, let recursive):
            return try depends(name, reverse ? .dependents : .dependencies, recursive)
        case .stats: try CatalogStatistics(context: openCache().managedObjectContext).print()
        case .status: status()
        }
        return .success
    }

    /// The cache; a word about it where it is not what it was.
    private func openCache() -> PackageCache {
        let cache = PackageCache.shared
        let report = cache.openReport
        if cache.wasResetOrCreated, report.cause != .fileMissing {
            StandardError.write(
                "the cache starts empty (\(report.outcome): \(report.cause)); refresh fills it")
        }
        return cache
    }

    // MARK: - Filling

    private func refresh(all: Bool, indexes: [String], pause: Duration) async throws {
        let locator = IndexLocator()
        let sources =
            indexes.isEmpty
            ? try locator.sources(includingArchives: all)
            : try indexes.map { try locator.source(at: $0) }
        let cache = PackageCache.shared
        if cache.wasResetOrCreated {
            print("The cache has to be filled.")
            print(cache.openReport)
            // Before the progress, which goes to another stream.
            fflush(nil)
        }
        let reporter = ProgressLine(title: "refresh")
        let refresh = CatalogRefresh(cache: cache, sources: sources, pause: pause)
        let summary = try await refresh.run { share, summary in
            reporter.update(share, "\(summary.entryCount) entries")
        }
        reporter.finish("\(summary.entryCount) entries")
        // Without the haste of the end of the program: there may be much to clean up.
        guard cache.saveBeforeTermination() else { return }
        let lists = sources.count == 1 ? "1 list" : "\(sources.count) lists"
        print("Read \(summary.entryCount) entries from \(lists).")
        if summary.malformedCount > 0 {
            print("Left out \(summary.malformedCount) lines that make no sense.")
        }
    }

    // MARK: - Asking

    private func search(_ text: String) throws -> ExitCode {
        let packages = try PackageSearch(context: openCache().managedObjectContext).find(text)
        for package in packages {
            print("\(package.name) - \(package.versionsByAge.first?.summary ?? "")")
        }
        return packages.isEmpty ? .failure : .success
    }

    private func show(_ name: String) throws -> ExitCode {
        let context = openCache().managedObjectContext
        guard let package = try PackageSearch(context: context).package(named: name) else {
            return notFound(name)
        }
        print(PackageDescription(of: package).text)
        return .success
    }

    private func depends(
        _ name: String, _ direction: DependencyWalk.Direction, _ recursive: Bool
    ) throws -> ExitCode {
        let walk = DependencyWalk(
            context: openCache().managedObjectContext, direction: direction)
        guard let names = try walk.names(from: name, recursive: recursive) else {
            return notFound(name)
        }
        names.forEach { print($0) }
        return .success
    }

    private func status() {
        let cache = PackageCache.shared
        print(cache.openReport)
        print("  starts empty: \(cache.wasResetOrCreated ? "yes" : "no")")
        if let error = cache.openError { print("  could not be opened: \(error)") }
    }

    private func notFound(_ name: String) -> ExitCode {
        StandardError.write("there is no package \(name) in the cache")
        return .failure
    }
}
