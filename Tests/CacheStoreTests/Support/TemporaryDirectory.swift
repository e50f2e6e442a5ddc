// SPDX-License-Identifier: MIT

import Foundation

/// A directory of its own, deleted with this object.
final class TemporaryDirectory: Sendable {
    let path: String
    var url: URL { URL(filePath: path, directoryHint: .isDirectory) }

    init() throws {
        var template = Array("/tmp/cachestore-manager-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw CocoaError(.fileWriteUnknown) }
        let bytes = template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        path = String(decoding: bytes, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func exists(_ name: String) -> Bool { access(path + "/" + name, F_OK) == 0 }
}
