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

    /// Waits for a signpost; returns whether it came within the time.
    static func wait(
        for name: String, in directory: String, atMost limit: Duration = .seconds(30)
    ) -> Bool {
        let deadline = ContinuousClock.now + limit
        while !isSet(name, in: directory) {
            if ContinuousClock.now > deadline { return false }
            usleep(2_000)
        }
        return true
    }
}

/// Whether the tests run with the rights of root, whom permissions do not stop.
let isRoot = geteuid() == 0
