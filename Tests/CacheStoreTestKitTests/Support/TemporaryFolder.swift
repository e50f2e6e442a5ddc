// SPDX-License-Identifier: MIT
import CacheStoreSQLite
import Foundation

/// A folder of its own for one test, removed with the last reference to it.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "CacheStoreTestKitTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

extension Connection {
    func checkpointAll() throws { try checkpoint(.truncate) }
}
