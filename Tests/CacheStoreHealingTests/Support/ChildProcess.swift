// SPDX-License-Identifier: MIT

import Foundation

/// What tests with processes need: names of files that say how far another process is.
enum Signpost {
    static func set(_ name: String, in directory: String) {
        _ = FileManager.default.createFile(atPath: "\(directory)/\(name).signpost", contents: nil)
    }

    static func isSet(_ name: String, in directory: String) -> Bool {
        access("\(directory)/\(name).signpost", F_OK) == 0
    }

    /// Waits, blocking, until all are set or the time is over.
    static func waitForAll(_ names: [String], in directory: String, atMost limit: Duration) {
        let deadline = ContinuousClock.now + limit
        while !names.allSatisfy({ isSet($0, in: directory) }), ContinuousClock.now < deadline {
            usleep(1_000)
        }
    }
}

/// Whether the tests run with the rights of root, whom permissions do not stop.
let isRoot = geteuid() == 0
