// SPDX-License-Identifier: MIT

import Foundation

/// A damaged database of a collection, with its side files.
struct CorpusFile: Sendable {
    let name: String
    /// The files, by what follows the name of the database: "", "-wal", …
    private let files: [String: URL]

    /// The folders `corrupt/made/*` with a `store.sqlite` in them, and every other `corrupt/*/*.db`.
    static func all(in corpus: URL) -> [CorpusFile] {
        let root = corpus.appending(path: "corrupt")
        var all: [CorpusFile] = []
        for group in names(in: root) {
            let folder = root.appending(path: group)
            for name in names(in: folder) {
                let place = folder.appending(path: name)
                var files: [String: URL] = [:]
                if name.hasSuffix(".db") { files[""] = place }
                for file in names(in: place) where file.hasPrefix("store.sqlite") {
                    files[String(file.dropFirst("store.sqlite".count))] = place.appending(
                        path: file)
                }
                if !files.isEmpty { all.append(CorpusFile(name: "\(group)/\(name)", files: files)) }
            }
        }
        return all
    }

    /// - Parameter markedAsOurs: whether the header is to say that it is a store of this library, so
    ///   that it is read as one, and not just set aside.
    func copy(to place: URL, markedAsOurs: Bool) throws {
        for (suffix, file) in files {
            var data = try Data(contentsOf: file)
            if markedAsOurs, suffix.isEmpty, data.count >= 100 {
                data.replaceSubrange(60..<64, with: [0, 0, 0, 1])
                data.replaceSubrange(68..<72, with: Array("CSto".utf8))
            }
            try data.write(to: URL(filePath: place.path(percentEncoded: false) + suffix))
        }
    }

    private static func names(in folder: URL) -> [String] {
        let path = folder.path(percentEncoded: false)
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }
}
