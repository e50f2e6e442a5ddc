// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Damaged databases of others, in the directory that `CACHESTORE_CORPUS` names, else in
/// `shared/corpus` beside the package.
private enum Corpus {
    static let directory: String? = {
        let environment = ProcessInfo.processInfo.environment["CACHESTORE_CORPUS"]
        let package = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../..").standardizedFileURL
        let places =
            [environment]
            + ["../shared/corpus", "../../shared/corpus"].map {
                package.appending(path: $0).standardizedFileURL.path(percentEncoded: false)
            }
        return places.compactMap { $0 }.first { access($0 + "/corrupt", R_OK) == 0 }
    }()

    /// The databases, by the place where they are; a few of them unless slow tests are asked for.
    static var databases: [String] {
        guard let directory else { return [] }
        let root = directory + "/corrupt"
        let made = names(in: root + "/made").map { "\(root)/made/\($0)/store.sqlite" }
        let images = ["fuzz", "sqlite-hexdb"].flatMap { group in
            names(in: "\(root)/\(group)").filter { $0.hasSuffix(".db") }
                .map { "\(root)/\(group)/\($0)" }
        }
        let isSlow = ProcessInfo.processInfo.environment["CACHESTORE_SLOW_TESTS"] == "1"
        return made.filter { access(($0 as NSString).deletingLastPathComponent, R_OK) == 0 }
            + images.enumerated().filter { isSlow || $0.offset % 10 == 0 }.map(\.element)
    }

    private static func names(in path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }
}

@Suite(.enabled(if: Corpus.directory != nil, "the corpus is not there: see CACHESTORE_CORPUS"))
struct CommandCorpusTests {
    @Test func `every damaged database is judged in time, and left as it is`() throws {
        for database in Corpus.databases {
            let directory = try Directory()
            for suffix in ["", "-wal", "-journal", "-shm"] {
                guard let data = FileManager.default.contents(atPath: database + suffix) else {
                    continue
                }
                try data.write(to: directory.url("store.sqlite" + suffix))
            }
            let before = try directory.picture()
            for arguments in [["info"], ["check"], ["check", "--deep"], ["heal"]] {
                let result = try Command.run(arguments + ["store.sqlite"], in: directory)
                let place = "\(arguments) \(database): \(result.output)\(result.errors)"
                #expect((0...3).contains(result.code), "\(place)")
                #expect(result.duration < .seconds(1), "\(place)")
                // None of them is a store of ours.
                if arguments == ["heal"] { #expect(result.code != 0, "\(place)") }
                #expect(try directory.picture() == before, "\(place)")
            }
        }
    }

    @Test(arguments: [
        "100-bytes", "all-zero", "child-pointer-self", "half-file", "index-root-zero", "one-byte",
        "page-1-zero", "random", "schema-garbage", "table-root-zero", "text", "zero-length",
        "main-deleted-hot-wal-left", "main-deleted-hot-journal-left",
    ])
    func `what SQLite cannot read is damaged or not found`(name: String) throws {
        let root = try #require(Corpus.directory) + "/corrupt/made/\(name)"
        try #require(access(root, R_OK) == 0)
        let directory = try Directory()
        for file in try FileManager.default.contentsOfDirectory(atPath: root) {
            let data = try #require(FileManager.default.contents(atPath: root + "/" + file))
            try data.write(to: directory.url(file))
        }
        #expect(try Command.run("check", "store.sqlite", in: directory).code == 1)
    }
}
