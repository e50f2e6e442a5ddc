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

    /// Waits for a signpost of a child; returns whether it came within the time. It leaves the thread
    /// to the child's own test, as blocking would not.
    static func appears(
        _ name: String, in directory: String, within limit: Duration = .seconds(60)
    ) async -> Bool {
        let deadline = ContinuousClock.now + limit
        while !isSet(name, in: directory) {
            if ContinuousClock.now > deadline { return false }
            try? await Task.sleep(for: .milliseconds(2))
        }
        return true
    }

    /// Waits for a signpost of the parent, in a child, and blocks it.
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
