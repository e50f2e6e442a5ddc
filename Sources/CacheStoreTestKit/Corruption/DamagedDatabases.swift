// SPDX-License-Identifier: MIT

import Foundation

/// A collection of damaged databases, for the tests of this package: in the folder that
/// `CACHESTORE_CORPUS` names, else in `shared/corpus` beside the package, where they are run.
package enum DamagedDatabases {
    /// A database with its side files.
    package struct Entry: Sendable, CustomStringConvertible {
        package let name: String
        /// The files, by what follows the name of the database: "", "-wal", …
        package let files: [String: String]

        package var description: String { name }

        /// Copies the files.
        ///
        /// - Parameters:
        ///   - path: where the database goes.
        ///   - markedAsOurs: whether the header is to say that it is a store of this library, so that
        ///     it is read as one, and not just set aside.
        package func copy(to path: String, markedAsOurs: Bool = false) throws {
            for (suffix, file) in files {
                var data = try Data(contentsOf: URL(filePath: file))
                if markedAsOurs, suffix.isEmpty, data.count >= 100 {
                    data.replaceSubrange(60..<64, with: [0, 0, 0, 1])
                    data.replaceSubrange(68..<72, with: Array("CSto".utf8))
                }
                try data.write(to: URL(filePath: path + suffix))
            }
        }
    }

    /// The folder; `nil` where there is none.
    package static let directory: String? = {
        let environment = ProcessInfo.processInfo.environment["CACHESTORE_CORPUS"]
        return [environment, "../shared/corpus", "../../shared/corpus"].compactMap { $0 }
            .first { access($0 + "/corrupt", R_OK) == 0 }
    }()

    /// Those made of whole sets: a folder each, with `store.sqlite` and its side files.
    package static var made: [Entry] {
        guard let directory else { return [] }
        let root = directory + "/corrupt/made"
        return names(in: root).map { name in
            var files: [String: String] = [:]
            for file in names(in: "\(root)/\(name)") where file.hasPrefix("store.sqlite") {
                files[String(file.dropFirst("store.sqlite".count))] = "\(root)/\(name)/\(file)"
            }
            return Entry(name: name, files: files)
        }.filter { !$0.files.isEmpty }
    }

    /// Single files.
    package static var images: [Entry] {
        guard let directory else { return [] }
        return ["fuzz", "sqlite-hexdb"].flatMap { group in
            names(in: "\(directory)/corrupt/\(group)").filter { $0.hasSuffix(".db") }.map {
                Entry(name: $0, files: ["": "\(directory)/corrupt/\(group)/\($0)"])
            }
        }
    }

    package static var all: [Entry] { made + images }

    private static func names(in path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }
}
