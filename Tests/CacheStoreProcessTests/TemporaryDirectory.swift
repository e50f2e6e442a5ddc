// SPDX-License-Identifier: MIT

import Foundation

/// A directory of one test; it goes away with the value.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory
            .appending(path: "cachestore-process-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        path = url.path(percentEncoded: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func path(of name: String) -> String { path + "/" + name }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path(of: name)))
    }

    func text(of name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: path(of: name))), as: UTF8.self)
    }

    /// The permission bits of a file in the directory.
    func mode(of name: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: path(of: name))
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
}
