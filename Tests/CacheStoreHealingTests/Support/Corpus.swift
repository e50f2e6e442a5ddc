// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// A collection of damaged databases, in the directory that `CACHESTORE_CORPUS` names, else in
/// `shared/corpus` beside the package.
enum Corpus {
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

    /// Sets of files: the suffixes of the database's name, with the files to put there.
    struct Damage: Sendable, CustomTestStringConvertible {
        let name: String
        let files: [String: String]

        var testDescription: String { name }
    }

    /// Those made of whole sets: a directory each, with `store.sqlite` and its side files.
    static var made: [Damage] {
        guard let directory else { return [] }
        let root = directory + "/corrupt/made"
        return names(in: root).map { name in
            var files: [String: String] = [:]
            for file in names(in: "\(root)/\(name)") where file.hasPrefix("store.sqlite") {
                files[String(file.dropFirst("store.sqlite".count))] = "\(root)/\(name)/\(file)"
            }
            return Damage(name: name, files: files)
        }.filter { !$0.files.isEmpty }
    }

    /// Single files.
    static var images: [Damage] {
        guard let directory else { return [] }
        return ["fuzz", "sqlite-hexdb"].flatMap { group in
            names(in: "\(directory)/corrupt/\(group)").filter { $0.hasSuffix(".db") }.map {
                Damage(name: $0, files: ["": "\(directory)/corrupt/\(group)/\($0)"])
            }
        }
    }

    private static func names(in path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }
}
